"""Tiu-U (釣魚, "catching fish"): two sets of tiles, and every bait catches a fish of equal pips.

Source: the rulebook, "Tiu-U".

Deal     24 of the 64 tiles to the hands, 12 each for two players or 8 for three; 16 face up as the lake; 24 as
         the stock.
Tiny     [3:2] twice, [4:1] twice and [6:6] four times: two tiles to each of two players, one to the lake, three to
         the stock, so that the last bait is followed by none of it.
Turn     A bait from the hand, then the top tile of the stock, which all see and which is played at once.
Play     Catch one fish that matches the bait; catch three if they lie in the lake and are the bait's own kind
         (`triple_catch`); or lay the bait into the lake, with `must_catch` only if it catches nothing.
Match    Equal pips; besides, [4:2] and [2:1] match each other.
Lock     With `lock_triples` three identical tiles of the lake are closed: only the fourth takes them, and it
         may whatever `triple_catch` says. Four of them in the lake, dealt or laid there, nobody can catch.
Pair     With `heaven_pair` a seat may lay two [6:6] of its hand into its catch before its bait, and the other
         two as well. Its hand then ends sooner: without a bait the turn is the tile of the stock alone.
End      Hands and stock are empty. What is left in the lake is nobody's.
Count    Tiles of less than eight pips: a point for each red pip, the sum rounded up to tens. The others: two
         points for every pip.
Match    The lead of the next deal passes to the next seat.
Actions  kind lays a tile; 21.. a bait catches a fish; 70.. a bait catches three; 81 lays a heaven pair.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_env.core.bits import gather
from gupai_env.core.episode import NOBODY, clearing
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    COPIES,
    FULL_SET,
    KINDS,
    ONE,
    RED,
    WEIGHT,
    count,
    deck_of,
    kind_of,
    kinds_in,
    parse_tiles,
    tile_set,
    write_kinds,
)
from gupai_env.core.variant import Variant, option
from gupai_env.games.fishing import rules as fishing
from gupai_env.games.fishing.rules import (
    CATCH,
    SEATS,
    action_finder,
    begin_turn,
    deal_tiles,
    end_play,
    fishing_state,
    lay,
    mark_catches,
    match_set,
    moves_with,
    put_on_record,
    threes_in,
)

DEALT, LAKE, STOCK = 24, 16, 24  # tiles
PLAYS = DEALT + STOCK  # the longest deal; a heaven pair is one decision for two tiles
TWO_SETS = 2 * FULL_SET
DECK = deck_of(TWO_SETS)  # int8 [64]
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("32 32 41 41 66 66 66 66"))))
DECK_SETS = tuple(map(tile_set, DECKS))
SHARES = ((DEALT, LAKE), (4, 1))  # tiles in all hands and in the lake; the rest are the stock
HEAVEN = kind_of(6, 6)
SUPREME = (kind_of(4, 2), kind_of(2, 1))
BIG = 8  # pips of the smallest big fish

DIFFERENCE, POINTS = "difference", "points"


def _match(bait: int, fish: int) -> bool:
    return WEIGHT[bait] == WEIGHT[fish] or (bait in SUPREME and fish in SUPREME)


_CATCHES = [(bait, fish) for bait in range(KINDS) for fish in range(KINDS) if _match(bait, fish)]
_FOURFOLD = [kind for kind in range(KINDS) if COPIES[kind] == 2]  # four of them in two sets
THREE = CATCH + len(_CATCHES)  # the first that catches three
HEAVEN_PAIR = THREE + len(_FOURFOLD)
ACTIONS = HEAVEN_PAIR + 1
# What is played by each action, and what it catches one of:
BAIT = np.array([*range(KINDS), *(bait for bait, _ in _CATCHES), *_FOURFOLD, HEAVEN], np.int8)
FISH = np.array([NOBODY] * KINDS + [fish for _, fish in _CATCHES] + [NOBODY] * (ACTIONS - THREE), np.int8)

with_bait: Callable[..., Any] = action_finder(BAIT[CATCH:])
with_fish: Callable[..., Any] = action_finder(FISH[CATCH:])
FOURFOLD = tile_set(_FOURFOLD)
MATCHING = np.array([sum(ONE[fish] for bait, fish in _CATCHES if bait == kind) for kind in range(KINDS)])
# int64 [KINDS], so that sums of them are right in plain Python too:
SMALL_RED = np.where(WEIGHT < BIG, RED, 0).astype(np.int64)  # red pips of a small fish
BIG_POINTS = np.where(WEIGHT < BIG, 0, 2 * WEIGHT).astype(np.int64)  # points of a big one


@dataclass(frozen=True)
class TiuU(Variant):
    """The options of the rulebook's page "Tiu-U"."""

    players: int = option(2, "number of seats", (2, 3))
    triple_catch: bool = option(True, "the fourth of a kind may catch the three in the lake")
    must_catch: bool = option(False, "a bait that can catch may not be laid")
    lock_triples: bool = option(False, "three of a kind in the lake are caught by the fourth alone, and four by none")
    heaven_pair: bool = option(False, "two [6:6] in hand may be laid into the catch as an extra play")
    settlement: str = option(
        DIFFERENCE,
        '"difference": every two seats settle theirs; "points": a seat\'s points less the mean of all',
        (DIFFERENCE, POINTS),
    )


STATE = fishing_state(STOCK, PLAYS, ("red", "i1", (SEATS,)))  # red pips of the small fish of each catch
clear: Callable[..., Any] = clearing(STATE)


@rule
def single_fish(rules, lake):
    """Return the set of kinds of which one tile may be caught out of the lake."""
    fish = kinds_in(lake)
    return fish & ~(threes_in(lake) | (lake >> 2)) if rules.lock_triples else fish


@rule
def tens(red):
    """Return the points of small fish with so many red pips: these rounded up to tens."""
    return (red + 9) // 10 * 10


@rule
def put_into_catch(state, seat, kind, tiles):
    """Add some tiles of one kind to a catch."""
    red = state.red[seat] + tiles * SMALL_RED[kind]
    state.points[seat] += tiles * BIG_POINTS[kind] + tens(red) - tens(state.red[seat])
    state.red[seat] = red
    state.catches[seat] += tiles * ONE[kind]


@rule
def deal_from(rules, state, order):
    """Deal hands, lake and stock; the leader is to choose a bait."""
    clear(state)
    deal_tiles(rules, state, order, SHARES[rules.deck])


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    shares, deck_set = SHARES[rules.deck], DECK_SETS[rules.deck]
    return fishing.history(rules, state, shares, deck_set, BAIT, HEAVEN_PAIR, order, actions)


@rule
def legal_actions(rules, state, mask):
    """Mark what the bait, or the tiles in hand, may do."""
    hand = state.hands[state.to_act] if state.drawn == NOBODY else ONE[state.drawn]
    baits = kinds_in(hand)
    fish = single_fish(rules, state.lake)
    threes = threes_in(state.lake) if rules.triple_catch or rules.lock_triples else 0
    marks = with_bait(baits) & (with_fish(fish) | gather(threes, FOURFOLD) << (THREE - CATCH))
    heaven_pair = rules.heaven_pair and state.drawn == NOBODY and count(hand, HEAVEN) >= 2
    mark_catches(marks | int(heaven_pair) << (HEAVEN_PAIR - CATCH), mask)
    write_kinds(baits & ~(match_set(fish, MATCHING) | threes) if rules.must_catch else baits, mask, 0)


@rule
def step(rules, state, action):
    """Play a bait, or a heaven pair before it; turn up the tile of the stock after a bait of the hand."""
    seat, kind = state.to_act, BAIT[action]
    put_on_record(state, action)
    if action == HEAVEN_PAIR:
        state.hands[seat] -= 2 * ONE[HEAVEN]
        put_into_catch(state, seat, HEAVEN, 2)
        begin_turn(rules, state)
        return
    if state.drawn == NOBODY:
        state.hands[seat] -= ONE[kind]
    if action < CATCH:
        lay(state, seat, kind)
    elif action < THREE:
        state.lake -= ONE[FISH[action]]
        put_into_catch(state, seat, FISH[action], 1)
        put_into_catch(state, seat, kind, 1)
    else:
        state.lake -= 3 * ONE[kind]
        put_into_catch(state, seat, kind, 4)
    end_play(rules, state, seat)


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: what the catches count, settled pairwise or against the mean."""
    for seat in range(rules.players):
        for other in range(rules.players):
            out[seat] += state.points[seat] - state.points[other]
        if rules.settlement == 1:  # what all differences add up to is `players` times that to the mean
            out[seat] /= rules.players


def payoff_bound(variant: TiuU) -> float:
    """Return an upper bound of the chips that a seat can win or lose in a deal: one seat catches everything."""
    tiles = DECKS[variant.as_rules().deck]
    everything = tens(SMALL_RED[tiles].sum()) + BIG_POINTS[tiles].sum()
    return float((variant.players - 1) * everything)


MOVES = moves_with(_CATCHES, _FOURFOLD, "heaven pair")
