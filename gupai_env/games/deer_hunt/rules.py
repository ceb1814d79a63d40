"""Deer Hunt (鹿狩り, "chasing the deer"): two against two, tricks without suits, and red pips are the prize.

Source: the rulebook, "Deer Hunt".

Deal     Eight tiles to each of four seats. Seats 0 and 2 play against 1 and 3.
Tiny     [6:6], [6:5], [6:4], [5:4], [4:4] twice, [4:1] and [1:1]: two tiles to each seat.
Fair     With `fair_deal` "heaven" each side is dealt one [6:6] among its sixteen tiles. With "four" each side is dealt
         one of each of [6:6], [6:5], [6:4] and [4:4], two of these four tiles to each partner.
Trick    The dealer leads the first. Each seat in turn plays any tile of its hand, face up.
Taker    The strongest tile takes the trick, of two equal ones the earlier; who played it leads the next. A tile is
         stronger by its larger half, then by its smaller one: [6:6], [6:5], ... [6:1], [5:5], ... [2:1], [1:1].
Deer     Every one and every four is red, and so are six of the twelve pips of [6:6]: 64 red pips in all.
Escape   With `escape` a trick of four tiles that all have red pips counts for nobody; who took it leads the next.
Count    D is the red pips in the tricks of a side less those of the other side. Each partner wins D, or loses it; with
         `settlement` "win" one chip for the side that has more.
Order    Turns go counter-clockwise round the table.
Match    The deal passes to the next seat.
Actions  The kind of the tile that is played.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import NOBODY, clearing, seat_after, state_dtype
from gupai_env.core.move import Move
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    DECK,
    KINDS,
    ONE,
    RED,
    count,
    deck_of,
    first_kind,
    kind_of,
    kinds_in,
    parse_tiles,
    size,
    tile_set,
    write_kinds,
)
from gupai_env.core.variant import FULL, TINY, Variant, option

SEATS, HAND = 4, 8
PLAYS = SEATS * HAND
TEAMS = (0, 2), (1, 3)
PARTNER = 2  # seats after a seat
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("66 65 64 54 44 44 41 11"))))
DECK_SETS = tuple(map(tile_set, DECKS))
HANDS = (HAND, 2)  # tiles
ALL_RED = tuple(int(RED[tiles].sum()) for tiles in DECKS)  # red pips
# Kinds are numbered by their larger half, then by their smaller one, which is the order of their strength.
HEAVEN = kind_of(6, 6)
DIFFERENCE, WIN = "difference", "win"

# Fair deals. Both sides are dealt a pack, a copy of each of these kinds, by `fair_deal`:
NONE, ONE_HEAVEN, FOUR = range(3)
FAIR_DEALS = ("none", "heaven", "four")
PACKED = 8  # tiles in both packs, at most
PACKS = np.array([0, tile_set([HEAVEN]), tile_set(parse_tiles("66 65 64 44"))], np.int64)


def _shares(pack: int, sizes: tuple[int, ...]) -> list[int]:
    """Return what the first partner of a side may be dealt of its pack, tile sets of so many tiles."""
    kinds = deck_of(pack).tolist()
    return [tile_set(chosen) for tiles in sizes for chosen in combinations(kinds, tiles)]


# What the first partner may be dealt of the pack, all alike, and how many such shares there are:
_SHARES = ([0], _shares(PACKS[ONE_HEAVEN], (0, 1)), _shares(PACKS[FOUR], (2,)))
MOST_SHARES = max(map(len, _SHARES))
SHARES = np.array([shares + [0] * (MOST_SHARES - len(shares)) for shares in _SHARES], np.int64)  # [fair deals, shares]
NUM_SHARES = tuple(map(len, _SHARES))
# A set of places in the order of the deck has a number: all sets of as many places are numbered from 0 on by what this
# adds for each of their places, the lowest first. int64 [places, tiles]
NUMBERS = np.array([[comb(place, index + 1) for index in range(PACKED)] for place in range(PLAYS)], np.int64)


def _places(tiles: int, numbers: int) -> list[int]:
    """Return the sets of so many places that have the numbers from 0 on, as bits."""
    places: dict[int, int] = {}
    for chosen in combinations(range(tiles + 3), tiles):
        number = sum(int(NUMBERS[place, index]) for index, place in enumerate(chosen))
        places[number] = sum(1 << place for place in chosen)
    return [places[number] for number in range(numbers)]


_PLACES = [[0], _places(2, NUM_SHARES[ONE_HEAVEN] ** 2), _places(PACKED, NUM_SHARES[FOUR] ** 2)]
PLACES = np.array([places + [0] * (MOST_SHARES**2 - len(places)) for places in _PLACES], np.int64)


@dataclass(frozen=True)
class DeerHunt(Variant):
    """The options of the rulebook's page "Deer Hunt"."""

    LIMITS: ClassVar = {FULL: {}, TINY: {"players": (4,), "fair_deal": ("none",)}}

    players: int = option(4, "number of seats", (4,))
    escape: bool = option(False, "a trick of four tiles that all have red pips counts for nobody")
    fair_deal: str = option(
        "none",
        '"heaven": each side is dealt one [6:6]; "four": of [6:6], [6:5], [6:4] and [4:4] one each, two to a seat',
        FAIR_DEALS,
    )
    settlement: str = option(
        DIFFERENCE,
        '"difference": each partner wins that of the red pips; "win": one chip for the side with more',
        (DIFFERENCE, WIN),
    )


STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("played", "i8", (SEATS,)),  # what each seat has played
    ("taken", "i8", (SEATS,)),  # the tricks that each seat has taken
    ("red", "i1", (SEATS,)),  # red pips in them
    ("escaped", "i8"),  # the tricks that count for nobody
    ("trick", "i1", (SEATS,), NOBODY),  # kinds, by who played them; NOBODY before. It lies until the next one is led
    ("lying", "i1"),  # tiles in the trick; 0 before a lead
    ("taking", "i1", (), NOBODY),  # who takes the trick, as it is
    ("plays", "i1"),  # decisions so far
    ("record", "i1", (PLAYS,)),  # the actions
)
clear: Callable[..., Any] = clearing(STATE)


@rule
def deal_from(rules, state, order):
    """Deal the hands one after the other.

    In a fair deal the tiles of the packs are dealt before: how partners share them is said by their places in `order`,
    whose number is as likely to leave any remainder as any other. The other tiles fill the hands as they lie.
    """
    clear(state)
    pack = PACKS[rules.fair_deal]
    if pack:
        shares, number, packed = NUM_SHARES[rules.fair_deal], 0, 0
        for place in range(len(order)):
            if count(pack, order[place]):
                number += NUMBERS[place, packed]
                packed += 1
        for seat in range(2):
            share = SHARES[rules.fair_deal, number % shares]
            state.hands[seat] = share
            state.hands[seat + PARTNER] = pack - share
            number //= shares
    seat, remaining = 0, HANDS[rules.deck] - size(state.hands[0])
    for place in range(len(order)):
        if count(pack, order[place]):
            continue
        while remaining == 0:
            seat += 1
            remaining = HANDS[rules.deck] - size(state.hands[seat])
        state.hands[seat] += ONE[order[place]]
        remaining -= 1
    state.to_act = state.leader


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    pack, shares = PACKS[rules.fair_deal], NUM_SHARES[rules.fair_deal]
    number, packed, index = 0, 0, 0
    # The tiles of both packs go to the places that share them so, in any order; all others in between and behind.
    if pack:
        for seat in (1, 0):  # the last remainder first
            dealt = state.hands[seat] + state.played[seat]
            for share in range(shares):
                if SHARES[rules.fair_deal, share] == dealt & (7 * pack):
                    number = number * shares + share
        packed = 2 * pack
    places = PLACES[rules.fair_deal, number]
    for seat in range(rules.players):
        others = (state.hands[seat] + state.played[seat]) & ~(7 * pack)
        while others or (packed and places >> index & 1):
            if packed and places >> index & 1:
                order[index] = first_kind(packed)
                packed -= ONE[order[index]]
            else:
                order[index] = first_kind(others)
                others -= ONE[order[index]]
            index += 1
    write_row(actions, state.record[: state.plays])
    return state.plays


@rule
def legal_actions(rules, state, mask):
    """Mark the tiles in hand."""
    write_kinds(kinds_in(state.hands[state.to_act]), mask, 0)


@rule
def step(rules, state, action):
    """Play a tile; the fourth ends the trick."""
    seat = state.to_act
    if state.lying == 0:
        state.trick[:] = NOBODY
        state.taking = seat
    elif action > state.trick[state.taking]:
        state.taking = seat
    state.hands[seat] -= ONE[action]
    state.played[seat] += ONE[action]
    state.trick[seat] = action
    state.lying += 1
    state.record[state.plays] = action
    state.plays += 1
    state.to_act = seat_after(rules, state, seat)
    if state.lying == SEATS:
        take_trick(rules, state)


@rule
def take_trick(rules, state):
    """Give a trick of four tiles to who takes it, who is to lead the next one if tiles are left."""
    tiles, red, all_red = 0, 0, True
    for seat in range(SEATS):
        kind = state.trick[seat]
        tiles += ONE[kind]
        red += RED[kind]
        all_red &= RED[kind] > 0
    if rules.escape and all_red:
        state.escaped += tiles
    else:
        state.taken[state.taking] += tiles
        state.red[state.taking] += red
    state.lying = 0
    state.to_act = state.taking
    state.terminated = state.hands[state.to_act] == 0


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: the red pips of a side less those of the other, or only the sign of that."""
    for seat in range(SEATS):
        difference = 0
        for other in range(SEATS):
            difference += state.red[other] if (other - seat) % 2 == 0 else -state.red[other]
        if rules.settlement == 1:
            difference = min(max(difference, -1), 1)
        out[seat] = difference


def payoff_bound(variant: DeerHunt) -> float:
    """Return chips that no seat can win or lose more of in a deal: one side takes every trick."""
    return 1.0 if variant.settlement == WIN else float(ALL_RED[(FULL, TINY).index(variant.deck)])


MOVES = tuple(Move(tiles=(kind,)) for kind in range(KINDS))
