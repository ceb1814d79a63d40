"""Small Mahjong (打小麻將): draw or claim a sixth tile, win with two triplets or discard.

Source: the rulebook, "Small Mahjong".

Deal     Five tiles each; the rest is the wall. The leader draws.
Tiny     Two players get two of [1:1] twice, [3:2], [4:1], [4:4] twice and [6:5] twice; one triplet wins, so that every
         claim completes a win.
Triplet  Three tiles whose six numbers are two sets of three equal ones (3 points), a set and a straight without
         its number (2), or two straights (1). The straights are 123, 234, 345 and 456.
Turn     Who drew or claimed holds six tiles, triplets laid out included. If they are two triplets it may declare
         a win, with `auto_win` it must; else it discards one face up.
Claim    The others are asked in order of turn. The seat at distance d may claim, with two tiles of its hand, for
         a triplet of d points or more, or of any points if that completes a win. With `expose_claims` it says
         which triplet, and this is laid out for good; otherwise the tile joins the hand.
Next     The claimer has the turn. If nobody claims, the seat after the discarder draws.
Secret   Only who may claim is asked. A seat sees a discard when it is asked about it, the others when it is
         settled who takes it; until then their table stands still. So nobody sees whether others were asked.
Bound    From the 111th turn of a deal on nobody is asked, for claims into the hand take nothing from the wall. A turn
         begins with a drawn or a claimed tile, whoever's it is, and the discard of the 110th is the last to be offered.
End      A win; or the wall is empty and nobody claims the last discard, offered with `claim_last_discard` alone.
Payoff   Each other seat pays the winner the points of its two triplets, in the best split.
Match    The winner leads the next deal; after a draw the leader leads again.
Actions  kind discards; 21 wins; 22 passes; 23 claims into the hand; 24.. lays out one of 122 triplets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.bits import first_one
from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import NOBODY, clearing, distance, seat_after, state_dtype
from gupai_env.core.memory import address_of, array_at, scratch
from gupai_env.core.move import AWAY, Move
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.tiles import (
    DECK,
    KIND,
    KINDS,
    ONE,
    count,
    deck_of,
    first_kind,
    kinds_in,
    list_hand,
    parse_tiles,
    tile_set,
    write_kinds,
)
from gupai_env.core.variant import FULL, TINY, Variant, option
from gupai_env.games.small_mahjong.triplets import (
    COMPLETING,
    DOUBLE_SET,
    POINTS,
    TILES,
    TRIPLET,
    TRIPLETS,
    best_split,
    prospects,
)

SEATS = 4
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("11 11 32 41 44 44 65 65"))))
DECK_SETS = tuple(map(tile_set, DECKS))
HANDS = (5, 2)  # tiles; with one more they are two triplets, or one
LONGEST_WALL = 17  # tiles, with three players
LAST_ASKED = 110  # turns of a deal after whose discards others are asked
TURNS = LAST_ASKED + LONGEST_WALL + 1

WIN = KINDS
PASS = WIN + 1
JOIN = PASS + 1
LAY_OUT = JOIN  # + the number of the triplet
FLAG = np.dtype(np.bool_)
DREW, JOINED = 0, -1  # how a turn began, in place of the number of a triplet
# What `log` has of a turn: seats from the turn before to this one; DREW, JOINED or the number of the triplet laid out;
# the kind drawn, where it began with DREW; the kind discarded, NOBODY: not yet.
STEPS, BEGUN, DRAWN, THROWN = range(4)


@dataclass(frozen=True)
class SmallMahjong(Variant):
    """The options of the rulebook's page "Small Mahjong"."""

    players: int = option(4, "number of seats", (2, 3, 4))
    auto_win: bool = option(True, "who holds a win must declare it")
    expose_claims: bool = option(True, "a claimed tile is laid out in its triplet; False: it joins the hand")
    claim_last_discard: bool = option(True, "a discard after the last tile of the wall may be claimed")

    # In a tiny deal every claim makes a win; if it could be kept back, claims into the hand would continue for ever.
    LIMITS: ClassVar = {FULL: {"players": (3, 4)}, TINY: {"players": (2,), "auto_win": (True,)}}


STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets, not laid out
    ("melds", "i8", (SEATS, 2)),  # the triplets laid out, as tile sets
    ("meld_points", "i1", (SEATS,)),
    ("known", "i8", (SEATS,)),  # tiles in hand that all saw being claimed
    ("discards", "i8", (SEATS,)),  # face up and claimed by nobody
    ("wall", "i1", (LONGEST_WALL,)),  # kinds, the next one at `top`, the last one at the end
    ("top", "i1", (), LONGEST_WALL),
    ("mover", "i1", (), NOBODY),  # whose turn it is: holds six tiles, or has discarded and the others are asked
    ("new_tile", "i1", (), NOBODY),  # the kind it drew; NOBODY after a claim
    ("win", "i1"),  # points of its six tiles; 0: no win
    ("offer", "i1", (), NOBODY),  # the kind it discarded and the others are asked about; NOBODY: none
    ("asked", "i1"),  # the seats, as bits, that have been asked
    ("winner", "i1", (), NOBODY),
    ("waits", "i8", (SEATS,)),  # the kinds that complete a hand of five
    ("claims", "i8", (SEATS,)),  # the kinds that it may claim, a bit each for distance 1, 2 and 3
    ("turns", "i2"),  # turns begun
    ("log", "i1", (TURNS, 4), (0, DREW, 0, NOBODY)),  # of each turn, see STEPS
)
clear: Callable[..., Any] = clearing(STATE, up_to="log")


@rule
def deal_from(rules, state, order):
    """Deal all hands; the leader draws."""
    for turn in range(state.turns):  # of the deal before: of the log, most of the memory, as little as there can be
        write_turn(state, turn, 0, DREW, 0)
    clear(state)
    hand = HANDS[rules.deck]
    dealt = rules.players * hand
    for index in range(dealt):
        state.hands[index // hand] += ONE[order[index]]
    state.top = LONGEST_WALL - (len(order) - dealt)
    write_row(state.wall[state.top :], order[dealt:])
    for seat in range(rules.players):
        study(state, seat)
    draw_tile(state, state.leader, 0)


@rule
def study(state, seat):
    """Note what a seat that does not hold its sixth tile waits for, and what it may claim."""
    state.waits[seat], state.claims[seat] = prospects(state.hands[seat])


@rule
def draw_tile(state, seat, steps):
    """Begin the turn of a seat, `steps` after the last one, with the next tile of the wall."""
    kind = state.wall[state.top]
    state.top += 1
    state.hands[seat] += ONE[kind]
    begin_turn(state, seat, steps, DREW, kind)


@rule
def begin_turn(state, seat, steps, begun, kind):
    """Begin the turn of a seat that has got its sixth tile, one of `kind`."""
    write_turn(state, state.turns, steps, begun, kind if begun == DREW else 0)
    state.turns += 1
    state.mover = seat
    state.to_act = seat
    state.new_tile = kind if begun == DREW else NOBODY
    state.win = 0
    if state.waits[seat] >> (3 * kind) & 1:
        state.win = best_split(state.hands[seat], state.meld_points[seat])


@rule
def write_turn(state, turn, steps, begun, drawn):
    """Write what is known of a turn as it begins."""
    state.log[turn, STEPS] = steps
    state.log[turn, BEGUN] = begun
    state.log[turn, DRAWN] = drawn
    state.log[turn, THROWN] = NOBODY


@rule
def legal_actions(rules, state, mask):
    """Mark the win and the discards of the mover, or the claims of a seat that is asked."""
    seat = state.to_act
    hand = state.hands[seat]
    if state.offer != NOBODY:
        mask[PASS] = True
        if rules.expose_claims:
            steps = distance(rules, state, state.mover, seat)
            mark_triplets(hand, state.meld_points[seat], state.offer, steps, address_of(mask))
        else:
            mask[JOIN] = True
        return
    mask[WIN] = state.win > 0
    if not (state.win > 0 and rules.auto_win):
        write_kinds(kinds_in(hand), mask, 0)


@long_rule
def mark_triplets(hand, laid_out, kind, steps, address):
    """Mark the triplets for which a hand may claim a tile from `steps` seats away; `laid_out` are its points.

    The mask is given by its address: references to an array that is handed to a called function would be counted.
    """
    mask = array_at(address, (LAY_OUT + len(TILES),), FLAG)
    tiles, twos = scratch(5, np.uint8), scratch(5, np.int64)
    list_hand(hand, tiles)
    before, places = 0, 0
    for place in range(5):
        twos[place] = COMPLETING[kind, tiles[place]] & before
        before |= KIND[tiles[place]]
        places |= (twos[place] != 0) << place
    while places:
        place = first_one(places)
        places &= places - 1
        one = tiles[place]
        while twos[place]:
            two = first_kind(twos[place])
            twos[place] -= ONE[two]
            number = TRIPLET[kind, one, two]
            rest = hand - ONE[one] - ONE[two]
            if POINTS[number] >= steps or best_split(rest, laid_out + POINTS[number]):
                mask[LAY_OUT + number] = True


@rule
def step(rules, state, action):
    """Win, discard and ask the others, or answer as one of them."""
    seat = state.to_act
    if action == WIN:
        state.winner = seat
        state.terminated = 1
        return
    if action >= JOIN:
        claim(rules, state, action - LAY_OUT)
        return
    if action == PASS:
        steps = distance(rules, state, state.mover, seat) + 1
    else:
        state.hands[seat] -= ONE[action]
        state.log[state.turns - 1, THROWN] = action
        state.offer = action
        study(state, seat)
        last = state.top == LONGEST_WALL and not rules.claim_last_discard
        steps = rules.players if last or state.turns > LAST_ASKED else 1
    ask_from(rules, state, steps)


@rule
def ask_from(rules, state, steps):
    """Ask the first seat from `steps` after the mover on that may claim; if there is none, nobody takes it."""
    may_claim, seats, seat = 0, 0, state.mover  # by distance: as bits, and as bytes
    for away in range(1, SEATS):  # a constant, so that the loop is unrolled
        if away == rules.players:
            break
        seat = seat_after(rules, state, seat)
        may_claim |= (state.claims[seat] >> (3 * state.offer + away - 1) & 1) << away
        seats |= int(seat) << 8 * away
    may_claim &= -1 << steps
    if may_claim:
        seat = seats >> 8 * first_one(may_claim) & 127
        state.asked |= 1 << seat
        state.to_act = seat
        return
    state.discards[state.mover] += ONE[state.offer]
    settle_offer(state)
    if state.top == LONGEST_WALL:
        state.terminated = 1
    else:
        draw_tile(state, seat_after(rules, state, state.mover), 1)


@rule
def settle_offer(state):
    """End the asking: the discard, and what it reveals about the hand it came from, is public now."""
    state.known[state.mover] = without(state.known[state.mover], state.offer)
    state.offer = NOBODY
    state.asked = 0
    state.new_tile = NOBODY
    state.win = 0


@rule
def without(known, kind):
    """Return the tiles that a hand is known to hold after it discards a tile."""
    return known - ONE[kind] if count(known, kind) else known


@rule
def claim(rules, state, number):
    """Take the discard into the hand (number 0), or lay it out with two tiles as triplet `number`."""
    seat, kind = state.to_act, state.offer
    steps = distance(rules, state, state.mover, seat)
    settle_offer(state)
    if number:
        state.hands[seat] -= TILES[number] - ONE[kind]
        state.melds[seat, 1 if state.melds[seat, 0] else 0] = TILES[number]
        state.meld_points[seat] += POINTS[number]
    else:
        state.hands[seat] += ONE[kind]
        state.known[seat] += ONE[kind]
    begin_turn(state, seat, steps, number if number else JOINED, kind)


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: each other seat pays the winner the points of its two triplets."""
    if state.winner != NOBODY:
        for seat in range(rules.players):
            out[seat] = -state.win
        out[state.winner] = state.win * (rules.players - 1)


@rule
def next_deal(rules, state):
    """The winner leads the next deal; after a draw the same leader."""
    if state.winner != NOBODY:
        state.leader = state.winner


def payoff_bound(variant: SmallMahjong) -> float:
    """Return an upper bound of the chips that a seat can win or lose in a deal: double sets paid by all others."""
    triplets = (HANDS[variant.as_rules().deck] + 1) // 3
    return float((variant.players - 1) * triplets * DOUBLE_SET)


MOVES = (
    *(Move("discard", (kind,), to=AWAY) for kind in range(KINDS)),
    *map(Move, ("win", "pass", "claim into the hand")),
    *(Move("claim", tuple(kinds)) for _, kinds in TRIPLETS),
)
