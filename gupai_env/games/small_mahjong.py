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
Bound    Claims into the hand take nothing from the wall and could go on for ever: from the 111th turn of a deal
         on nobody is asked.
End      A win; or the wall is empty and nobody claims the last discard, which without `claim_last_discard` is
         offered to nobody.
Payoff   Each other seat pays the winner the points of its two triplets, in the best split.
Match    The winner leads the next deal; after a draw the leader leads again.
Actions  kind discards; 21 wins; 22 passes; 23 claims into the hand; 24.. lays out one of 122 triplets.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gupai_env.core.game import NOBODY, Game, distance, resume_from, seat_after, seat_at, state_dtype
from gupai_env.core.rng import derive, draw, shuffle
from gupai_env.core.rows import BLOCK, copy_block, first_one, ones, scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    DECK,
    KIND,
    KINDS,
    ONE,
    bit_each,
    count,
    deck_of,
    first_kind,
    kinds_in,
    list_hand,
    list_tiles,
    parse_tiles,
    shuffled,
    size,
    tile_name,
    tile_set,
    write_kinds,
)
from gupai_env.core.variant import FULL, TINY, Variant, option
from gupai_env.games.triplets import (
    COMPLETING,
    DOUBLE_SET,
    PAIRS,
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
DREW, JOINED = 0, -1  # how a turn began, in place of the number of a triplet


@dataclass(frozen=True)
class SmallMahjong(Variant):
    """The options of the rulebook's page "Small Mahjong"."""

    players: int = option(4, "number of seats", (2, 3, 4))
    auto_win: bool = option(True, "who holds a win must declare it")
    expose_claims: bool = option(True, "a claimed tile is laid out in its triplet; False: it joins the hand")
    claim_last_discard: bool = option(True, "a discard after the last tile of the wall may be claimed")

    # In a tiny deal every claim makes a win; if it could be kept back, claims into the hand would go on and on.
    LIMITS: ClassVar = {FULL: {"players": (3, 4)}, TINY: {"players": (2,), "auto_win": (True,)}}


Rules = SmallMahjong.rules_type()

STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets, not laid out
    ("melds", "i8", (SEATS, 2)),  # the triplets laid out, as tile sets
    ("meld_points", "i1", (SEATS,)),
    ("known", "i8", (SEATS,)),  # tiles in hand that all saw being claimed
    ("discards", "i8", (SEATS,)),  # face up and claimed by nobody
    ("wall", "i1", (LONGEST_WALL,)),  # kinds, the next one at `top`, the last one at the end
    ("top", "i1"),
    ("mover", "i1"),  # whose turn it is: holds six tiles, or has discarded and the others are asked
    ("new_tile", "i1"),  # the kind it drew; NOBODY after a claim
    ("win", "i1"),  # points of its six tiles; 0: no win
    ("offer", "i1"),  # the kind it discarded and the others are asked about; NOBODY: none
    ("asked", "i1"),  # the seats, as bits, that have been asked
    ("winner", "i1"),
    ("waits", "i8", (SEATS,)),  # the kinds that complete a hand of five
    ("claims", "i8", (SEATS, DOUBLE_SET)),  # the kinds that it may claim at distance 1, 2 and 3
    ("turns", "i2"),  # turns begun; of each turn:
    ("steps", "i1", (TURNS,)),  # seats from the turn before to this one
    ("begun", "i1", (TURNS,)),  # DREW, JOINED or the number of the triplet laid out
    (
        "thrown",
        "i1",
        (TURNS,),
    ),  # the kind discarded; NOBODY: not yet; what follows the block begun is of no meaning
)

VIEW = np.dtype(
    [  # every array over seats begins with the viewer and goes on in order of turn
        ("seat", "i1"),  # the viewer's place at the table, and
        ("direction", "i1"),  # the order of turn there: for `determinize`, of no meaning to a player
        ("deal", "i2"),  # deals of the match that are finished, of
        ("deals", "i2"),
        ("total", "f4", (SEATS,)),  # chips won in them
        ("leader", "i1"),
        ("mover", "i1"),  # whose turn it is
        ("offer", "i1"),  # the kind that the viewer is asked about and the mover discarded; NOBODY: none
        ("new_tile", "i1"),  # the kind that the viewer has just drawn, or NOBODY
        ("win", "i1"),  # points of the six tiles that the viewer holds; 0: no win
        ("winner", "i1"),  # at the end of the deal, or NOBODY
        ("shown", "i8"),  # the hand of the winner
        ("hand", "i8"),
        ("melds", "i8", (SEATS, 2)),
        ("meld_points", "i1", (SEATS,)),
        ("known", "i8", (SEATS,)),
        ("discards", "i8", (SEATS,)),
        ("unseen", "i8"),  # all tiles in no place that the viewer sees; claimed ones are seen
        ("sizes", "i1", (SEATS,)),  # tiles in hand, not laid out
        ("wall", "i1"),  # tiles in the wall
        ("waits", "i8"),  # the kinds that complete the viewer's five tiles; 0 while it holds six
        ("waits_after", "i8", (KINDS,)),  # of six tiles: those that complete it once this kind is discarded
        (
            "partners",
            "i8",
            (KINDS,),
        ),  # the kinds that with this one and another tile of the hand are a triplet
        ("triplets", "i8"),  # the kinds in hand that are part of a triplet there
        ("turns", "i2"),
        ("steps", "i1", (TURNS,)),
        ("begun", "i1", (TURNS,)),
        ("thrown", "i1", (TURNS,)),
    ],
    align=True,
)


# --- the play ---------------------------------------------------------------------------------------------


@rule
def deck(rules):
    """Return the kinds of all tiles."""
    return DECKS[rules.deck]


@rule
def deal_from(rules, state, order):
    """Deal all hands; the leader draws."""
    state.hands[:] = 0
    state.melds[:] = 0
    state.meld_points[:] = 0
    state.known[:] = 0
    state.discards[:] = 0
    hand = HANDS[rules.deck]
    dealt = rules.players * hand
    for at in range(dealt):
        state.hands[at // hand] += ONE[order[at]]
    state.top = LONGEST_WALL - (len(order) - dealt)
    state.wall[:] = 0
    state.wall[state.top :] = order[dealt:]
    state.offer = NOBODY
    state.asked = 0
    state.winner = NOBODY
    state.turns = 0
    for seat in range(rules.players):
        study(state, seat)
    draw_tile(state, state.leader, 0)


@rule
def deal(rules, state, key):
    """Deal from `key`."""
    deal_from(rules, state, shuffled(deck(rules), key))


@rule
def study(state, seat):
    """Note what a seat that does not hold its sixth tile waits for, and what it may claim."""
    waits, near, middle, far = prospects(state.hands[seat])
    state.waits[seat] = waits
    state.claims[seat, 0] = waits | near
    state.claims[seat, 1] = waits | middle
    state.claims[seat, 2] = waits | far


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
    turn = state.turns
    if turn % BLOCK == 0:  # the turns of an earlier deal may stand there
        for blank in range(turn, turn + BLOCK):
            state.steps[blank] = 0
            state.begun[blank] = DREW
            state.thrown[blank] = NOBODY
    state.steps[turn] = steps
    state.begun[turn] = begun
    state.turns = turn + 1
    state.mover = seat
    state.to_act = seat
    state.new_tile = kind if begun == DREW else NOBODY
    state.win = 0
    if state.waits[seat] >> (3 * kind) & 1:
        state.win = best_split(state.hands[seat], state.meld_points[seat])


@rule
def legal_actions(rules, state, mask):
    """Mark the win and the discards of the mover, or the claims of a seat that is asked."""
    seat = state.to_act
    hand = state.hands[seat]
    if state.offer != NOBODY:
        mask[PASS] = True
        if rules.expose_claims:
            mark_triplets(
                hand, state.meld_points[seat], state.offer, distance(rules, state, state.mover, seat), mask
            )
        else:
            mask[JOIN] = True
        return
    mask[WIN] = state.win > 0
    if not (state.win > 0 and rules.auto_win):
        write_kinds(kinds_in(hand), mask, 0)


@rule
def mark_triplets(hand, laid_out, kind, steps, mask):
    """Mark the triplets for which a hand may claim a tile from `steps` seats away; `laid_out` are its points."""
    tiles, twos = scratch(5, np.uint8), scratch(5, np.int64)
    list_hand(hand, tiles)
    before, found = 0, 0
    for place in range(5):
        twos[place] = COMPLETING[kind, tiles[place], 0] & before
        before |= KIND[tiles[place]]
        found |= (twos[place] != 0) << place
    while found:
        place = first_one(found)
        found &= found - 1
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
        state.over = 1
    elif action == PASS:
        ask_from(rules, state, distance(rules, state, state.mover, seat) + 1)
    elif action >= JOIN:
        claim(rules, state, action - LAY_OUT)
    else:
        state.hands[seat] -= ONE[action]
        state.thrown[state.turns - 1] = action
        state.offer = action
        study(state, seat)
        last = state.top == LONGEST_WALL and not rules.claim_last_discard
        ask_from(rules, state, rules.players if last or state.turns > LAST_ASKED else 1)


@rule
def ask_from(rules, state, steps):
    """Ask the first seat from `steps` after the mover on that may claim; if there is none, nobody takes it."""
    may_claim, seat = 0, state.mover  # by distance, as bits
    for away in range(1, rules.players):
        seat = seat_after(rules, state, seat)
        may_claim |= (state.claims[seat, away - 1] >> (3 * state.offer) & 1) << away
    may_claim &= -1 << steps
    if may_claim:
        seat = seat_at(rules, state, state.mover, first_one(may_claim))
        state.asked |= 1 << seat
        state.to_act = seat
        return
    state.discards[state.mover] += ONE[state.offer]
    settle_offer(state)
    if state.top == LONGEST_WALL:
        state.over = 1
    else:
        draw_tile(state, seat_after(rules, state, state.mover), 1)


@rule
def settle_offer(state):
    """End the asking: the discard, and what it tells about the hand it came from, is public now."""
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
        begin_turn(state, seat, steps, number, kind)
    else:
        state.hands[seat] += ONE[kind]
        state.known[seat] += ONE[kind]
        begin_turn(state, seat, steps, JOINED, kind)


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


# --- who knows what ---------------------------------------------------------------------------------------


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`; to a seat that is not asked the mover still seems to hold what it discards."""
    unsettled = state.offer != NOBODY and not state.asked >> seat & 1
    offer = NOBODY if unsettled else state.offer
    back = ONE[state.offer] if unsettled else 0  # in the hand of the mover
    view.seat = seat
    view.direction = state.direction
    view.deal = state.deal
    view.deals = rules.deals
    view.leader = distance(rules, state, seat, state.leader)
    view.mover = distance(rules, state, seat, state.mover)
    view.offer = offer
    view.new_tile = state.new_tile if seat == state.mover else NOBODY
    view.win = state.win if seat == state.mover else 0
    view.winner = NOBODY
    view.shown = 0
    if state.winner != NOBODY:
        view.winner = distance(rules, state, seat, state.winner)
        view.shown = state.hands[state.winner]
    view.wall = LONGEST_WALL - state.top
    view.turns = state.turns
    if history:
        view.steps[:] = 0
        view.begun[:] = DREW
        view.thrown[:] = NOBODY
        for begun in range(
            0, state.turns, BLOCK
        ):  # in whole blocks; what follows in the last one is still blank
            copy_block(state.steps, view.steps, begun)
            copy_block(state.begun, view.begun, begun)
            copy_block(state.thrown, view.thrown, begun)
        if unsettled:
            view.thrown[state.turns - 1] = NOBODY
    unseen = DECK_SETS[rules.deck] - (0 if offer == NOBODY else ONE[offer])
    place_seat = seat
    for place in range(SEATS):  # a constant, so that the loop is unrolled
        if place == rules.players:
            break
        mover = place_seat == state.mover
        hand = state.hands[place_seat] + (back if mover else 0)
        known = state.known[place_seat]
        if mover and offer != NOBODY:
            known = without(known, offer)
        view.total[place] = state.total[place_seat]
        for number in range(2):
            view.melds[place, number] = state.melds[place_seat, number]
            unseen -= state.melds[place_seat, number]
        view.meld_points[place] = state.meld_points[place_seat]
        view.known[place] = known
        view.discards[place] = state.discards[place_seat]
        view.sizes[place] = ones(bit_each(hand))
        unseen -= state.discards[place_seat]
        if place == 0:
            view.hand = hand
            unseen -= hand
        else:
            unseen -= view.shown if place == view.winner else known
        place_seat = seat_after(rules, state, place_seat)
    view.unseen = unseen
    study_view(state.waits[seat], view)


@rule
def study_view(waits, view):
    """Fill in what the viewer's own hand lacks; `waits` are those of its hand of five or two."""
    hand = view.hand
    held = ones(bit_each(hand))
    view.waits = waits if held == 5 or held == 2 else 0
    view.waits_after[:] = 0
    view.partners[:] = 0
    view.triplets = 0
    tiles = scratch(6, np.uint8)
    list_hand(hand, tiles)
    if held > 3:
        study_many(hand, tiles, held, view)
    elif held > 0:
        study_few(tiles, held, view)


@rule
def study_few(tiles, held, view):
    """Note what one to three tiles lack, beside what is laid out."""
    one, two, three = tiles[0], tiles[1], tiles[2]
    beside_one, beside_two = COMPLETING[two, three, 0], COMPLETING[one, three, 0]
    beside_three = COMPLETING[one, two, 0]
    view.partners[one] = beside_two | beside_three
    if held > 1:
        view.partners[two] = beside_one | beside_three
    if held == 3:
        view.partners[three] = beside_one | beside_two
        view.waits_after[one] = beside_one
        view.waits_after[two] = beside_two
        view.waits_after[three] = beside_three
        if TRIPLET[one, two, three]:
            view.triplets = KIND[one] | KIND[two] | KIND[three]


@rule
def study_many(hand, tiles, held, view):
    """Note what five or six tiles lack; loops of a fixed length first, then what few triplets there are."""
    before, partners = scratch(6, np.int64), scratch(6, np.int64)
    kinds = 0
    for place in range(6):
        before[place] = kinds
        kinds |= KIND[tiles[place]]
    partners[:] = 0
    found = 0  # the pairs, as bits, that are a triplet with a tile before them
    for row in range(5):
        for column in range(3):
            two, one = PAIRS[row, column, 0], PAIRS[row, column, 1]
            completing = COMPLETING[tiles[one], tiles[two], 0]
            partners[one] |= completing
            partners[two] |= completing
            found |= ((completing & before[one]) != 0) << (3 * row + column)
    for place in range(5):
        view.partners[tiles[place]] = partners[place]
    if held == 6:
        view.partners[tiles[5]] = partners[5]
    while found:
        pair = first_one(found)
        found &= found - 1
        two, one = tiles[PAIRS[pair // 3, pair % 3, 0]], tiles[PAIRS[pair // 3, pair % 3, 1]]
        thirds = COMPLETING[one, two, 0] & before[PAIRS[pair // 3, pair % 3, 1]]
        view.triplets |= KIND[one] | KIND[two] | thirds
        if held == 6:
            while thirds:
                third = thirds & -thirds
                thirds -= third
                note_waits(hand - KIND[one] - KIND[two] - third, view.waits_after)


@rule
def note_waits(tiles, waits_after):
    """Note what completes two of three tiles, beside a triplet, once the third is discarded."""
    kinds = scratch(3, np.uint8)
    list_hand(tiles, kinds)
    one, two, three = kinds[0], kinds[1], kinds[2]
    waits_after[one] |= COMPLETING[two, three, 0]
    waits_after[two] |= COMPLETING[one, three, 0]
    waits_after[three] |= COMPLETING[one, two, 0]


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals that the view allows.

    Unseen tiles are put anywhere and the turns of the others taken back, each drawn tile being any that it
    can have been, all alike; a history against the rules is drawn again.
    """
    restore_public(rules, view, key, state)
    who, known = np.empty(TURNS, np.int8), np.empty(TURNS, np.int64)
    list_turns(rules, view, state, who, known)
    tiles = np.empty(len(deck(rules)), np.int8)
    unseen = list_tiles(view.unseen, tiles)
    attempt = derive(key, 1)
    place_tiles(rules, view, tiles[:unseen], attempt, state)
    while not possible(rules, view, who, known, attempt, state):
        attempt = derive(attempt, 0)
        place_tiles(rules, view, tiles[:unseen], attempt, state)
    for seat in range(rules.players):
        if seat != state.mover or view.offer != NOBODY:
            study(state, seat)
    six = state.hands[state.mover]
    if view.offer != NOBODY:
        six += ONE[view.offer]
        for steps in range(1, distance(rules, state, state.mover, view.seat) + 1):
            seat = seat_at(rules, state, state.mover, steps)
            if state.claims[seat, steps - 1] >> (3 * view.offer) & 1:
                state.asked |= 1 << seat  # before the viewer, or the viewer
    state.win = best_split(six, state.meld_points[state.mover])


@rule
def restore_public(rules, view, key, state):
    """Fill a state with all that a view knows; hands of the others hold their known tiles alone."""
    resume_from(view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.mover = seat_at(rules, state, view.seat, view.mover)
    state.to_act = state.mover if view.offer == NOBODY else view.seat
    state.top = LONGEST_WALL - view.wall
    state.new_tile = view.new_tile
    state.win = 0
    state.offer = view.offer
    state.asked = 0
    state.winner = NOBODY
    state.turns = view.turns
    state.steps[:] = view.steps
    state.begun[:] = view.begun
    state.thrown[:] = view.thrown
    for place in range(rules.players):
        seat = seat_at(rules, state, view.seat, place)
        state.total[seat] = view.total[place]
        state.melds[seat, :] = view.melds[place, :]
        state.meld_points[seat] = view.meld_points[place]
        state.known[seat] = view.known[place]
        state.discards[seat] = view.discards[place]
    state.hands[view.seat] = view.hand


@rule
def list_turns(rules, view, state, who, known):
    """List whose turn each was, and which tiles its hand was known to hold once it had six."""
    held = np.zeros(SEATS, np.int64)
    seat = state.leader
    for turn in range(view.turns):
        seat = seat_at(rules, state, seat, view.steps[turn])
        if view.begun[turn] == JOINED:
            held[seat] += ONE[view.thrown[turn - 1]]
        who[turn] = seat
        known[turn] = held[seat]
        if view.thrown[turn] != NOBODY:
            held[seat] = without(held[seat], view.thrown[turn])


@rule
def place_tiles(rules, view, tiles, key, state):
    """Put unseen tiles, int8 kinds, into the other hands and the wall in an order drawn from `key`."""
    shuffle(tiles, key)
    used = 0
    for place in range(1, rules.players):
        seat = seat_at(rules, state, view.seat, place)
        state.hands[seat] = view.known[place]
        for _ in range(view.sizes[place] - size(view.known[place])):
            state.hands[seat] += ONE[tiles[used]]
            used += 1
    state.wall[:] = 0
    state.wall[state.top :] = tiles[used : used + view.wall]


@rule
def possible(rules, view, who, known, key, state):
    """Take back the turns of the others, from the last; False if one of them was against the rules.

    Any tile not known to have been claimed can be the one that was drawn. As there are equally many of these
    whatever the tiles are, all deals stay equally likely.
    """
    luck = derive(key, len(DECK))
    hands, laid_out = state.hands.copy(), state.meld_points.copy()
    for turn in range(view.turns - 1, -1, -1):
        seat, thrown, begun = who[turn], view.thrown[turn], view.begun[turn]
        if seat == view.seat:
            continue
        if thrown != NOBODY:
            hands[seat] += ONE[thrown]
            if rules.auto_win and best_split(hands[seat], laid_out[seat]):
                return False
        if begun == DREW:
            kind = some_tile(hands[seat] - known[turn], derive(luck, turn))
            hands[seat] -= ONE[kind]
            if turn == view.turns - 1:
                state.new_tile = kind
            continue
        kind = view.thrown[turn - 1]
        if begun == JOINED:
            hands[seat] -= ONE[kind]
            sets = prospects(hands[seat])
            if not (sets[0] | sets[view.steps[turn]]) >> (3 * kind) & 1:
                return False
        else:
            if POINTS[begun] < view.steps[turn] and not best_split(hands[seat], laid_out[seat]):
                return False
            hands[seat] += TILES[begun] - ONE[kind]
            laid_out[seat] -= POINTS[begun]
    return True


@rule
def some_tile(tiles, key):
    """Return the kind of a tile drawn from a set, every copy alike."""
    left = draw(key, 0, size(tiles))
    for kind in range(KINDS):
        left -= count(tiles, kind)
        if left < 0:
            return kind
    return NOBODY


def payoff_bound(variant: SmallMahjong) -> float:
    """Return chips that no seat can win or lose more of in a deal: double sets paid by all others."""
    triplets = (HANDS[variant.as_rules(Rules).deck] + 1) // 3
    return float((variant.players - 1) * triplets * DOUBLE_SET)


def _action_names() -> tuple[str, ...]:
    return (
        *(f"discard {tile_name(kind)}" for kind in range(KINDS)),
        "win",
        "pass",
        "claim into the hand",
        *(f"claim {''.join(map(tile_name, kinds))}" for _, kinds in TRIPLETS),
    )


GAME = Game(
    id="small-mahjong",
    title="Small Mahjong 打小麻將",
    version=0,
    variant=SmallMahjong,
    rules_type=Rules,
    max_seats=SEATS,
    max_decisions=TURNS * SEATS,
    action_names=_action_names(),
    state=STATE,
    view=VIEW,
    deck=deck,
    deal_from=deal_from,
    deal=deal,
    legal_actions=legal_actions,
    step=step,
    payoffs=payoffs,
    next_deal=next_deal,
    information_set=information_set,
    determinize=determinize,
    payoff_bound=payoff_bound,
)
