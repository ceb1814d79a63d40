"""Machine code that ships: it plays as numba's does, without numba, and only as long as it is of the same sources."""

import ctypes
import functools
import hashlib
import json
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest

from benchmarks.same_bytes import lanes
from checkout import ROOT, tool
from gupai_env.core import compiling
from gupai_env.core import machine_code as kept_code
from gupai_env.core.compiling import compiled
from gupai_env.core.shipped import CALLING_SUFFIX, LEVELS, LIBRARY_SUFFIX, SOURCES, SWITCH, Name, Shipped, kind_of
from gupai_env.vector import VectorEnv

pytest.importorskip("ziglang", reason="links what is emitted")
from gupai_env.core.emitting import Call, emit
from gupai_env.core.target import Target

machine_code = tool("machine_code")
HERE = machine_code.SYSTEMS.get(machine_code.HERE)
pytestmark = pytest.mark.skipif(HERE is None, reason="machine code is made for no such system")
KERNELS = "gupai_env.core.kernels"
GAME = "gupai_env.games.jie_long"
PLAY = """
import sys
sys.modules["numba"] = None  # importing it fails
from pathlib import Path
from gupai_env.core import shipped
shipped.FOLDER = Path(sys.argv[1])
from benchmarks.same_bytes import lanes
"""
# As if numba were not installed.
WITHOUT = """
import importlib.util
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "numba" else find_spec(name, package)
"""


@pytest.fixture(scope="module", autouse=True)
def switched_on():
    """Let what ships be used, which all other tests leave alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(SWITCH, raising=False)
        yield


@pytest.fixture(scope="module")
def code(tmp_path_factory) -> Path:
    """A folder with the machine code of the loops over lanes of Jie Long, for this system."""
    out = tmp_path_factory.mktemp("machine_code") / "code"
    made = ["--games", "jie-long", "--modules", KERNELS, "--out", str(out)]  # for the level of this processor
    subprocess.run([sys.executable, "tools/machine_code.py", *made], cwd=ROOT, check=True, timeout=280)
    return out


def test_plays_the_same_without_numba(code):
    script = f"{PLAY}print(lanes('jie-long'))"
    run = subprocess.run([sys.executable, "-c", script, str(code)], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == lanes("jie-long"), run.stderr
    assert not run.stderr  # nothing ran as plain Python


def test_without_numba_what_does_not_ship_runs_as_plain_python_and_says_so_once(tmp_path):
    script = f"{WITHOUT}{PLAY}print(lanes('jie-long', 2))"
    run = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, cwd=ROOT)
    assert run.stdout.strip() == lanes("jie-long", 2), run.stderr
    once = " runs as plain Python, slowly; pip install 'gupai[compile]' makes machine code of it"
    assert sorted(run.stderr.splitlines()) == [f"gupai: {user}{once}" for user in (KERNELS, GAME)]


def test_runs_only_with_the_sources_that_it_was_made_from(code, tmp_path):
    step = Name(KERNELS, "step", GAME)
    assert Shipped(code).has(step)
    folder = tmp_path / "code"
    shutil.copytree(code, folder)
    record = json.loads((folder / SOURCES).read_text(encoding="utf-8"))
    record["digests"][f"{GAME}.rules"] = "edited"
    (folder / SOURCES).write_text(json.dumps(record), encoding="utf-8")
    edited = Shipped(folder)
    assert not edited.has(step) and edited.has(Name(KERNELS, "_pick", ""))  # which plays no rules of Jie Long
    assert not edited.entry(step, (kind_of(np.zeros(1)),))


def test_is_made_of_every_source_of_its_loops(code):
    needs = json.loads((code / SOURCES).read_text(encoding="utf-8"))["needs"]
    assert {KERNELS, GAME, f"{GAME}.rules", "gupai_env.core.emitting"} <= set(needs[f"{KERNELS} {GAME}"])
    assert f"{GAME}.rules" not in needs[KERNELS]


@pytest.mark.parametrize("name", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK", SWITCH])
def test_does_not_run_where_other_code_is_asked_for(code, monkeypatch, name):
    monkeypatch.setenv(name, "numba" if name == SWITCH else "1")
    assert not Shipped(code).calling


@pytest.mark.skipif(machine_code.HERE not in machine_code.SYSTEMS or len(HERE.levels) == 1, reason="one level")
def test_level_may_be_lowered_and_not_raised(code, monkeypatch):
    own = Shipped(code).level
    monkeypatch.setenv(SWITCH, HERE.levels[0])
    assert Shipped(code).level == LEVELS.index(HERE.levels[0]) <= own
    monkeypatch.setenv(SWITCH, LEVELS[-1])
    assert Shipped(code).level == own


def test_nothing_ships_in_a_folder_without_code(tmp_path):
    nothing = Shipped(tmp_path)
    assert not nothing.calling and not nothing.entry(Name("m", "f", ""), ())


# --- calls --------------------------------------------------------------------


def _mix(numbers, whole, real, flag, table, filled):
    filled[0] = numbers[0] + 2 * numbers[1][0] + whole + (1 if flag else 0)
    total = real
    for row in range(table.shape[0]):
        for column in range(table.shape[1]):
            total += table[row, column] * (column + 1)
    return total


def _nothing(filled):
    filled[0] = 7


def _is_more(left, right):
    return left > right


def _divide(number):
    return 6 // number


def _allocates(rows):
    return np.zeros(rows)[0]


TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)
MIXED = ((1, (2, 0.5)), 3, 0.25, True, TABLE, np.zeros(1, np.int64))
ANYHOW = (*MIXED[:4], TABLE.T, MIXED[5])


def symbol_of(call):
    return call.loop.name.symbol(tuple(map(kind_of, call.arguments)))


class Library(NamedTuple):
    """The small loops of this module, shipped, and an extension that calls them."""

    shipped: Shipped
    calling: ModuleType

    def loop(self, function):
        """Return what is called as a loop."""

        def resolve(*arguments):
            kinds = tuple(map(kind_of, arguments))
            return self.shipped.entry(compiled(function).name, kinds), kinds

        return self.calling.loop({}, resolve, refuse)

    def bound(self, function, first, later):
        """Return a loop with its first arguments."""
        address = self.shipped.entry(compiled(function).name, tuple(map(kind_of, first + later)))
        return self.calling.bound(address, first, later, refuse, False)


@pytest.fixture(scope="module", params=["shipped", "of LLVM's code"])
def library(request, code, tmp_path_factory):
    folder = tmp_path_factory.mktemp("loops")
    shutil.copy(code / f"calling{CALLING_SUFFIX}", folder)
    examples = [
        (_mix, MIXED),
        (_mix, ANYHOW),
        (_nothing, (np.zeros(1, np.int64),)),
        (_is_more, (1, 2)),
        (_divide, (1,)),
    ]
    path = folder / "loops.o"
    calls = [Call(compiled(function), arguments) for function, arguments in examples]
    path.write_bytes(emit({symbol_of(call): call for call in calls}, Target(HERE.triple, HERE.levels[0])))
    machine_code.link(HERE, folder / HERE.levels[0] / f"shared{LIBRARY_SUFFIX}", path)
    digests = {__name__: hashlib.sha256(Path(__file__).read_bytes()).hexdigest()}
    (folder / SOURCES).write_text(json.dumps({"digests": digests, "needs": {__name__: [__name__]}}), encoding="utf-8")
    shipped = Shipped(folder)
    assert all(shipped.has(call.loop.name) for call in calls)
    calling = shipped.calling if request.param == "shipped" else kept_code.calling()
    calling.use(np.ndarray, compiling._fail, compiling.multiarray._ARRAY_API, TypeError)
    return Library(shipped, calling)


def refuse(*arguments):
    return "otherwise"


@pytest.mark.parametrize("arguments", [MIXED, ANYHOW, ((-1, (2, -0.5)), -3, -1e300, False, TABLE[:0], MIXED[5])])
def test_arguments_and_results_are_those_of_python(library, arguments):
    expected, filled = _mix(*arguments), arguments[5].copy()
    arguments[5][:] = 0
    assert library.loop(_mix)(*arguments) == expected
    assert arguments[5] == filled


def test_results_are_none_truths_and_numbers(library):
    filled, is_more = np.zeros(1, np.int64), library.loop(_is_more)
    assert library.loop(_nothing)(filled) is None and filled[0] == 7
    assert is_more(2, 1) is True and is_more(np.int64(1), 2) is False


def test_error_of_what_ships_is_raised(library):
    divide = library.loop(_divide)
    assert divide(2) == 3
    with pytest.raises(ZeroDivisionError, match="integer division by zero"):
        divide(0)


def test_other_arguments_take_the_other_way(library):
    is_more = library.loop(_is_more)
    for wrong in ((1.5, 2), (1,), (1, 2, 3), (np.zeros(1), 2)):
        assert is_more(*wrong) == "otherwise"
    for wrong, error in (("1", TypeError), (1 << 70, OverflowError)):
        with pytest.raises(error):
            is_more(wrong, 2)


def test_entry_is_asked_for_until_there_is_one(library):
    entries = iter([0, library.shipped.entry(compiled(_divide).name, (kind_of(1),))])
    divide = library.calling.loop({}, lambda *_: (next(entries), ()), refuse)
    assert [divide(2) for _ in range(3)] == ["otherwise", 3, 3]


def test_bound_arrays_are_read_where_they_lie(library):
    arguments = list(MIXED)
    arguments[5] = np.zeros(1, np.int64)
    bound = library.bound(_mix, tuple(arguments[:4]), (TABLE.T, arguments[5]))
    for table in (TABLE.T, np.ascontiguousarray(TABLE.T), TABLE[:, ::2]):
        assert bound(table, arguments[5]) == _mix(*arguments[:4], table, arguments[5])
    assert bound(TABLE.astype(float), arguments[5]) == "otherwise"
    in_order = library.bound(_mix, tuple(arguments[:4]), (TABLE, arguments[5]))
    assert in_order(TABLE[:, ::2], arguments[5]) == in_order(TABLE) == "otherwise"


def test_what_no_loop_can_be_given_is_a_type_error(library):
    first = library.bound(_mix, MIXED[:4], MIXED[4:])
    with pytest.raises(TypeError, match="at most 4 dimensions"):
        first(np.zeros((1, 1, 1, 1, 1)), 0)
    with pytest.raises(TypeError, match=r"at most [0-9]+ words"):
        library.loop(_divide)(tuple(range(1000)))


def test_code_of_the_extension_is_made_of_its_source():
    assert tool("calling").digest() in kept_code.CALLING.read_text().splitlines()[0]


@pytest.mark.parametrize("in_use", [True, False])
def test_copies_of_arrays_are_their_owners(in_use, monkeypatch):
    arrays = {"pips": np.arange(6, dtype=np.int16).reshape(2, 3), "mask": np.array([True, False])}
    arrays["mask"].flags.writeable = False
    compiling.calling()
    if not in_use:
        monkeypatch.setattr(compiling, "calling", functools.cache(lambda: None))
    copies = compiling.copier(arrays)()
    assert list(copies) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(copies[name], array, strict=True)
        assert copies[name].flags.owndata and copies[name].flags.writeable
    copies["pips"][:] = 9
    assert arrays["pips"][1, 2] == 5


def test_few_lanes_keep_the_lock_and_wait_for_who_is_in(monkeypatch):
    monkeypatch.setattr(compiling, "PLAIN_SECONDS", 0)
    one, twin, many = (VectorEnv("jie-long", number, seed=3) for number in (1, 1, compiling.PLAIN_ROWS + 1))
    for key in range(40):
        for envs in (one, twin, many):
            envs.step(envs.sample(key))
        twin._at_once = None
    assert one._at_once is one._step and many._at_once is None
    np.testing.assert_array_equal(one.states, twin.states)
    before = one.states.copy()
    one.alone.holder["thread"] = -1  # of another thread
    with pytest.raises(RuntimeError, match="in use by another thread"):
        one.step(one.masks.argmax(1))
    np.testing.assert_array_equal(one.states, before)


def test_loop_that_allocates_is_refused_by_its_name():
    call = Call(compiled(_allocates), (3,))
    with pytest.raises(ValueError, match=r"_allocates.* needs NRT_"):
        emit({symbol_of(call): call}, Target("x86_64-unknown-linux-gnu", "x86-64"))


@pytest.mark.parametrize(
    "triple", [*(system.triple for system in machine_code.SYSTEMS.values()), "wasm32-unknown-unknown"]
)
def test_every_target_is_emitted(triple):
    begins = {
        "linux": b"\x7fELF",
        "apple": (0xFEEDFACF).to_bytes(4, "little"),
        "windows": b"\x64\x86",
        "wasm": b"\0asm",
    }
    emitted = emit({"mix": Call(compiled(_mix), MIXED)}, Target(triple, "generic"))
    assert emitted.startswith(next(begin for name, begin in begins.items() if name in triple))


@pytest.mark.parametrize("name", [name for name in machine_code.SYSTEMS if name.startswith("macos")])
def test_macos_loads_a_library_from_the_version_of_its_wheel_on(tmp_path, name):
    system, source, library = machine_code.SYSTEMS[name], tmp_path / "mix.o", tmp_path / "mix.dylib"
    source.write_bytes(emit({"mix": Call(compiled(_mix), MIXED)}, Target(system.triple, "generic")))
    machine_code.link(system, library, source)
    content = library.read_bytes()
    commands, place = {}, 32
    for _ in range(int.from_bytes(content[16:20], "little")):
        kind, size = struct.unpack_from("<II", content, place)
        commands[kind], place = content[place + 8 : place + size], place + size
    version = commands[0x32][4:8] if 0x32 in commands else commands[0x24][:4]  # build version; least version of macOS
    major, minor = map(int, re.fullmatch(r"macosx_(\d+)_(\d+)_\w+", system.tag).groups())
    assert version == bytes([0, minor, major, 0])
    assert (0x1D in commands) == (name == "macos-arm64")  # signed, without which this processor runs nothing
    assert str(tmp_path).encode() not in content


def test_extension_reads_arrays_as_numpy_lays_them_out(code):
    array = np.arange(24, dtype=np.int16).reshape(2, 3, 4)[:, ::2]
    words = (ctypes.c_int64 * 9).from_address(id(array))
    assert words[2] == array.ctypes.data and words[7] == id(array.dtype)
    assert kind_of(array) == (array.dtype, 3, False)
