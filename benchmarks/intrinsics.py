"""What each piece of hand-written machine code saves: nanoseconds per call, and those of what numba makes of Python.

    python benchmarks/intrinsics.py

The comments of `gupai_env/core/bits.py`, `byte_rows.py` and `memory.py` quote these figures. Each is the least of
REPEATS runs over CALLS calls, in processor time, inside one compiled loop.
"""

import argparse
import functools
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from gupai_env.core import bits, byte_rows, memory
from gupai_env.core.compiling import bind, compiled
from gupai_env.core.episode import NOBODY
from gupai_env.core.parts import register_marks
from gupai_env.core.rule import rule
from gupai_env.core.tiles import counts_of, tiles_in
from gupai_env.games.connecting.rules import STATE, clear
from gupai_env.games.jie_long.rules import JieLong
from gupai_env.games.tiu_u.rules import MATCHING

CALLS, REPEATS = 1 << 16, 30
INT64, INT8 = np.dtype(np.int64), np.dtype(np.int8)
ORDER = np.random.default_rng(1).permutation(64)[:41]
MEMBERS = [tiles_in(int(kinds)) for kinds in MATCHING]
LENGTHS = np.array([len(members) for members in MEMBERS])
MEMBER = np.array([members + [0] * (max(LENGTHS) - len(members)) for members in MEMBERS])
rearrange, add_up = byte_rows.rearrangement(ORDER, 64), byte_rows.adding(MEMBERS)


# --- each pair: numba alone, and ours; word is an int64, row and out int8 [64] ----------


@rule
def ones_in_a_loop(word, row, out, state):
    total = 0
    for bit in range(64):
        total += word >> bit & 1
    return total


@rule
def first_one_in_a_loop(word, row, out, state):
    bit = 0
    while not word >> bit & 1:
        bit += 1
    return bit


@rule
def spread_in_a_loop(word, row, out, state):
    for group in range(8):
        out[group] = word >> 3 * group & 7
    return out[3]


@rule
def spread_at_once(word, row, out, state):
    byte_rows.store_word(out, 0, bits.spread(word))
    return out[3]


@rule
def nth_one_in_a_loop(word, row, out, state):
    for _ in range(word >> 50 & 15):
        word &= word - 1
    return bits.first_one(word)


@rule
def marks_in_a_loop(word, row, out, state):
    marks = 0
    for index in range(64):
        marks |= (row[index] != 0) << index
    return marks


@rule
def marks_at_once(word, row, out, state):
    return byte_rows.marks_from(row, 0)


@rule
def marks_written_in_a_loop(word, row, out, state):
    for index in range(64):
        out[index] = word >> index & 1
    return out[5]


@rule
def marks_written_at_once(word, row, out, state):
    byte_rows.write_marks(word, out)
    return out[5]


@rule
def rearranged_by_index(word, row, out, state):
    for index in range(len(ORDER)):
        out[index] = row[ORDER[index]]
    return out[7]


@rule
def rearranged_at_once(word, row, out, state):
    rearrange(row, out, 0)
    return out[7]


@rule
def sums_by_index(word, row, out, state):
    for kind in range(21):
        total = 0
        for member in range(LENGTHS[kind]):
            total += word >> 3 * MEMBER[kind, member] & 7
        out[kind] = total
    return out[4]


@rule
def sums_at_once(word, row, out, state):
    add_up(counts_of(word), out, 0)
    return out[4]


@rule
def heap(word, row, out, state):
    array = np.empty(8, np.int64)
    array[word & 7] = word
    return array[word >> 3 & 7]


@rule
def stack(word, row, out, state):
    array = memory.scratch(8, INT64)
    array[word & 7] = word
    return array[word >> 3 & 7]


@rule
def cleared_heap(word, row, out, state):
    array = np.zeros(8, np.int64)
    array[word & 7] = word
    return array.sum()


@rule
def cleared_stack(word, row, out, state):
    array = memory.blank(8, INT64)
    array[word & 7] = word
    return array.sum()


@rule
def cleared_by_field(word, row, out, state):
    state.hands[:] = 0
    state.discards[:] = 0
    state.played[:] = 0
    state.unused = 0
    state.points[:] = 0
    state.plays[:] = 0
    state.drops[:] = 0
    state.ends[:] = 0
    state.missed[:] = 0
    state.laid_at[:] = 0
    state.record[:] = 0
    state.turn = 0
    state.hand_size = 0
    state.last_player = NOBODY
    state.passes = 0
    return state.hands[word & 3]


@rule
def cleared_by_copy(word, row, out, state):
    clear(state)
    return state.hands[word & 3]


PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "ones": (ones_in_a_loop, rule(lambda word, row, out, state: bits.ones(word))),
    "first_one": (first_one_in_a_loop, rule(lambda word, row, out, state: bits.first_one(word))),
    "spread, store_word": (spread_in_a_loop, spread_at_once),
    "nth_one, of 16": (nth_one_in_a_loop, rule(lambda word, row, out, state: bits.nth_one(word, word >> 50 & 15))),
    "load_marks, 64 entries": (marks_in_a_loop, marks_at_once),
    "store_marks, 64 entries": (marks_written_in_a_loop, marks_written_at_once),
    "rearrangement, 41 of 64": (rearranged_by_index, rearranged_at_once),
    "adding, 21 sums": (sums_by_index, sums_at_once),
    "scratch": (heap, stack),
    "blank": (cleared_heap, cleared_stack),
    "overwriting, 208 bytes": (cleared_by_field, cleared_by_copy),
}


def nanoseconds(function: Callable[..., Any]) -> float:
    """Return how long a call takes, inside a compiled loop over random words."""

    @numba.njit(no_cfunc_wrapper=True)
    def loop(words, rows, outs, states):
        total = 0
        for index in range(len(words)):
            total += function(words[index], rows[index & 15], outs[index & 15], states[index & 15])
        return total

    rng = np.random.default_rng(3)
    words = rng.integers(1 << 40, 1 << 62, CALLS)
    rows, outs = rng.integers(0, 2, (16, 64), np.int8), np.zeros((16, 64), np.int8)
    states = np.zeros(16, STATE).view(np.recarray)
    loop(words, rows, outs, states)
    times = []
    for _ in range(REPEATS):
        begun = time.process_time_ns()
        loop(words, rows, outs, states)
        times.append(time.process_time_ns() - begun)
    return min(times) / CALLS


def calls() -> tuple[float, float]:
    """Return how long a call from Python takes that hands over the options of a variant: a tuple, and its record."""
    rules = JieLong().as_rules()
    record = memory.record_of(rules)

    def by_tuple(rules):
        return rules.players

    def by_record(record):
        return memory.tuple_at(memory.address_of(record), rules).players

    fastest = []
    for loop, argument in ((by_tuple, rules), (by_record, record)):
        call, times = functools.partial(bind(compiled(loop), later=(argument,)), argument), []
        for _ in range(REPEATS):
            begun = time.process_time_ns()
            for _ in range(1000):
                call()
            times.append(time.process_time_ns() - begun)
        fastest.append(min(times) / 1000)
    return fastest[0], fastest[1]


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    register_marks()
    print("tuple_at, by a call from Python: {:.0f} ns, {:.0f} ns".format(*calls()), flush=True)
    for name, pair in PAIRS.items():
        numba_alone, ours = map(nanoseconds, pair)
        print(f"{name:26}{numba_alone:8.2f} ns{ours:8.2f} ns   {numba_alone / ours:.1f} times", flush=True)
