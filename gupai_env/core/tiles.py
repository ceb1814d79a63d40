"""The tiles, and sets of them as single integers.

Source: the rulebook, "The tiles". There are 21 kinds; civil kinds have two copies in a set, military kinds one.
Kinds are numbered 0..20 by their high pip, then their low pip: [1:1], [2:1], [2:2], [3:1], ... [6:6].

A *tile set* says how many copies of each kind lie somewhere. It is one int64 with three bits a kind, so two
sets are joined by `+`, and a tile is put in or taken out by `+ ONE[kind]` or `- ONE[kind]`; no kind has more
than four copies, so nothing ever carries over. A set of *kinds* is such an integer with only the lowest bit
of each kind in use (`kinds_in` makes one): it is matched against the tables `CARRYING`, `HIGH_IS`, ... by `&`.
"""

import re
from collections.abc import Callable, Iterable

import numpy as np

from gupai_env.core.bits import first_one, nth_one, ones, spread
from gupai_env.core.byte_rows import store_word, write_row
from gupai_env.core.rng import draw, shuffle_first
from gupai_env.core.rule import rule
from gupai_env.messages.checks import short_repr

KINDS = 21
MOST_TILES = 4 * KINDS  # in a tile set, and so in a deck
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


def kind_set(test: Callable[..., int]) -> np.int64:
    """Return the set of kinds whose (high, low) passes `test`."""
    return np.int64(sum(int(ONE[kind]) for kind, face in enumerate(_FACES) if test(*face)))


ALL_KINDS = kind_set(lambda high, low: True)
DOUBLES = kind_set(lambda high, low: high == low)
# Indexed by a number 0..6, where 0 stands for "nothing lies open yet", which any kind fits.
CARRYING = np.array([ALL_KINDS] + [kind_set(lambda h, low, n=n: n in (h, low)) for n in range(1, 7)])
HIGH_IS = np.array([ALL_KINDS] + [kind_set(lambda h, low, n=n: n == h) for n in range(1, 7)])
LOW_IS = np.array([ALL_KINDS] + [kind_set(lambda h, low, n=n: n == low) for n in range(1, 7)])
WEIGHT_HAS = np.array([kind_set(lambda h, low, b=b: (h + low) >> b & 1) for b in range(4)])  # by bit of the weight
NO_TILE = KINDS  # in a list of kinds
KIND = np.append(ONE, np.int64(0))  # [KINDS + 1], the set of one tile, and of none
_BEHIND = np.int64(-1 << 63)  # the bit of NO_TILE
FULL_SET = np.int64((ONE * COPIES).sum())  # the tile set of all 32


@rule
def count(tiles, kind):
    """Return how many copies of `kind` a tile set holds."""
    return (tiles >> (3 * kind)) & 7


@rule
def kinds_in(tiles):
    """Return the set of kinds of which a tile set holds a copy."""
    return (tiles | (tiles >> 1) | (tiles >> 2)) & ALL_KINDS


@rule
def size(tiles):
    """Return how many tiles a tile set holds."""
    return ones(tiles & ALL_KINDS) + 2 * ones((tiles >> 1) & ALL_KINDS) + 4 * ones((tiles >> 2) & ALL_KINDS)


@rule
def bit_each(tiles):
    """Return a tile set of no more than two copies of a kind with one bit for each tile, so that `ones` counts them.

    Both bits of two copies are among the three of their kind.
    """
    return tiles | (tiles >> 1) & ALL_KINDS


@rule
def number_of(kinds):
    """Return how many kinds a set of kinds holds."""
    return ones(kinds)


@rule
def first_kind(tiles):
    """Return the lowest kind in a tile set that is not empty."""
    return first_one(tiles) // 3


@rule
def weight(tiles):
    """Return the pips on all tiles of a set."""
    total = 0
    for bit in range(len(WEIGHT_HAS)):
        total += size(tiles & (7 * WEIGHT_HAS[bit])) << bit
    return total


@rule
def write_counts(tiles, out, start):
    """Write a tile set to out[at : at + KINDS], int8 or bool, as copies of each kind.

    Args:
        tiles: A tile set, int64.
        out: int8 or bool [n].
        start: The first of KINDS entries that are written.
    """
    store_word(out, start, spread(tiles))
    store_word(out, start + 8, spread(tiles >> 24))
    store_word(out, start + 13, spread(tiles >> 39))  # the last eight kinds; three of them a second time


@rule
def counts_of(tiles):
    """Return how many copies of each kind a tile set holds, as the bytes of three words."""
    return spread(tiles), spread(tiles >> 24), spread(tiles >> 48)


@rule
def write_kinds(kinds, out, start):
    """Write a set of kinds to out[at : at + KINDS], int8 or bool, as zeros and ones.

    Args:
        kinds: A set of kinds, int64, one bit for each.
        out: int8 or bool [n].
        start: The first of KINDS entries that are written.
    """
    write_counts(kinds, out, start)


@rule
def list_tiles(tiles, out):
    """List the kinds of a tile set in `out`, int8, the lowest first; return how many there are."""
    total = 0
    while tiles:
        kind = first_kind(tiles)
        tiles -= ONE[kind]
        out[total] = kind
        total += 1
    return total


@rule
def list_hand(tiles, out):
    """List the kinds of a tile set of no more than two copies each in all of `out`, the lowest first, then NO_TILE.

    Faster than `list_tiles`, because its loop has a fixed length.
    """
    bits = bit_each(tiles)
    for index in range(len(out)):
        out[index] = first_one(bits | _BEHIND) // 3
        bits &= bits - 1


@rule
def draw_hand(bits, number, key):
    """Draw tiles from a set with a bit for each, see `bit_each`; return them as a tile set, and the bits that are left.

    Hands that are drawn one after the other with the same key are as random as dealt from shuffled tiles.

    Args:
        bits: The tiles, no fewer than `number`.
        number: Tiles of the hand.
        key: An RNG key.
    """
    hand, remaining = 0, ones(bits)
    for _ in range(number):
        place = nth_one(bits, draw(key, remaining, remaining))
        bits &= ~(1 << place)
        remaining -= 1
        hand += ONE[place // 3]
    return hand, bits


@rule
def shuffle_deck(deck, key, order):
    """Write the kinds of `deck` to the beginning of `order`, int8 [MOST_TILES], as `key` draws; return their number.

    Args:
        deck: Kinds, int8 [tiles].
        key: An RNG key.
        order: Is written, int8 [MOST_TILES].
    """
    write_row(order, deck)
    if len(deck) == len(DECK):
        shuffle_first(order, len(DECK), key)  # a constant, with which the loop is faster
    else:
        shuffle_first(order, len(deck), key)
    return len(deck)


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


def parse_tiles(text: str) -> list[int]:
    """Return the kinds named in a text such as `[6:4][1:1]` or `64 6:4`, either end first; raises ValueError."""
    rest = re.sub(_TILE, " ", text).strip(" ,")
    if rest:
        raise ValueError(f"{short_repr(rest)} is not a tile; tiles are written [6:4][1:1], with numbers from 1 to 6")
    return [kind_of(int(high), int(low)) for high, low in _TILE.findall(text)]


def tile_set(kinds: Iterable[int]) -> int:
    """Return the tile set of some tiles, given by kind."""
    return sum(int(ONE[kind]) for kind in kinds)


def tiles_in(tiles: int) -> list[int]:
    """Return the kinds of the tiles in a set, sorted, a kind with two copies twice."""
    return [int(kind) for kind in deck_of(tiles)]


def faces(tiles: int) -> tuple[tuple[int, int], ...]:
    """Return the tiles of a set as pairs of numbers, the heaviest high end first."""
    return tuple((int(PIPS[kind, 0]), int(PIPS[kind, 1])) for kind in reversed(tiles_in(tiles)))


def set_name(tiles: int) -> str:
    """Return a tile set in the rulebook's notation, heaviest tile first."""
    return "".join(tile_name(kind) for kind in reversed(tiles_in(tiles)))
