"""Tien Gow (打天九, "heaven and nine"): tricks of one to four tiles, discards face down, and the last trick wins.

Source: the rulebook, "Tien Gow".

Deal     Eight of the 32 tiles to each of four seats. The leader is the banker, who leads the first trick.
Tiny     Two seats get four each of [6:6] twice, [6:3], [5:4], [4:2], [2:1] and [5:1] twice.
Lead     One combination: a civil or a military tile, two equal civil tiles, two military ones of equal pips, the
         supreme pair [4:2][2:1], or one or two equal civil tiles with one or two military ones of their family:
         [6:6] and nines, [1:1] and eights, [4:4] and sevens, [3:1] and fives. `combinations` may allow fewer.
Rank     Civil: [6:6] [1:1] [4:4] [3:1] [5:5] [3:3] [2:2] [6:5] [6:4] [6:1] [5:1]; military: by pips; mixed: by the
         civil tile. The supreme pair is unbeatable and beats nothing.
Follow   Each other seat, in turn, either beats the best so far by a higher combination of the same class or discards
         as many tiles face down, whatever it holds. The best combination wins the trick and leads the next; a trick
         of n tiles counts n tricks.
Early    With `early_death` a seat without a trick must discard if the last trick is one of single tiles.
End      All hands are empty. Who won the last trick wins the deal.
Count    Each other seat owes the winner 4 less its tricks, 5 if it has none, and gets what is below zero. A banker's
         payments count times its multiplier: 2, one more than the deals it has been banker in a row with `banker`
         "growing", or 1; but a losing banker gets more than four tricks paid once with `banker_over` "single".
         With the tiny deck it is 2 less the tricks, and 3.
Bonuses  When a trick that is not the last was won by a supreme pair that was led (`supreme_bonus`), or by two civil
         and two military tiles (`four_bonus`), every other seat pays that many chips, times the banker's multiplier.
Last     What the winner gets, but not what it pays, is doubled if it led the supreme pair last (`last_supreme`) or
         [2:1] alone and unbeaten (`last_lowest`), and fourfold if it won with two civil and two military tiles
         (`last_four`). With `capture` who led [2:1], last and alone, to be beaten by [4:2] pays for all, fourfold.
         With `slam` who won every trick gets twice as much, four times if the last trick was of more than one tile.
Civil    With `civil_supreme` [5:1][5:1] is a supreme pair too, which [6:1][6:1] alone beats; nothing then beats that
         pair, and it gets the `supreme_bonus`. [5:1] alone counts like [2:1] in the last trick, and [6:1] like [4:2].
Order    Turns go counter-clockwise round the table.
Match    The winner of a deal is the next banker.
Actions  0.. plays a combination, 61.. discards a kind. A discard of n tiles is n actions, the lowest kind first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.bits import nth_one, ones
from gupai_env.core.byte_rows import MARKS, store_marks, write_row
from gupai_env.core.episode import NOBODY, clearing, seat_after, state_dtype
from gupai_env.core.move import AWAY, Move
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    DECK,
    KINDS,
    ONE,
    bit_each,
    deck_of,
    kinds_in,
    list_tiles,
    parse_tiles,
    tile_set,
    tiles_in,
    write_kinds,
)
from gupai_env.core.variant import FULL, TINY, Variant, option
from gupai_env.games.tien_gow.combinations import (
    BEATEN_BY,
    C1,
    C2,
    CAPTURING_PAIR,
    CIVIL_SUPREME,
    CLASS,
    COMBINATION_TILES,
    COMBINATIONS,
    M1,
    M2,
    OF_CLASS,
    SIZE,
    SUP,
    X11,
    combinations_in,
)
from gupai_env.games.tien_gow.settlement import FOURFOLD, OWED, TWICE, bonus_of, pay_bonus

SEATS, HAND = 4, 8
PLAYS = len(DECK)  # every decision sheds a tile or more
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("66 66 63 54 42 21 51 51"))))
DECK_SETS = tuple(map(tile_set, DECKS))
HANDS = (HAND, 4)

DISCARD = len(COMBINATIONS)  # the first discard action
ACTIONS = DISCARD + KINDS
TILES = np.append(COMBINATION_TILES, ONE)  # [actions], the tile set that each plays

DOUBLE, GROWING, NONE = "double", "growing", "none"
SINGLE, MULTIPLIED = "single", "multiplied"
COMBINATION_RULES = ("modern", "pairs", "pure", "single")
_ALL = (1 << len(COMBINATIONS)) - 1
_SINGLES = int(OF_CLASS[C1] | OF_CLASS[M1])
_PURE = _SINGLES | int(OF_CLASS[C2] | OF_CLASS[M2] | OF_CLASS[SUP])
ALLOWED = np.array([_ALL, _PURE | int(OF_CLASS[X11]), _PURE, _SINGLES])  # by `combinations`, those that may be led


@dataclass(frozen=True)
class TienGow(Variant):
    """The options of the rulebook's page "Tien Gow"."""

    players: int = option(4, "number of seats", (2, 4))
    combinations: str = option(
        "modern",
        '"modern": all; "pairs": at most two tiles; "pure": no mixed sets; "single": one tile',
        COMBINATION_RULES,
    )
    early_death: bool = option(True, "a seat without a trick must discard if the last trick is one of single tiles")
    banker: str = option(
        DOUBLE,
        'payments of the banker: "double"; "growing": times 2, 3, ... in deals in a row; "none": as all others',
        (DOUBLE, GROWING, NONE),
    )
    banker_over: str = option(
        SINGLE,
        "what a losing banker gets for more than four tricks: once, or times its multiplier",
        (SINGLE, MULTIPLIED),
    )
    supreme_bonus: int = option(0, "chips that a led supreme pair gets at once from each seat", (0, 2))
    four_bonus: int = option(0, "chips that four tiles of a family get at once from each seat", (0, 2, 4))
    last_supreme: bool = option(False, "a supreme pair led in the last trick doubles what is won")
    last_four: bool = option(False, "four tiles of a family that win the last trick make it fourfold")
    last_lowest: bool = option(False, "[2:1] led last and not beaten doubles it")
    capture: bool = option(False, "who led [2:1] last and is beaten by [4:2] pays for all, fourfold")
    slam: bool = option(False, "who wins every trick gets twice as much, or four times")
    civil_supreme: bool = option(False, "[5:1][5:1] is a supreme pair that [6:1][6:1] alone beats")

    LIMITS: ClassVar = {FULL: {"players": (4,)}, TINY: {"players": (2,)}}
    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "hong-kong": {
            "banker": GROWING,
            "supreme_bonus": 2,
            "four_bonus": 4,
            **dict.fromkeys(("last_supreme", "last_four", "last_lowest", "capture", "slam", "civil_supreme"), True),
        }
    }


STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("played", "i8", (SEATS,)),  # face up, by who played them
    ("discards", "i8", (SEATS,)),  # face down, known to their owner alone
    ("bonus", "i4", (SEATS,)),  # chips paid at once
    ("streak", "i2", (), 1),  # deals in a row, with this one, in which the leader is banker
    ("taken", "i1", (SEATS,)),  # tricks
    ("done", "i1"),  # tricks of all seats
    ("first", "i1"),  # who led the trick on the table, or who leads the next one
    ("lead", "i1", (), NOBODY),  # the combination that was led; NOBODY: none yet
    ("best", "i1", (), NOBODY),  # the highest one, of
    ("holder", "i1"),  # this seat
    ("tiles", "i1"),  # tiles of each seat in this trick; 0 before the lead
    ("turns", "i1"),  # seats that have played to it
    ("to_discard", "i1"),  # tiles that the seat to act must still add to its discard; 0: none is begun
    ("floor", "i1"),  # the lowest kind that may be added to it
    ("gave_up", "i1", (SEATS, len(OF_CLASS))),  # tiles discarded to tricks of each class
    ("opener", "i1"),  # who led the first trick of the record: the banker, but in positions set up by hand
    ("plays", "i1"),  # decisions so far
    ("record", "i1", (PLAYS,)),  # the actions
)
clear: Callable[..., Any] = clearing(STATE)


@rule
def clear_table(state):
    """Let the next trick begin."""
    state.lead = NOBODY
    state.best = NOBODY
    state.tiles = 0
    state.turns = 0
    state.to_discard = 0
    state.floor = 0


@rule
def deal_from(rules, state, order):
    """Deal the hands; the banker is to lead. How long it has been banker depends on the deals before."""
    streak = state.streak if state.deal > 0 else 1
    clear(state)
    state.streak = streak
    hand = HANDS[rules.deck]
    for index in range(len(order)):
        state.hands[index // hand] += ONE[order[index]]
    state.first = state.leader
    state.holder = state.leader
    state.opener = state.leader
    state.to_act = state.leader


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    index = 0
    for seat in range(rules.players):
        index += list_tiles(state.hands[seat] + state.played[seat] + state.discards[seat], order[index:])
    write_row(actions, state.record[: state.plays])
    return state.plays


@rule
def is_last(rules, state):
    """True if the trick on the table is the last one."""
    return state.done + state.tiles == HANDS[rules.deck]


@rule
def plays_of(rules, state, hand):
    """Return the set of combinations that the seat to act may play face up."""
    held = combinations_in(hand)
    if state.tiles == 0:
        return held & ALLOWED[rules.combinations]
    if state.to_discard > 0:
        return 0
    if rules.early_death and state.tiles == 1 and state.taken[state.to_act] == 0 and is_last(rules, state):
        return 0
    if rules.civil_supreme and state.lead == CIVIL_SUPREME and state.best == CAPTURING_PAIR:
        return 0  # no other pair beats what was led, nor then its captor
    return held & BEATEN_BY[rules.civil_supreme, state.best]


@rule
def may_discard(state, hand):
    """Return the set of kinds that may come next in a discard: enough tiles that are not lower must follow."""
    owed = state.to_discard if state.to_discard > 0 else state.tiles
    bits = bit_each(hand)
    highest = nth_one(bits, ones(bits) - owed)
    return kinds_in(hand) & ((2 << highest) - ONE[state.floor])


@rule
def legal_actions(rules, state, mask):
    """Mark what may be led, or what beats the best so far and what may be discarded."""
    hand = state.hands[state.to_act]
    plays = plays_of(rules, state, hand)
    store_marks(mask, 0, plays)
    store_marks(mask, MARKS, plays >> MARKS)
    if state.tiles > 0:
        write_kinds(may_discard(state, hand), mask, DISCARD)


@rule
def step(rules, state, action):
    """Play a combination or discard a tile; a discard of several tiles continues until it is complete."""
    seat = state.to_act
    state.record[state.plays] = action
    state.plays += 1
    state.hands[seat] -= TILES[action]
    if action >= DISCARD:
        state.discards[seat] += TILES[action]
        owed = (state.to_discard if state.to_discard > 0 else state.tiles) - 1
        state.to_discard = owed
        state.floor = action - DISCARD if owed > 0 else 0
        if owed > 0:
            return
        state.gave_up[seat, CLASS[state.best]] += state.tiles
    else:
        state.played[seat] += TILES[action]
        if state.tiles == 0:
            state.first = seat
            state.lead = action
            state.tiles = SIZE[action]
        state.best = action
        state.holder = seat
    state.turns += 1
    if state.turns < rules.players:
        state.to_act = seat_after(rules, state, seat)
    else:
        end_trick(rules, state)


@rule
def end_trick(rules, state):
    """Give the trick to who has the best combination; the last one ends the deal and stays on the table."""
    state.taken[state.holder] += state.tiles
    last = is_last(rules, state)
    state.done += state.tiles
    state.to_act = state.holder
    if last:
        state.terminated = 1
        return
    base = bonus_of(rules, state)
    if base > 0:
        pay_bonus(rules, state, base)
    clear_table(state)
    state.first = state.holder


@rule
def next_deal(rules, state):
    """The winner of the last trick is the next banker."""
    state.streak = state.streak + 1 if state.holder == state.leader else 1
    state.leader = state.holder


def payoff_bound(variant: TienGow) -> float:
    """Return chips that no seat can win or lose more of in a deal: a banker wins all tricks, and every bonus."""
    multipliers = {DOUBLE: 2, GROWING: 1 + variant.deals, NONE: 1}
    several, one = (FOURFOLD, TWICE) if variant.slam else (1, 1)
    factors = [several, FOURFOLD * variant.capture, (TWICE if variant.last_lowest else 1) * one]
    factors.append(several * (FOURFOLD if variant.last_four else TWICE if variant.last_supreme else 1))
    at_once = (1 + variant.civil_supreme) * variant.supreme_bonus + variant.four_bonus
    owed = int(OWED[int(variant.deck != FULL), 0])
    return float((variant.players - 1) * multipliers[variant.banker] * (owed * max(factors) + at_once))


MOVES = (
    *(Move(tiles=tuple(reversed(tiles_in(int(tiles))))) for tiles in COMBINATION_TILES),
    *(Move("discard", (kind,), to=AWAY) for kind in range(KINDS)),
)
