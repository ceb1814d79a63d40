"""The tiles, and sets of them as single integers.

Source: the rulebook, "The tiles". There are 21 kinds; civil kinds have two copies in a set, military kinds one.
Kinds are numbered 0..20 by their high pip, then their low pip: [1:1], [2:1], [2:2], [3:1], ... [6:6].

A *tile set* says how many copies of each kind lie somewhere. It is one int64 with three bits a kind, so two
sets are joined by `+`, and a tile is put in or taken out by `+ ONE[kind]` or `- ONE[kind]`; no kind has more
than four copies, so nothing ever carries over. A set of *kinds* is such an integer with only the lowest bit
of each kind in use (`kinds_in` makes one): it is matched against the tables `CARRYING`, `HIGH_IS`, ... by `&`.
"""

import re
from collections.abc import Iterable

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from gupai_env.core.rng import shuffle
from gupai_env.core.rule import rule

KINDS = 21
HIGHEST = 6  # pips on an end run from 1 to this; there are no blanks
_FACES = [(high, low) for high in range(1, HIGHEST + 1) for low in range(1, high + 1)]
_CIVIL = {(p, p) for p in range(1, 7)} | {(3, 1), (5, 1), (6, 1), (6, 4), (6, 5)}


def _red(high: int, low: int) -> int:
    """Every one and every four is red; of the twelve pips of [6:6] six are."""
    return 6 if (high, low) == (6, 6) else sum(p for p in (high, low) if p in (1, 4))


PIPS = np.array(_FACES, np.int8)  # [KINDS, 2]: high, low
WEIGHT = PIPS.sum(1).astype(np.int8)  # [KINDS], pips on both ends
RED = np.array([_red(*face) for face in _FACES], np.int8)  # [KINDS], red pips
BLACK = WEIGHT - RED
COPIES = np.array([2 if face in _CIVIL else 1 for face in _FACES], np.int8)  # [KINDS], in one set of 32
ONE = np.int64(1) << (3 * np.arange(KINDS, dtype=np.int64))  # [KINDS], the set of one tile


def kind_set(test) -> np.int64:
    """Return the set of kinds whose (high, low) passes `test`."""
    return np.int64(sum(int(ONE[kind]) for kind, face in enumerate(_FACES) if test(*face)))


ALL_KINDS = kind_set(lambda high, low: True)
DOUBLES = kind_set(lambda high, low: high == low)
# Indexed by a number 0..6, where 0 stands for "nothing lies open yet", which any kind fits.
CARRYING = np.array([ALL_KINDS] + [kind_set(lambda h, low, n=n: n in (h, low)) for n in range(1, 7)])
HIGH_IS = np.array([ALL_KINDS] + [kind_set(lambda h, low, n=n: n == h) for n in range(1, 7)])
LOW_IS = np.array([ALL_KINDS] + [kind_set(lambda h, low, n=n: n == low) for n in range(1, 7)])
FULL_SET = np.int64((ONE * COPIES).sum())  # the tile set of all 32


@rule
def count(tiles, kind):
    """Return how many copies of `kind` a tile set holds."""
    return (tiles >> (3 * kind)) & 7


@rule
def kinds_in(tiles):
    """Return the set of kinds of which a tile set holds a copy."""
    return (tiles | (tiles >> 1) | (tiles >> 2)) & ALL_KINDS


_THIRDS = np.int64(0o7007007007007007007)  # every third kind
_LOW_SUMS = np.int64(0o777777777)


@rule
def size(tiles):
    """Return how many tiles a tile set holds."""
    tiles = (tiles & _THIRDS) + ((tiles >> 3) & _THIRDS) + ((tiles >> 6) & _THIRDS)  # 7 sums of 9 bits each
    tiles = (tiles & _LOW_SUMS) + ((tiles >> 27) & _LOW_SUMS) + (tiles >> 54)
    return (tiles + (tiles >> 9) + (tiles >> 18)) & 0o777


@rule
def number_of(kinds):
    """Return how many kinds a set of kinds holds."""
    return size(kinds)


def first_kind(tiles: int) -> int:
    """Return the lowest kind in a tile set that is not empty."""
    return ((int(tiles) & -int(tiles)).bit_length() - 1) // 3


@intrinsic
def _trailing_zeros(typing_context, tiles):
    def build(context, builder, signature, arguments):
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), True))

    return types.int64(types.int64), build


@overload(first_kind)
def _first_kind_compiled(tiles):
    return lambda tiles: _trailing_zeros(tiles) // 3


@rule
def weight(tiles):
    """Return the pips on all tiles of a set."""
    total = 0
    for kind in range(KINDS):
        total += ((tiles >> (3 * kind)) & 7) * WEIGHT[kind]
    return total


@rule
def write_kinds(kinds, out, at):
    """Write a set of kinds to out[at:at + KINDS] as zeros and ones."""
    for kind in range(KINDS):
        out[at + kind] = (kinds >> (3 * kind)) & 1


@rule
def write_counts(tiles, out, at):
    """Write a tile set to out[at:at + KINDS] as copies of each kind."""
    for kind in range(KINDS):
        out[at + kind] = (tiles >> (3 * kind)) & 7


@rule
def list_tiles(tiles, out):
    """List the kinds of a tile set in `out`, int8; return how many there are."""
    total = 0
    for kind in range(KINDS):
        for _ in range(count(tiles, kind)):
            out[total] = kind
            total += 1
    return total


@rule
def shuffled(deck, key):
    """Return the kinds of `deck`, int8 [tiles], in an order drawn from `key`."""
    order = np.empty(len(deck), np.int8)
    order[:] = deck
    shuffle(order, key)
    return order


def deck_of(tiles: int | np.int64) -> np.ndarray:
    """Return the tiles of a set as a sorted int8 array of kinds."""
    return np.array([kind for kind in range(KINDS) for _ in range(count(int(tiles), kind))], np.int8)


DECK = deck_of(FULL_SET)  # int8 [32]

_TILE = re.compile(r"\[?\s*([1-6])\s*:?\s*([1-6])\s*\]?")


def kind_of(high: int, low: int) -> int:
    """Return the kind with these two pips, in either order."""
    high, low = max(high, low), min(high, low)
    return high * (high - 1) // 2 + low - 1


def tile_name(kind: int) -> str:
    """Return the kind in the rulebook's notation, `[6:4]`."""
    return f"[{PIPS[kind, 0]}:{PIPS[kind, 1]}]"


def parse_tile(text: str) -> int:
    """Return the kind that `[6:4]`, `6:4` or `64` names (either end first); raises ValueError."""
    match = _TILE.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is no tile; a tile is written [6:4], two numbers from 1 to 6")
    return kind_of(int(match[1]), int(match[2]))


def parse_tiles(text: str) -> list[int]:
    """Return the kinds named in a text such as `[6:4][1:1]` or `64 11`; raises ValueError."""
    rest = re.sub(_TILE, " ", text).strip(" ,")
    if rest:
        raise ValueError(f"{rest!r} is no tile; tiles are written [6:4][1:1]")
    return [kind_of(int(high), int(low)) for high, low in _TILE.findall(text)]


def tile_set(kinds: Iterable[int]) -> int:
    """Return the tile set of some tiles, given by kind."""
    return sum(int(ONE[kind]) for kind in kinds)


def tiles_in(tiles: int) -> list[int]:
    """Return the kinds of the tiles in a set, sorted, a kind with two copies twice."""
    return [int(kind) for kind in deck_of(tiles)]


def set_name(tiles: int) -> str:
    """Return a tile set in the rulebook's notation, heaviest tile first."""
    return "".join(tile_name(kind) for kind in reversed(tiles_in(tiles)))
