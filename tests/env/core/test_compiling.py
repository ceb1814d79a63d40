"""Machine code is compiled once for a machine, and never again until a rule that it is made of changes."""

import ast
import contextlib
import ctypes
import errno
import gc
import importlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba.core import event

from checkout import ROOT
from conftest import compile_loops
from gupai_agents.play.playouts import playouts
from gupai_agents.players.heuristics import heuristic_loops
from gupai_agents.players.search import search_loop
from gupai_env import GAMES
from gupai_env.core import compiling, emitting, machine_code, sources
from gupai_env.core.compiling import compiled
from gupai_env.core.kernels import kernels
from gupai_env.core.parts import register_marks
from gupai_env.core.rule import long_rule, rule
from gupai_env.storage.files import locked


def run(code: str, folder: Path, **env: str) -> subprocess.CompletedProcess:
    """Run code in a process of its own that finds its packages in a folder and has no settings of numba's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NUMBA_", "XDG_"))}
    return subprocess.run(
        [sys.executable, "-B", "-c", code],
        cwd=folder,
        env={**kept, "PYTHONPATH": str(folder), **env},
        check=True,
        capture_output=True,
        text=True,
    )


CHECKED = """
import numpy as np
from gupai_env.core.byte_rows import store_word
from gupai_env.core.compiling import at_once, compiled

def _read(row, index):
    return row[index]

def _write(row, index):
    store_word(row, index, 1)

row = np.zeros(8, np.int8)
with at_once():
    for loop, last in ((compiled(_read), 7), (compiled(_write), 0)):
        loop(row, last)
        try:
            loop(row, last + 1)
            print("taken")
        except IndexError as error:
            print(error)
"""


def test_checked_mode_refuses_indices_and_keeps_its_machine_code_apart(tmp_path):
    (tmp_path / "checked_loops.py").write_text(CHECKED)
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    checked = run("import checked_loops", tmp_path, **env, NUMBA_BOUNDSCHECK="1").stdout.splitlines()
    assert checked == ["index is out of bounds"] * 2
    others = run("import checked_loops", tmp_path, **env, NUMBA_BOUNDSCHECK="0")
    assert others.stdout.splitlines() == ["taken"] * 2


# --- a small loop in a package of its own, compiled in this process ---------------------------------

LOOP = """
from small.parts.rule import add
from gupai_env.core.compiling import compiled

def _loop(number):
    return add(number)

loop = compiled(_loop)
"""


@pytest.fixture
def small(tmp_path, monkeypatch) -> Iterator[Path]:
    """The sources of a loop: `small/loop.py` and what it imports."""
    (tmp_path / "small" / "parts").mkdir(parents=True)
    (tmp_path / "small" / "loop.py").write_text(LOOP)
    write_rule(tmp_path, 1)
    (tmp_path / "small" / "other.py").write_text("")
    compiling.calling()  # it is kept elsewhere
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    yield tmp_path
    forget()


def write_rule(folder: Path, more: int) -> None:
    """Write what the loop calls, which adds so many."""
    (folder / "small" / "parts" / "rule.py").write_text(
        f"from gupai_env.core.rule import rule\n\n@rule\ndef add(number):\n    return number + {more}\n"
    )


def forget() -> None:
    """Forget, as a new process has, the small package and what is known of sources and folders."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "small"]:
        del sys.modules[name]
    for cached in (
        sources._module,
        sources.sources_digest,
        machine_code._folder,
        machine_code._sweep,
        compiling.tell_once,
    ):
        cached.cache_clear()
    importlib.invalidate_caches()


def use(folder: Path) -> tuple[int, int]:
    """Call the loop with 1 as a new process does; return its answer, and how many times it was compiled."""
    forget()
    made, emit = [], emitting.emit
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(emitting, "emit", lambda *what: made.append(what) or emit(*what))
            return importlib.import_module("small.loop").loop(1), len(made)
    finally:
        sys.dont_write_bytecode = before
        sys.path.remove(str(folder))


def kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "gupai").iterdir())


def test_loop_is_recompiled_only_after_an_edit_of_its_imports(small):
    assert use(small) == (2, 1)
    assert use(small) == (2, 0)
    (small / "small" / "other.py").write_text("EDITED = True\n")
    assert use(small) == (2, 0)
    write_rule(small, 2)
    assert use(small) == (3, 1)
    write_rule(small, 1)
    assert use(small) == (2, 0)  # what was compiled first is still there


def test_machine_code_does_not_depend_on_place_or_time_of_sources(small):
    assert use(small) == (2, 1)
    shutil.copytree(small / "small", small / "elsewhere" / "small")
    for file in (small / "elsewhere").rglob("*.py"):
        os.utime(file, (0, 0))
    shutil.rmtree(small / "small")
    assert use(small / "elsewhere") == (2, 0)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "emptied": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "cut by a byte": lambda whole: whole[:-1],
    "another": lambda whole: b"\x80\x04garbage" * 40,
    "zeros": lambda whole: bytes(len(whole)),
    "its second half zeros": lambda whole: whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2),
    "one bit": lambda whole: whole[:-200] + bytes([whole[-200] ^ 1]) + whole[-199:],
}


def test_damaged_machine_code_is_recompiled_with_one_line(small, capsys):
    assert use(small) == (2, 1)
    (file,) = kept(small)
    whole = file.read_bytes()
    for name, damage in DAMAGE.items():
        file.write_bytes(damage(whole))
        assert (name, use(small)) == (name, (2, 1))
        assert capsys.readouterr().err == (
            f"gupai: machine code in {small}/cache/gupai is damaged; it is compiled again\n"
        )
        assert (name, use(small)) == (name, (2, 0))
    assert capsys.readouterr().err == ""


def test_second_process_waits_for_the_first_that_makes_the_same(tmp_path, monkeypatch):
    """Threads with locks of their own stand for processes."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    made, begun, may_end = [], threading.Event(), threading.Event()

    def make() -> bytes:
        made.append(b"made")
        begun.set()
        assert may_end.wait(30)
        return b"made"

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(machine_code.content_of, "one.o", make)
        assert begun.wait(30)
        second = pool.submit(machine_code.content_of, "one.o", make)
        assert machine_code.content_of("other.o", lambda: b"other") == b"other"  # which need not wait
        with pytest.raises(TimeoutError):
            second.result(0.5)
        may_end.set()
        assert first.result(30) == second.result(30) == b"made"
    assert made == [b"made"]
    assert sorted(file.name for file in (tmp_path / "gupai").iterdir()) == ["one.o", "other.o"]


@pytest.mark.parametrize("obstacle", ["no locks", "held for too long"])
def test_machine_code_is_made_where_no_lock_can_be_had(obstacle, tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(machine_code, "PATIENCE", 0.1)
    (tmp_path / "gupai").mkdir()
    lock = tmp_path / "gupai" / "one.o.lock"
    if obstacle == "no locks":
        lock.mkdir()
    with locked(lock.parent, "compiling", name=lock.name) if obstacle != "no locks" else contextlib.nullcontext():
        assert machine_code.content_of("one.o", lambda: b"made") == b"made"
    assert machine_code.content_of("one.o", lambda: b"again") == b"made"


def test_missing_file_or_a_folder_in_its_place_stops_nobody(small, capsys):
    use(small)
    (file,) = kept(small)
    file.unlink()
    assert use(small) == (2, 1)
    assert capsys.readouterr().err == ""
    file.unlink()
    file.mkdir()
    assert use(small) == (2, 1)
    assert capsys.readouterr().err == (
        f"gupai: machine code cannot be kept in {small}/cache/gupai: {file}: this is a folder; name a file\n"
    )


def test_full_disk_is_reported_in_one_line_and_leaves_nothing(small, capsys, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        assert use(small) == (2, 1)
    assert capsys.readouterr().err == (f"gupai: machine code cannot be kept in {small}/cache/gupai: the disk is full\n")
    assert kept(small) == []
    assert use(small) == (2, 1)
    assert use(small) == (2, 0)


def test_unused_machine_code_is_removed_when_other_is_saved(small):
    use(small)
    old = kept(small)
    for file in old:
        os.utime(file, (0, time.time() - machine_code.UNUSED - 60))
    use(small)  # which is a use
    write_rule(small, 2)
    use(small)
    assert set(old) < set(kept(small))
    for file in old:
        os.utime(file, (0, time.time() - machine_code.UNUSED - 60))
    write_rule(small, 3)
    use(small)
    assert len(kept(small)) == 2 and not set(old) & set(kept(small))


def test_namespace_packages_and_modules_of_scripts_are_hashed(tmp_path, monkeypatch):
    texts = {
        "one/spread/rules.py": "from .shared import (\n    A,\n)\n",
        "other/spread/shared.py": "A = 1\n",
        "one/game.py": '"""Text.\n\nimport told\n"""\ntry:\n    import os, \\\n        beside as other\n'
        "finally:\n    pass\n",
        "one/beside.py": "",
        "one/told.py": "",
        "one/spread/unused.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for folder in ("one", "other"):
        monkeypatch.syspath_prepend(tmp_path / folder)

    def digests() -> list[str]:
        forget()
        return [sources.sources_digest("spread.rules"), sources.sources_digest("game")]

    for name in ("spread.rules", "game"):
        importlib.import_module(name)
    try:
        first = digests()
        assert all(first)
        for name, changed in {
            "one/spread/rules.py": [True, False],
            "other/spread/shared.py": [True, False],
            "one/game.py": [False, True],
            "one/beside.py": [False, True],
            "one/told.py": [False, False],  # in a text, no import
            "one/spread/unused.py": [False, False],
        }.items():
            (tmp_path / name).write_text(texts[name] + "EDITED = True\n")
            assert (name, [a != b for a, b in zip(digests(), first, strict=True)]) == (name, changed)
            (tmp_path / name).write_text(texts[name])
        (tmp_path / "one/game.py").write_text("import (")  # being edited
        assert digests()[1] not in ("", first[1])
    finally:
        for name in ("spread.rules", "spread.shared", "spread", "game", "beside"):
            del sys.modules[name]
        forget()


# --- the games ------------------------------------------------------------------------------------

ENGINE = set(GAMES)
CONNECTING, FISHING, SPLITTING = {"jie-long", "ce-deng", "ding-niu"}, {"tiu-u", "shi-wu-hu"}, {"da-ling", "pai-gow"}
USED_BY = {  # module -> games whose machine code is made of it
    "gupai_env.core.byte_rows": ENGINE,
    "gupai_env.core.kernels": ENGINE,
    "gupai_env.core.episode": ENGINE,
    "gupai_agents.players.heuristics": ENGINE,
    "gupai_agents.players.search": ENGINE,
    "gupai_env.games.da_ling.rules": {"da-ling"},
    "gupai_env.games.jie_long.rules": {"jie-long"},
    "gupai_env.games.small_mahjong.triplets": {"small-mahjong"},
    "gupai_env.games.tiu_u": {"tiu-u"},
    "gupai_env.games.tien_gow.combinations": {"tien-gow"},
    "gupai_env.games.deer_hunt": {"deer-hunt"},
    "gupai_env.games.shi_wu_hu.rules": {"shi-wu-hu"},
    "gupai_env.games.fishing.rules": FISHING,
    "gupai_env.games.splitting.rules": SPLITTING,
    "gupai_env.games.fishing.knowledge": FISHING,
    "gupai_env.games.pai_gow.groups": {"pai-gow"},
    "gupai_env.games.connecting.rules": CONNECTING,
    "gupai_env.games.connecting.knowledge": CONNECTING,
    "gupai_env.games": set(),
    "gupai_env.vector": set(),
    "gupai_agents.registry": set(),
    "gupai_agents.gymnasium_envs": set(),
}


def test_edit_counts_only_for_games_that_import_it(monkeypatch):
    def digests() -> dict[str, str]:
        sources.sources_digest.cache_clear()
        return {
            game.id: sources.sources_digest("gupai_agents.players.search", game.module_name) for game in GAMES.values()
        }

    before, read = digests(), sources._module
    for edited, games in USED_BY.items():
        monkeypatch.setattr(
            sources,
            "_module",
            lambda name, edited=edited: (read(name)[0] + b"#", read(name)[1]) if name == edited else read(name),
        )
        after = digests()
        assert (edited, {game for game in GAMES if after[game] != before[game]}) == (edited, games)
    monkeypatch.undo()
    assert digests() == before


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_machine_code_is_named_after_sources_of_game_and_loop(game, monkeypatch):
    named = []
    monkeypatch.setattr(machine_code, "content_of", lambda name, make: named.append(name) or b"made")
    for module, loop in (
        ("gupai_env.core.kernels", kernels(game).step),
        ("gupai_agents.players.search", search_loop(game)),
    ):
        digest = sources.sources_digest(module, game.module_name)
        assert len(digest) == 16
        machine_code.emitted(loop, (1,), machine_code.HERE)
        machine_code.emitted(loop, (1.0,), machine_code.HERE)
        first, second = named[-2:]
        assert first != second
        assert first.startswith(f"{loop.function.__name__}-{game.module_name}-{digest}-")


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_rules_take_nothing_from_the_heap_and_count_no_references(game):
    """Both are slow and need numba's runtime, which is then loaded with them."""
    compile_loops(game)
    names = "begin", "show", "step", "play_random", "observe_seat", "views", "encode", "determinize"
    players = search_loop(game), heuristic_loops(game).choose, playouts(game).finish, playouts(game).respond
    folder = Path(machine_code._folder(os.environ.get("NUMBA_CACHE_DIR", "")))
    for loop in (*(getattr(kernels(game), name) for name in names), *players):
        digest = sources.sources_digest(loop.name.module, game.module_name)
        files = [*folder.glob(f"{loop.name.function}-{game.module_name}-{digest}-*")]
        assert files  # else it was not compiled
        assert not [file for file in files if any(name in file.read_bytes() for name in machine_code.RUNTIME)]


DEAL = """
import json
import sys

import numpy as np

from gupai_env.deals import laying_out
from gupai_env import get_game

game = get_game("jie-long")
deal, states = laying_out(game), game.new_states(1)
deal(game.variant().as_rules(), states, np.arange(32, dtype=np.int8)[None] // 2)
print("numba" in sys.modules)  # it compiles
print(json.dumps(states.hands.tolist()))
"""


def test_edited_rule_is_recompiled(tmp_path):
    shutil.copytree(ROOT / "gupai_env", tmp_path / "gupai_env")

    def deal() -> tuple[str, list]:
        compiled, hands = run(DEAL, tmp_path, NUMBA_CACHE_DIR=str(tmp_path)).stdout.splitlines()
        return compiled, json.loads(hands)

    compiled, hands = deal()
    assert compiled == "True"
    assert deal() == ("False", hands)
    rules = tmp_path / "gupai_env" / "games" / "connecting" / "rules.py"
    rule = "state.hands[index // hand_size] += ONE[order[index]]"
    before = rules.read_text()
    assert before.count(rule) == 1
    rules.write_text(before.replace(rule, "state.hands[3 - index // hand_size] += ONE[order[index]]"))
    assert deal() == ("True", [row[::-1] for row in hands])


def test_game_typed_at_a_prompt_is_compiled_and_not_saved(tmp_path):
    """It has no sources by which an edit could be noticed."""
    source = (ROOT / "examples" / "one_trick" / "one_trick.py").read_text()
    source += """
import numpy as np
from gupai_env.deals import laying_out

deal, states = laying_out(GAME), GAME.new_states(1)
deal(GAME.variant().as_rules(), states, np.arange(32, dtype=np.int8)[None] // 2)
print(states.hands.any(), bool(deal.entries))
"""
    done = subprocess.run(
        [sys.executable, "-"],
        input=source,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'agents'}", "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True True\n", "")
    assert not list(tmp_path.rglob("lay_out*"))


SCRIPT = """
import sys
from gupai_env.core.compiling import compiled

MORE = int(sys.argv[1])
print(compiled(lambda number: number + MORE)(1))
"""


def test_script_is_compiled_anew_as_its_constants_may_be_its_arguments(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]), "NUMBA_CACHE_DIR": str(tmp_path)}
    for more in (1, 2):
        done = subprocess.run([sys.executable, script, str(more)], env=env, check=True, capture_output=True, text=True)
        assert done.stdout == f"{1 + more}\n"


class _OwnError(Exception):
    pass


def _limited():
    @rule
    def few(number):
        if number > 8:
            raise _OwnError('C:\\new "九"')
        if number > 3:
            raise ValueError("too many", 3)
        return number

    return few


_few, _few_again = _limited(), _limited()


def _fails(number):
    return 6 // _few(number)


def _never_fails(number):
    return number + _few_again(2)


def _takes_memory(number):
    return np.sort(np.arange(number)[::-1]).sum()


def _prints(number):
    print(number)
    return number


def _times(factor):
    return compiled(lambda number: number * factor)


@pytest.mark.parametrize("from_disk", [False, True])
def test_what_a_loop_raises_is_raised(from_disk, small):
    compiled(_fails)(2) if from_disk else None
    loop = compiled(_fails)
    assert loop(2) == 3
    for wrong, error, text in (
        (0, ZeroDivisionError, "integer division by zero"),
        (4, ValueError, "('too many', 3)"),
        (9, RuntimeError, '_OwnError: C:\\new "九"'),
    ):
        with pytest.raises(error) as raised:
            loop(wrong)
        assert str(raised.value) == text


def test_errors_are_kept_as_text_which_runs_nothing(small):
    with pytest.raises(ValueError, match="too many"):
        compiled(_fails)(4)
    (content,) = (file.read_bytes() for file in kept(small))
    assert b"ValueError\n('too many', 3)\0" in content
    assert b"builtins" not in content and Path(__file__).name.encode() not in content  # of pickles
    # LLVM numbers the second constant of a name, and drops the first, which is never used.
    two = {name: emitting.Call(compiled(loop), (2,)) for name, loop in (("one", _never_fails), ("other", _fails))}
    content = emitting.emit(two, machine_code.HERE)
    assert b"ValueError\n" in content and b"builtins" not in content
    text = ctypes.create_string_buffer(b"exec\nraise SystemExit")
    with pytest.raises(RuntimeError, match="exec: raise SystemExit"):
        compiling._fail(1, ctypes.addressof(text))


@pytest.mark.parametrize("compiles", [True, False])
def test_heap_is_there_whoever_compiled_the_loop(compiles, tmp_path):
    env = {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    code = "import compiled_at_once, test_compiling as t; print(t.compiled(t._takes_memory)(5))"
    for _ in range(1 if compiles else 2):
        assert run(code, tmp_path, **env, NUMBA_CACHE_DIR=str(tmp_path)).stdout == "10\n"


def test_loop_that_prints_runs_as_plain_python_and_says_so(capfd):
    loop = compiled(_prints)
    assert (loop(2), loop(3)) == (2, 3)
    said = capfd.readouterr()
    assert said.out == "2\n3\n"
    why = "it needs objects of Python, as `print` does"
    assert said.err == f"gupai: _prints runs as plain Python, slowly: {why}\n"


def test_arrays_in_order_take_what_is_compiled_for_any_strides():
    loop = compiled(lambda numbers: numbers[2])
    assert [loop(numbers) for numbers in (np.arange(6)[::2], np.arange(6))] == [4, 2]
    assert len(loop.entries) == 2 and len({*loop.entries.values()}) == 1


def test_loops_of_one_name_are_told_apart_by_what_they_have_captured():
    assert [_times(factor)(5) for factor in (2, 3)] == [10, 15]


# --- where it is kept -----------------------------------------------------------------------------

TAKE = """
import os
import sys

import numpy as np

from gupai_env.core import compiling, kernels, machine_code

compiling.PLAIN_SECONDS = 0
kernels.pick(np.ones((1, 2), np.bool_), 1, np.zeros(1, np.int64))
print(machine_code._folder(os.environ.get("NUMBA_CACHE_DIR", "")), "numba" in sys.modules)
"""


def test_machine_code_without_a_home_is_in_a_private_folder(tmp_path):
    """The home cannot be written to, not even by a superuser; standard error is no terminal."""
    folder = tmp_path / f"gupai-{os.getuid()}"
    for compiles in ("True", "False"):
        done = run(TAKE, ROOT, HOME="/dev/null/nobody", TMPDIR=str(tmp_path))
        assert done.stdout.split() == [str(folder), compiles]
        assert done.stderr.splitlines() == [  # nothing of compiling, for nobody waits at a terminal
            "gupai: the home's folder for caches cannot be written to: machine code is kept in "
            f"{folder} (NUMBA_CACHE_DIR names another place)"
        ]
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("obstacle", ["open to others", "a link", "a file"])
@pytest.mark.parametrize("place", ["the home", "temporary"])
def test_machine_code_is_never_read_from_a_folder_others_may_write(tmp_path, monkeypatch, capsys, place, obstacle):
    for name in ("XDG_CACHE_HOME", "TMPDIR"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setattr(machine_code.tempfile, "tempdir", str(tmp_path / "TMPDIR"))
    home, temporary = tmp_path / "XDG_CACHE_HOME" / "gupai", tmp_path / "TMPDIR" / f"gupai-{os.getuid()}"
    folder, elsewhere = home if place == "the home" else temporary, tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if obstacle == "open to others":
        folder.mkdir()
        folder.chmod(0o777)
    elif obstacle == "a link":
        folder.symlink_to(elsewhere)
    else:
        folder.touch()
    if place == "temporary":
        home.touch()
    found = machine_code._folder.__wrapped__("")
    assert found == (str(temporary) if place == "the home" else "")
    (printed,) = capsys.readouterr().err.splitlines()
    assert ("kept by nobody, so that every process compiles again" in printed) == (found == "")
    assert list(elsewhere.iterdir()) == []


# --- what a person is told ------------------------------------------------------------------------


def test_terminal_shows_once_what_is_compiled(tmp_path):
    said = "gupai: compiling Jie Long 接龍 (once on this machine, some seconds for each thing it does) ...\n"
    assert at_terminal(tmp_path).replace("\r", "") == said
    assert at_terminal(tmp_path) == ""  # it is found on disk


def at_terminal(folder: Path) -> str:
    """Use a loop with standard error on a terminal; return what it shows."""
    shown, terminal = os.openpty()
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    child = subprocess.Popen(
        [sys.executable, "-c", DEAL],
        cwd=ROOT,
        env={**env, "NUMBA_CACHE_DIR": str(folder)},
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


@rule
def _part(number):
    return number + 1


@long_rule
def _long_part(number):
    return _part(number)


@rule
def _whole(number):
    return _part(number) * _long_part(number)


register_marks()


class Compiled(event.Listener):
    """Notes what numba compiles."""

    def __init__(self):
        self.names = []

    def on_start(self, begun):
        self.names.append(begun.data["dispatcher"].py_func.__name__)

    def on_end(self, ended):
        pass


def test_rule_is_compiled_once_whatever_calls_it(tmp_path, monkeypatch):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))  # where no run before this one has kept it
    seen = Compiled()
    loop = compiled(lambda number: _part(number) + _whole(number))
    with event.install_listener("numba:compile", seen):
        assert loop(3) == 20
    assert sorted(seen.names) == sorted(["<lambda>", "_part", "_whole", "_long_part"])


def test_loop_calls_a_long_rule_and_inlines_a_rule():
    call = emitting.Call(compiled(lambda number: _part(number) + _long_part(number)), (3,))
    code = emitting.emit({"entry": call}, machine_code.HERE)
    assert b"10_long_partB" in code  # names in LLVM begin with their lengths
    assert b"5_partB" not in code
    assert gc.isenabled()  # again


def test_threads_make_one_tree_at_a_time(monkeypatch):
    """CPython 3.11 raises a SystemError otherwise, now and then."""
    inside, together, parse = [], [], ast.parse

    def slowly(source):
        inside.append(source)
        together.append(len(inside))
        time.sleep(0.02)
        inside.pop()
        return parse(source)

    with monkeypatch.context() as patch, ThreadPoolExecutor(4) as threads:
        patch.setattr(ast, "parse", slowly)
        found = list(threads.map(lambda number: sources._imports(b"import numpy", ["here"]), range(4)))
    assert together == [1] * 4 and found == [frozenset({"numpy"})] * 4


# --- what numba may lack ----------------------------------------------------------------------------

LACKING = """
import sys
import numba.core.codegen
import numba.core.runtime.nrtdynmod
del HIDDEN

import numpy as np
from gupai_env.core.bits import ones
from gupai_env.core.compiling import bind, compiled
from gupai_env.core.memory import blank
from gupai_env.core.rule import long_rule, rule

@rule
def double(number):
    row = blank(4, np.int64)
    row[1] += number
    return 2 * row[1]

@long_rule
def triple(number):
    return 3 * number

def loop(numbers):
    for index in range(len(numbers)):
        numbers[index] = double(numbers[index]) + triple(numbers[index]) + ones(numbers[index])

numbers = np.arange(5)
compiled(loop)(numbers)
bind(compiled(loop), numbers)()
print(numbers.tolist())
"""


@pytest.mark.parametrize("name", ["codegen.JITCodeLibrary", "runtime.nrtdynmod.create_nrt_module"])
def test_numba_that_lacks_something_gives_a_message_and_same_results(name, tmp_path):
    done = run(LACKING.replace("HIDDEN", f"numba.core.{name}"), ROOT, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "[0, 32, 58, 87, 108]\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("gupai: everything runs as plain Python, slowly: ")
    assert f"'{name.rpartition('.')[2]}'" in line
    assert line.endswith("; tested are numba 0.63 to 0.68")
