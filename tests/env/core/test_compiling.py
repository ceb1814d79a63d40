"""Machine code is compiled once for a machine, and never again until a rule that it is made of changes."""

import contextlib
import errno
import importlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numba
import numpy as np
import pytest
from llvmlite import binding
from numba.core import event

from checkout import ROOT
from conftest import compile_loops
from gupai_agents.play.playouts import playouts
from gupai_agents.players.heuristics import heuristic_loops
from gupai_agents.players.search import search_loop
from gupai_env import GAMES
from gupai_env.core import machine_code, sources
from gupai_env.core.compiling import Loop
from gupai_env.core.kernels import kernels
from gupai_env.core.parts import LoopCompiler, register_marks
from gupai_env.core.rule import long_rule, rule


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
        print(loop.dispatcher.py_func.__qualname__.split("-")[1][16:])
"""


def test_checked_mode_refuses_indices_and_keeps_its_machine_code_apart(tmp_path):
    (tmp_path / "checked_loops.py").write_text(CHECKED)
    env = {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    checked = run("import checked_loops", tmp_path, **env, NUMBA_BOUNDSCHECK="1").stdout.splitlines()
    assert checked == ["index is out of bounds", "c"] * 2


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
    monkeypatch.setattr(machine_code.CONFIG, "CACHE_DIR", str(tmp_path / "cache"))
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
        machine_code._warn_once,
    ):
        cached.cache_clear()
    importlib.invalidate_caches()


def use(folder: Path) -> tuple[int, int]:
    """Call the loop with 1 as a new process does; return its answer, and how many times it was compiled."""
    forget()
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        loop = importlib.import_module("small.loop").loop
        return loop(1), sum(loop.dispatcher.stats.cache_misses.values())
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
    "one bit": lambda whole: whole[:-700] + bytes([whole[-700] ^ 1]) + whole[-699:],
}


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_machine_code_is_recompiled_with_one_line(small, capsys, suffix):
    assert use(small) == (2, 1)
    (file,) = (file for file in kept(small) if file.suffix == suffix)
    whole = file.read_bytes()
    for name, damage in DAMAGE.items():
        if suffix == ".nbi" and name in ("one bit", "cut by a byte"):
            continue  # numba's index: it may still be read, and says nothing that is run
        file.write_bytes(damage(whole))
        assert (name, use(small)) == (name, (2, 1))
        assert capsys.readouterr().err == (
            f"gupai: machine code in {small}/cache/gupai is damaged; it is compiled again\n"
        )
        assert (name, use(small)) == (name, (2, 0))
    assert capsys.readouterr().err == ""


def test_missing_file_or_a_folder_in_its_place_stops_nobody(small, capsys):
    use(small)
    index, data = sorted(kept(small), key=lambda file: file.suffix, reverse=True)
    data.unlink()
    assert use(small) == (2, 1)
    assert capsys.readouterr().err == ""
    index.unlink()
    index.mkdir()
    assert use(small) == (2, 1)
    damaged, not_kept = capsys.readouterr().err.splitlines()
    assert "is damaged" in damaged
    assert not_kept == f"gupai: machine code cannot be kept in {small}/cache/gupai: this is a folder; name a file"


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
    assert len(kept(small)) == 4 and not set(old) & set(kept(small))


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
def test_machine_code_is_named_after_sources_of_game_and_loop(game):
    for module, loop in (
        ("gupai_env.core.kernels", kernels(game).step),
        ("gupai_agents.players.search", search_loop(game)),
    ):
        digest = sources.sources_digest(module, game.module_name)
        assert len(digest) == 16
        assert f"-{game.module_name}-{digest}-" in loop.dispatcher.py_func.__qualname__


# As the format ELF has them, in which LLVM writes objects on Linux.
SYMBOL = np.dtype([("name", "u4"), ("kind", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("size", "u8")])
REFERENCE = np.dtype([("offset", "u8"), ("kind", "u4"), ("symbol", "u4"), ("addend", "i8")])
FUNCTION = 2


def runtime_calls(loop: Loop) -> set[tuple[str, str]]:
    """Return what the kept machine code of a loop calls of numba's runtime: by which function, and its name."""
    cache, calls = loop.dispatcher._cache, set()
    (index,) = Path(cache.cache_path).glob(f"{cache._impl.filename_base}.nbi")  # else it was not compiled
    for file in index.parent.glob(f"{index.stem}.*.nbc"):
        whole = file.read_bytes()
        parts = binding.ObjectFileRef.from_data(whole[whole.index(b"\x7fELF") :]).sections()
        sections = {part.name().decode(): part.data() for part in parts if part.name()}
        symbols, texts = np.frombuffer(sections[".symtab"], SYMBOL), sections[".strtab"]
        names = [texts[start : texts.index(0, start)].decode() for start in symbols["name"].tolist()]
        functions = (symbols["kind"] % 16 == FUNCTION) & (symbols["section"] > 0)
        for reference in np.frombuffer(sections.get(".rela.ltext") or sections[".rela.text"], REFERENCE):
            if names[reference["symbol"]].startswith("NRT_"):
                into = reference["offset"] - symbols["value"]  # of functions further on it is below 0, which wraps
                (caller,) = np.flatnonzero(functions & (into < symbols["size"]))
                calls.add((names[caller], names[reference["symbol"]]))
    return calls


@pytest.mark.skipif((sys.platform, platform.machine()) != ("linux", "x86_64"), reason="reads objects as Linux has them")
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_rules_take_nothing_from_the_heap_and_count_no_references(game):
    """Both are slow and need numba's runtime. Only a loop counts: its own arguments, whose counters may be missing."""
    compile_loops(game)
    names = "begin", "show", "step", "play_random", "observe_seat", "views", "view_of", "encode", "determinize"
    players = search_loop(game), heuristic_loops(game).choose, playouts(game).finish, playouts(game).respond
    for loop in (*(getattr(kernels(game), name) for name in names), *players):
        loop_itself = re.compile(rf"NRT_|_ZN7cpython|_ZN.*clocals_3e\d+{loop.function.__name__}")
        calls = runtime_calls(loop)
        assert {call for call in calls if not loop_itself.match(call[0])} == set()
        assert {call for call in calls if "alloc" in call[1].lower()} == set()


DEAL = """
import json

import numpy as np

from gupai_env.deals import laying_out
from gupai_env import get_game

game = get_game("jie-long")
deal, states = laying_out(game), game.new_states(1)
deal(game.variant().as_rules(), states, np.arange(32, dtype=np.int8)[None] // 2)
print(sum(deal.dispatcher.stats.cache_misses.values()))
print(json.dumps(states.hands.tolist()))
"""


def test_edited_rule_is_recompiled(tmp_path):
    shutil.copytree(ROOT / "gupai_env", tmp_path / "gupai_env")

    def deal() -> tuple[int, list]:
        compiled, hands = run(DEAL, tmp_path, NUMBA_CACHE_DIR=str(tmp_path)).stdout.splitlines()
        return int(compiled), json.loads(hands)

    compiled, hands = deal()
    assert compiled == 1
    rules = tmp_path / "gupai_env" / "games" / "connecting" / "rules.py"
    rule = "state.hands[index // hand_size] += ONE[order[index]]"
    before = rules.read_text()
    assert before.count(rule) == 1
    rules.write_text(before.replace(rule, "state.hands[3 - index // hand_size] += ONE[order[index]]"))
    assert deal() == (1, [row[::-1] for row in hands])


def test_game_typed_at_a_prompt_is_compiled_and_not_saved(tmp_path):
    """It has no sources by which an edit could be noticed."""
    source = (ROOT / "examples" / "one_trick" / "one_trick.py").read_text()
    source += """
import numpy as np
from gupai_env.deals import laying_out

deal, states = laying_out(GAME), GAME.new_states(1)
deal(GAME.variant().as_rules(), states, np.arange(32, dtype=np.int8)[None] // 2)
print(states.hands.any(), type(deal.dispatcher._cache).__name__)
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
    assert (done.stdout, done.stderr) == ("True NullCache\n", "")
    assert not list(tmp_path.rglob("*__main__*"))


# --- where it is kept -----------------------------------------------------------------------------

TAKE = """
import numba
import numpy as np

from gupai_env.core import compiling, kernels, machine_code

compiling.PLAIN_SECONDS = machine_code.PATIENCE = 0
kernels.pick(np.ones((1, 2), np.bool_), 1, np.zeros(1, np.int64))
pick = kernels.pick.dispatcher
print(type(pick._cache).__name__, pick._cache.cache_path, sum(pick.stats.cache_misses.values()))
print(repr(numba.config.CACHE_DIR))
"""


def take(temporary: Path) -> tuple[list[str], str, list[str]]:
    """Use a loop of a user whose home cannot be written to, not even by a superuser, away from a terminal.

    Returns: the kind of cache, its folder and how many loops were compiled, the folder that numba has for others, and
        what is said.
    """
    done = run(TAKE, ROOT, HOME="/dev/null/nobody", TMPDIR=str(temporary))
    kind, others = done.stdout.splitlines()
    return kind.split(), others, done.stderr.splitlines()


def test_machine_code_without_a_home_is_in_a_private_folder(tmp_path):
    folder = tmp_path / f"gupai-{os.getuid()}"
    for compiled in ("1", "0"):
        found, others, printed = take(tmp_path)
        assert found == ["_Kept", str(folder), compiled]
        assert others == "''"  # that of others is left alone
        assert printed == [  # nothing of compiling, for nobody waits at a terminal
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
    lines = at_terminal(tmp_path).splitlines()
    begun = lines.index("gupai: compiling pick (once on this machine, some seconds) ...")
    assert re.fullmatch(r"gupai: compiled pick in \d+ s", lines[begun + 1])
    assert at_terminal(tmp_path) == ""  # it is found on disk


def at_terminal(folder: Path) -> str:
    """Use a loop with standard error on a terminal; return what it shows."""
    shown, terminal = os.openpty()
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    child = subprocess.Popen(
        [sys.executable, "-c", TAKE],
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


def test_rule_is_compiled_once_whatever_calls_it():
    loop = numba.njit(lambda number: _part(number) + _whole(number), nogil=True, pipeline_class=LoopCompiler)
    seen = Compiled()
    with event.install_listener("numba:compile", seen):
        assert loop(3) == 20
    assert sorted(seen.names) == sorted(["<lambda>", "_part", "_whole", "_long_part"])


def test_loop_calls_a_long_rule_and_inlines_a_rule():
    loop = numba.njit(lambda number: _part(number) + _long_part(number), pipeline_class=LoopCompiler)
    assert loop(3) == 8
    (code,) = loop.inspect_llvm().values()
    calls = "".join(line for line in code.splitlines() if " call " in line)
    assert "10_long_partB" in calls  # names in LLVM begin with their lengths
    assert "5_partB" not in calls


# --- what numba may lack ----------------------------------------------------------------------------

LACKING = """
import sys
import numba.core.codegen
import numba.core.caching
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


@pytest.mark.parametrize("name", ["codegen.JITCodeLibrary", "caching._CacheLocator"])
def test_numba_that_lacks_something_gives_a_message_and_same_results(name, tmp_path):
    done = run(LACKING.replace("HIDDEN", f"numba.core.{name}"), ROOT, NUMBA_CACHE_DIR=str(tmp_path))
    assert done.stdout == "[0, 32, 58, 87, 108]\n"
    (line,) = done.stderr.splitlines()
    assert line.startswith("gupai: everything runs as plain Python, slowly: ")
    assert f"'{name.rpartition('.')[2]}'" in line
    assert line.endswith("; tested are numba 0.63 to 0.68")
