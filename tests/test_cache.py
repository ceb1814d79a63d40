"""Machine code is compiled once for a machine, and never again until a rules file changes."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from gupai_agents.search import search_loops
from gupai_env import get_game
from gupai_env.core import compiling
from gupai_env.core.compiling import neighbours_digest

ROOT = Path(__file__).parents[1]

DEAL = """
import json

from gupai_env import Lanes

lanes = Lanes("jie-long", 20, seed=1)
used = [kernel for kernel in lanes.kernels if kernel.signatures]
print(sum(sum(kernel.stats.cache_hits.values()) for kernel in used))
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in used))
print(json.dumps(lanes.states.hands.tolist()))
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the package that nobody has compiled."""
    shutil.copytree(ROOT / "gupai_env", tmp_path / "gupai_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


STEP = """
import numba
import numpy as np
from gupai_env import get_game
from gupai_env.core.lanes import kernels

game = get_game("jie-long")
loop = kernels(game).encode  # a small one
loop(np.zeros(1, game.view).view(np.recarray), np.zeros((1, game.encoder.layout.size), np.int8))
print(loop._cache.cache_path, sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))
print(repr(numba.config.CACHE_DIR))
"""


def step(copy: Path, temporary: Path) -> tuple[list[str], list[str]]:
    """Use a loop of a package beside which and in whose user's home nothing can be written; lines of output and errors.

    A file lies where each folder would be made, which stops even a superuser.
    """
    for folder in ("core", "games"):
        (copy / "gupai_env" / folder / "__pycache__").touch()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    done = subprocess.run(
        [sys.executable, "-B", "-c", STEP],
        cwd=copy,
        env={**env, "PYTHONPATH": str(copy), "HOME": "/dev/null/nobody", "TMPDIR": str(temporary)},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines(), done.stderr.splitlines()


@pytest.fixture
def temporary(tmp_path) -> Path:
    """A folder for temporary files."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def test_a_read_only_install_without_a_home_keeps_its_code_in_a_folder_of_the_user_alone(copy, temporary):
    folder = temporary / f"gupai-{os.getuid()}"
    for hits in (0, 1):
        (found, chosen), errors = step(copy, temporary)
        path, *counts = found.split()
        assert Path(path).parent == folder
        assert counts == [str(hits), str(1 - hits)]
        assert chosen == "''"  # that of others is left alone
        assert errors == [
            "gupai: the folder of the program and the home cannot be written to: machine code is kept in "
            f"{folder} (NUMBA_CACHE_DIR names another place)"
        ]
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("obstacle", ["open to others", "a link", "a file"])
def test_machine_code_is_never_taken_from_a_folder_that_others_may_write_to(copy, temporary, obstacle):
    folder, elsewhere = temporary / f"gupai-{os.getuid()}", temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if obstacle == "open to others":
        folder.mkdir()
        folder.chmod(0o777)
    elif obstacle == "a link":
        folder.symlink_to(elsewhere)
    else:
        folder.touch()
    env = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    for name in ("core", "games"):
        (copy / "gupai_env" / name / "__pycache__").touch()
    code = "from gupai_env.core import compiling, lanes; print(type(lanes.pick._cache).__name__)"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=copy,
        env={**env, "PYTHONPATH": str(copy), "HOME": "/dev/null/nobody", "TMPDIR": str(temporary)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["NullCache"]
    assert len(done.stderr.splitlines()) == 1
    assert "kept by nobody, so that every process compiles anew" in done.stderr
    assert list(elsewhere.iterdir()) == []


def at_terminal(copy: Path) -> str:
    """Use a loop with standard error on a terminal; return what it shows."""
    shown, terminal = os.openpty()
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    code = f"from gupai_env.core import compiling; compiling.PATIENCE = 0.1\n{STEP}"
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=copy,
        env={**env, "PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(copy / "cache")},
        stdout=subprocess.DEVNULL,
        stderr=terminal,
    )
    os.close(terminal)
    seen = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while some := os.read(shown, 4096):
            seen += some
    os.close(shown)
    assert child.wait() == 0
    return seen.decode()


def test_a_person_at_a_terminal_is_told_what_is_compiled_and_when_it_is_done_but_only_once(copy):
    lines = at_terminal(copy).splitlines()
    begun = lines.index("gupai: compiling encode of Jie Long 接龍 (once on this machine, some seconds) ...")
    assert re.fullmatch(r"gupai: compiled encode of Jie Long 接龍 in \d+ s", lines[begun + 1])
    assert at_terminal(copy) == ""  # it is found on disk


def test_nobody_is_told_where_there_is_no_terminal(copy):
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", f"from gupai_env.core import compiling; compiling.PATIENCE = 0\n{STEP}"],
        cwd=copy,
        env={**env, "PYTHONPATH": str(copy), "NUMBA_CACHE_DIR": str(copy / "cache")},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""


def deal(folder: Path) -> tuple[int, int, list]:
    """Deal with the package in a folder in a process of its own: loops found, loops compiled, and hands."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", DEAL],
        cwd=folder,
        env={**env, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")},
        check=True,
        capture_output=True,
        text=True,
    )
    found, compiled, hands = done.stdout.splitlines()
    return int(found), int(compiled), json.loads(hands)


def test_the_second_process_compiles_nothing_and_an_edited_rule_is_compiled_anew(copy):
    found, compiled, hands = deal(copy)
    assert (found, compiled) == (0, 2)  # begin and show
    assert deal(copy) == (2, 0, hands)

    rules = copy / "gupai_env" / "games" / "connecting" / "rules.py"
    rule = "state.hands[at // hand_size] += ONE[order[at]]"
    before = rules.read_text()
    assert before.count(rule) == 1
    rules.write_text(before.replace(rule, "state.hands[3 - at // hand_size] += ONE[order[at]]"))
    found, compiled, others = deal(copy)
    assert compiled == 2  # all loops of the game
    assert others == [row[::-1] for row in hands]

    rules.write_text(before)
    assert deal(copy) == (2, 0, hands)  # what was compiled first is still there


def test_a_game_that_was_typed_at_a_prompt_is_compiled_and_its_code_kept_nowhere(tmp_path):
    """It has no sources by which an edit could be noticed."""
    source = (ROOT / "examples" / "one_trick" / "one_trick.py").read_text()
    source += "\nfrom gupai_env import Lanes\nlanes = Lanes(GAME, 4, seed=1)\nlanes.play_random(50, 1)\n"
    source += "print(lanes.states.moves.any(), type(lanes.kernels.play._cache).__name__)\n"
    done = subprocess.run(
        [sys.executable, "-"],
        input=source,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'agents'}", "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True NullCache\n", "")
    assert not list(tmp_path.rglob("*__main__*"))


def test_the_sources_of_a_package_in_several_folders_are_all_looked_at(tmp_path, monkeypatch):
    found = []
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part.py").write_text("A = 1\n")
    package = ModuleType("spread")
    package.__path__ = [str(tmp_path / "one"), str(tmp_path / "other")]
    monkeypatch.setitem(sys.modules, "spread", package)
    for text in ("A = 1\n", "A = 2\n"):
        (tmp_path / "other" / "part.py").write_text(text)
        compiling._digest_of.cache_clear()
        found.append(compiling.sources_digest.__wrapped__("spread"))
    assert found[0] != found[1] and all(found)
    compiling._digest_of.cache_clear()


def test_the_name_of_machine_code_changes_with_the_sources_beside_a_loop(tmp_path):
    (tmp_path / "loop.py").write_text("A = 1\n")
    (tmp_path / "rules.py").write_text("B = 1\n")
    file = str(tmp_path / "loop.py")
    before = neighbours_digest.__wrapped__(file)
    assert before == neighbours_digest.__wrapped__(file)
    (tmp_path / "rules.py").write_text("B = 2\n")
    assert before != neighbours_digest.__wrapped__(file)
    loop = search_loops(get_game("jie-long")).search
    assert neighbours_digest(loop.py_func.__code__.co_filename) in loop.py_func.__qualname__
