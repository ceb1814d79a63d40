"""Rows and words: compiled code, plain Python and numpy agree."""

import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gupai_env.core import bits, byte_rows, memory
from gupai_env.core.parts import MOVES_BITS as MOVES_BITS
from gupai_env.core.parts import register_marks
from gupai_env.core.rule import rule
from gupai_env.core.tiles import DECK, NO_TILE, bit_each, list_hand, tile_set

WORDS = st.integers(-(1 << 63), (1 << 63) - 1)


def njit(function):
    """Compile a function that calls rules."""
    register_marks()
    return numba.njit(function)


@njit
def compiled_bits(word, memory, number):
    return (
        bits.ones(word),
        bits.first_one(word),
        bits.spread(word),
        bits.gather(word, memory),
        bits.nth_one(word, number),
    )


@settings(deadline=None)
@given(WORDS.filter(bool), WORDS, st.integers(0, 63))
def test_bits_of_a_word(word, memory, number):
    low = word % (1 << 64)
    digits = [low >> bit & 1 for bit in range(64)]
    number %= sum(digits)
    spread = int.from_bytes(bytes(low >> 3 * group & 7 for group in range(8)), "little")
    kept = [digit for bit, digit in enumerate(digits) if memory >> bit & 1]
    gathered = sum(digit << at for at, digit in enumerate(kept))
    expected = (sum(digits), digits.index(1), spread, gathered, np.flatnonzero(digits)[number])
    for each in (compiled_bits, compiled_bits.py_func):
        assert tuple(int(found) % (1 << 64) for found in each(word, memory, number)) == expected


# The whole layer in three ways: compiled for this processor, compiled for one without instructions that move bits, and
# as plain Python.

INT64, ORDER = np.dtype(np.int64), np.random.default_rng(1).permutation(64)[:41]


@rule
def written_at(array, value):
    memory.array_at(memory.address_of(array), (len(array),), INT64)[:] += value


class Numbers(NamedTuple):
    whole: int
    true: bool
    real: float
    three: tuple


LIKE = Numbers(1, True, 0.5, (1.5, 2.5, 3.5))


@rule
def read_from(record):
    numbers = memory.tuple_at(memory.address_of(record), LIKE)
    return 2 * (10 * numbers.whole + numbers.true + 100 * numbers.real + 10000 * numbers.three[2])


def record(rng):
    return memory.record_of(Numbers(index(rng), index(rng) > 9, index(rng) / 2, (0.0, 1.0, index(rng) / 2)))


@rule
def added_up(values):
    some, sums = memory.scratch(4, INT64), memory.blank(4, INT64)
    some[:] = values
    sums += some
    return sums.sum()


RECORD = np.dtype([("kept", "i8"), ("low", "i2"), ("row", "i1", (5,))])
overwrite = memory.overwriting(np.array([(0, -3, (1, 2, 3, 4, 5))], RECORD), ("low", "row"))


@rule
def overwritten(records):
    overwrite(records[1])


def word(rng):
    return int(rng.integers(-(1 << 63), 1 << 63, endpoint=False) >> int(rng.integers(64))) or 1


def row(rng, width=60):
    return rng.integers(0, 128, width, dtype=np.int8) * rng.integers(0, 2, width, dtype=np.int8)


def marks(rng, low=32, high=64):
    return rng.random(int(rng.integers(low, high + 1))) < rng.random()


def index(rng, memory=20):
    return int(rng.integers(memory))


def three_words(rng):
    return tuple(bits.spread(word(rng)) for _ in range(3))


def bit_and_word(rng):
    return (drawn := word(rng)), index(rng, bits.ones(drawn))


def mask_and_index(rng, past=0):
    return (drawn := marks(rng, 1, 150)), index(rng, len(drawn) + past)


# Each function with what it is given; what it returns and what it writes are compared.
LAYER = {
    bits.as_index: lambda rng: (index(rng, 128),),
    bits.ones: lambda rng: (word(rng),),
    bits.first_one: lambda rng: (word(rng),),
    bits.spread: lambda rng: (word(rng),),
    bits.gather: lambda rng: (word(rng), word(rng)),
    bits.nth_one: bit_and_word,
    byte_rows.load_word: lambda rng: (row(rng), index(rng)),
    byte_rows.load_half: lambda rng: (row(rng), index(rng)),
    byte_rows.store_word: lambda rng: (row(rng), index(rng), word(rng)),
    byte_rows.store_half: lambda rng: (row(rng), index(rng), word(rng)),
    byte_rows.write_row: lambda rng: (row(rng), row(rng, index(rng, 60))),
    byte_rows.copy_entries: lambda rng: (row(rng), index(rng), row(rng), index(rng), 4 + index(rng)),
    byte_rows.mark_entries: lambda rng: (row(rng), index(rng), row(rng), index(rng), 4 + index(rng, 5)),
    byte_rows.rearrangement(ORDER, 64): lambda rng: (row(rng, 64), row(rng), index(rng, 19)),
    byte_rows.adding([[0, 20], [7], [], [1, 2, 22]]): lambda rng: (three_words(rng), row(rng), index(rng, 28)),
    byte_rows.copy_block: lambda rng: (row(rng), row(rng), index(rng, 28)),
    byte_rows.store_marks: lambda rng: (marks(rng, 60), index(rng, 28), word(rng)),
    byte_rows.load_marks: lambda rng: (marks(rng, 60), index(rng, 28)),
    byte_rows.write_marks: lambda rng: (word(rng), marks(rng)),
    byte_rows.marks_from: mask_and_index,
    byte_rows.count_marks: lambda rng: (marks(rng, 1, 150),),
    byte_rows.find_mark: lambda rng: mask_and_index(rng, 2),
    written_at: lambda rng: (rng.integers(9, size=3), word(rng)),
    read_from: lambda rng: (record(rng),),
    added_up: lambda rng: (rng.integers(9, size=4),),
    overwritten: lambda rng: (np.frombuffer(bytearray(rng.bytes(3 * RECORD.itemsize)), RECORD).view(np.recarray),),
}
CALLS = (
    lambda function: lambda a: function(a),
    lambda function: lambda a, b: function(a, b),
    lambda function: lambda a, b, c: function(a, b, c),
    lambda function: lambda a, b, c, d: function(a, b, c, d),
    lambda function: lambda a, b, c, d, e: function(a, b, c, d, e),
)


def answers(function, compiled):
    """What it returns and leaves behind, 40 times with random input."""
    rng, printed = np.random.default_rng(7), []
    call = CALLS[len(LAYER[function](rng)) - 1](function)
    call = njit(call) if compiled else call
    for _ in range(40):
        given = LAYER[function](rng)
        found = call(*given)
        left = [each.tobytes() for each in given if isinstance(each, np.ndarray)]
        printed.append((None if found is None else int(found) % (1 << 64), left))
    return printed


@pytest.mark.parametrize("function", LAYER, ids=lambda function: function.__name__)
def test_compiled_functions_equal_plain_python(function):
    assert answers(function, compiled=True) == answers(function, compiled=False)


def test_whole_layer_is_compared():
    public = {
        name
        for module in (bits, byte_rows, memory)
        for name, each in vars(module).items()
        if inspect.isfunction(each) and each.__module__ == module.__name__ and not name.startswith("_")
    }
    met = {name for function in LAYER for name in (function.__name__, *function.__code__.co_names)}
    # What refuses, what makes `rearrange`, `add_up` and `overwrite`, and what changes nothing of a result:
    others = {
        "require_bytes",
        "bytes_of",
        "rearrangement",
        "adding",
        "record_of",
        "overwriting",
        "prefetch",
        "with_attributes",
    }
    assert public - met == others


OF_BITS = [function for function in LAYER if function.__module__ == bits.__name__] + [byte_rows.find_mark]
ELSEWHERE = "from test_byte_rows import *; print(MOVES_BITS, [answers(each, True) for each in OF_BITS])"


def test_processors_without_bit_instructions_do_without():
    """The rules of all games run on one in CI, see `.ci/run`."""
    env = {**os.environ, "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env=env,
        cwd=Path(__file__).parent,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == f"False {[answers(each, compiled=False) for each in OF_BITS]}"


@njit
def compiled_words(row, at, word):
    before = byte_rows.load_word(row, at), byte_rows.load_half(row, at)
    byte_rows.store_word(row, at, word)
    byte_rows.store_half(row, at + 8, word)
    return before


@settings(deadline=None)
@given(st.integers(0, 8), WORDS)
def test_words_are_read_and_written_in_place(at, word):
    row = np.arange(-10, 10, dtype=np.int8)
    other, expected = row.copy(), row.copy()
    printed = int.from_bytes(row[at : at + 8].tobytes(), "little", signed=True)
    half = int.from_bytes(row[at : at + 4].tobytes(), "little")
    new = np.frombuffer((word % (1 << 64)).to_bytes(8, "little"), np.int8)
    expected[at : at + 8] = new
    expected[at + 8 : at + 12] = new[:4]
    assert compiled_words.py_func(row, at, word) == (printed, half)
    assert compiled_words(other, at, word) == (printed, half)
    np.testing.assert_array_equal(row, expected)
    np.testing.assert_array_equal(other, expected)


compiled_copy, compiled_mark = njit(byte_rows.copy_entries), njit(byte_rows.mark_entries)


@pytest.mark.parametrize("width", [*range(4, 20), 31, 32, 33])
def test_entries_are_copied_and_marked(width):
    rng = np.random.default_rng(width)
    source = rng.integers(0, 128, 50, dtype=np.int8) * rng.integers(0, 2, 50, dtype=np.int8)
    blank = np.full(60, 7, np.int8)
    copied = blank.copy()
    copied[5 : 5 + width] = source[3 : 3 + width]
    marked = blank.copy()
    marked[5 : 5 + width] = source[3 : 3 + width] > 0
    for copy, mark in ((byte_rows.copy_entries, byte_rows.mark_entries), (compiled_copy, compiled_mark)):
        target = blank.copy()
        copy(source, 3, target, 5, width)
        np.testing.assert_array_equal(target, copied)
        if width <= 8:
            target = blank.copy()
            mark(source, 3, target, 5, width)
            np.testing.assert_array_equal(target, marked)


@njit
def compiled_hand(tiles, out):
    list_hand(tiles, out)
    return bits.ones(bit_each(tiles))


@pytest.mark.parametrize("size", range(7))
def test_hand_is_listed_and_no_tile_behind_it(size):
    for seed in range(50):
        hand = sorted(np.random.default_rng(seed).permutation(DECK)[:size].tolist())
        tiles = tile_set(hand)
        plain, compiled = np.zeros(6, np.uint8), np.zeros(6, np.uint8)
        assert compiled_hand.py_func(tiles, plain) == compiled_hand(tiles, compiled) == size
        assert plain.tolist() == compiled.tolist() == hand + [NO_TILE] * (6 - size)


@njit
def look(masks, row):
    mask = masks[row]
    found = np.empty(len(mask) + 1, np.int64)
    for marks in range(len(found)):
        found[marks] = byte_rows.find_mark(mask, marks)
    return byte_rows.count_marks(mask), found


@pytest.mark.parametrize("width", [1, 7, 31, 32, 33, 60, 63, 64, 65, 82, 128, 146])
def test_marks_are_counted_and_found(width):
    masks = np.random.default_rng(width).random((20, width)) < np.linspace(0, 1, 20)[:, None]
    for row, mask in enumerate(masks):
        memory = np.flatnonzero(mask).tolist()
        expected = memory + [-1] * (width + 1 - len(memory))
        for count, found in (look(masks, row), look.py_func(masks, row)):
            assert count == len(memory)
            assert found.tolist() == expected


@pytest.mark.parametrize("width", [32, 33, 60, 63, 64])
def test_bits_are_written_as_marks(width):
    write = njit(byte_rows.write_marks)
    for word in (0, -1, 0x0123456789ABCDEF, -1 << (width - 1)):
        expected = [bool(word >> index & 1) for index in range(width)]
        for each in (write, write.py_func):
            mask = np.ones(width, np.bool_)
            each(word, mask)
            assert mask.tolist() == expected


def test_entries_are_rearranged():
    order = np.random.default_rng(1).permutation(64)[:41]
    rearrange = byte_rows.rearrangement(order, 64)
    source = np.arange(-30, 34, dtype=np.int8)
    expected = np.full(50, 7, np.int8)
    expected[5:46] = source[order]
    for each in (rearrange, njit(lambda source, target, at: rearrange(source, target, at))):
        target = np.full(50, 7, np.int8)
        each(source, target, 5)
        np.testing.assert_array_equal(target, expected)


@rule
def largest_first(values, out):
    order = memory.scratch(4, np.int64)
    order[:] = values
    for at in range(4):
        out[at] = order.max()
        order[order.argmax()] = -1


@njit
def fill_all(values, out):
    for row in range(len(values)):
        largest_first(values[row], out[row])


def test_scratch_is_an_array_like_any_other():
    values = np.random.default_rng(2).integers(0, 100, (20, 4))
    for fill in (fill_all, fill_all.py_func):
        out = np.zeros_like(values)
        fill(values, out)
        np.testing.assert_array_equal(out, -np.sort(-values, 1))


def test_scratch_length_is_known_beforehand():
    with pytest.raises(numba.TypingError, match="known when it is compiled"):
        njit(lambda length: memory.scratch(length, np.int8)[0])(8)


def test_rows_other_than_contiguous_bytes_are_refused():
    read = njit(lambda row: byte_rows.load_word(row, 0))
    for row in (np.zeros(8), np.zeros(16, np.int8)[::2]):
        with pytest.raises(numba.TypingError, match="contiguous rows of bytes"):
            read(row)
