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
    byte_rows.copy_block: lambda rng: (row(rng, 64), row(rng, 64), byte_rows.BLOCK * index(rng, 4)),
    byte_rows.mark_entries: lambda rng: (row(rng), index(rng), row(rng), index(rng), 4 + index(rng, 5)),
    byte_rows.rearrangement(ORDER, 64): lambda rng: (row(rng, 64), row(rng), index(rng, 19)),
    byte_rows.adding([[0, 20], [7], [], [1, 2, 22]]): lambda rng: (three_words(rng), row(rng), index(rng, 28)),
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
    # What refuses, what builds arrays and calls in machine code, what makes `rearrange`, `add_up` and `overwrite`, and
    # what changes nothing of a result:
    others = {
        "require_bytes",
        "array_around",
        "in_words",
        "symbol",
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


def test_scratch_length_is_known_beforehand():
    with pytest.raises(numba.TypingError, match="known when it is compiled"):
        njit(lambda length: memory.scratch(length, np.int8)[0])(8)


def test_rows_other_than_contiguous_bytes_are_refused():
    read = njit(lambda row: byte_rows.load_word(row, 0))
    for row in (np.zeros(8), np.zeros(16, np.int8)[::2]):
        with pytest.raises(numba.TypingError, match="contiguous rows of bytes"):
            read(row)
