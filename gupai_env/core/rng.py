"""Random numbers as a pure function of an RNG key and a counter: splitmix64.

A key is an integer in 0..2**63 - 1. Drawing consumes nothing, so the same key and counter give the same number on every
machine, in Python as in compiled code, whatever else is drawn.
Source of the constants: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
"""

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.rule import rule, rule_in_place
from gupai_env.messages.checks import is_whole, one_of_an_array, read_whole, short_repr, whole_numbers

GOLDEN = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
WORD = (1 << 64) - 1
DRAWN = (1 << 31) - 1  # the bits of a draw
KEYS = 1 << 63  # keys are 0..KEYS - 1, so that they fit a signed 64-bit integer
EXACT = 1 << 53  # up to here doubles hold every whole number, and JavaScript, jq and others read numbers as doubles


def derive(key: int, counter: int) -> int:
    """Return key number `counter` (from 0) of the stream that `key` names: 63 well mixed bits."""
    z = (int(key) + (int(counter) + 1) * GOLDEN) & WORD
    z = ((z ^ (z >> 30)) * MIX_1) & WORD
    z = ((z ^ (z >> 27)) * MIX_2) & WORD
    return (z ^ (z >> 31)) >> 1


def _derive_on_words(key, counter):
    # The same arithmetic on machine words, which wrap by themselves.
    one = np.uint64(1)
    z = np.uint64(key) + (np.uint64(counter) + one) * np.uint64(GOLDEN)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(MIX_1)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(MIX_2)
    return np.int64((z ^ (z >> np.uint64(31))) >> one)


rule_in_place(derive, _derive_on_words)


@rule
def draw(key, counter, n):
    """Return draw number `counter` of `key`: an integer below `n` (biased by less than n / 2**31).

    Args:
        key: An RNG key.
        counter: From 0; equal counters give equal draws.
        n: From 1, and below 2**31.
    """
    return (((derive(key, counter) >> 32) * n) >> 31) & DRAWN  # not negative, which compiled code uses as `as_index`


@rule
def shuffle(tiles, key):
    """Shuffle an array in place (Fisher and Yates) with draws 1..len - 1 of `key`; draw 0 stays free."""
    shuffle_first(tiles, len(tiles), key)


@rule
def shuffle_first(tiles, number, key):
    """Shuffle the first `number` entries of an array in the same way.

    Args:
        tiles: Is shuffled in place.
        number: Entries.
        key: An RNG key.
    """
    for last in range(number - 1, 0, -1):
        other = draw(key, last, last + 1)
        tiles[last], tiles[other] = tiles[other], tiles[last]


def as_key(seed: object, name: str = "a seed") -> int:
    """Return a seed as a key.

    Args:
        seed: A whole number in 0..2**63 - 1, of Python or numpy, or an array or tensor of one.
        name: What it is called in the error.

    Raises:
        ValueError: It is anything else.
    """
    if type(seed) is int and 0 <= seed < KEYS:  # most are; all questions below take a tenth of dealing
        return seed
    number: Any = one_of_an_array(seed)
    if is_whole(number) and 0 <= number < KEYS:
        return int(number)
    hint = "; take it modulo 2**63" if is_whole(number) and number > 0 else ""
    raise ValueError(f"{name} is a whole number from 0 to 2**63 - 1, not {short_repr(seed)}{hint}")


def as_keys(seeds: Any, count: int) -> np.ndarray:
    """Return the seeds of some lanes as keys, int64 [count].

    Args:
        seeds: As `as_key` takes them, in a sequence or an array.
        count: How many lanes there are.

    Raises:
        ValueError: One is no seed, or they are not `count`.
    """
    if isinstance(seeds, Sequence) and all(map(is_whole, seeds)):  # numpy makes floats of some kinds of integers
        seeds = np.array([as_key(seed) for seed in seeds], np.int64)
    keys = whole_numbers("seeds", seeds, count, "lane")
    for seed in (keys.min(), keys.max()):
        as_key(seed)
    return keys.astype(np.int64)


def in_json(number: int) -> int | str:
    """Return a seed as JSON should hold it: as text, if doubles do not hold the number."""
    return number if number < EXACT else str(number)


def from_json(value: Any, name: str = "a seed") -> int:
    """Return a seed that JSON holds as text or as a number; raises ValueError as `as_key`."""
    number = read_whole(value) if isinstance(value, str) else None
    return as_key(value if number is None else number, name)


def drawn_seed() -> int:
    """Return a seed from the operating system, one that doubles hold."""
    return secrets.randbelow(EXACT)
