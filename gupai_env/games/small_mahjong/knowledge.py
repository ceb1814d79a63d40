"""Small Mahjong: who knows what, what a hand lacks, the deals that fit it, and how a deal went."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gupai_env.core.bits import as_index, first_one, nth_one, ones
from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import NOBODY, begin_view, clearing, distance, resume_from, seat_after, seat_at, view_dtype
from gupai_env.core.memory import blank, scratch
from gupai_env.core.rng import derive, draw, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    ALL_KINDS,
    DECK,
    KIND,
    MOST_TILES,
    ONE,
    bit_each,
    count,
    kinds_in,
    list_hand,
    list_tiles,
    size,
)
from gupai_env.games.small_mahjong.rules import (
    BEGUN,
    DECK_SETS,
    DRAWN,
    DREW,
    JOIN,
    JOINED,
    LAY_OUT,
    LONGEST_WALL,
    PASS,
    SEATS,
    STATE,
    STEPS,
    THROWN,
    TURNS,
    deal_from,
    step,
    study,
    without,
)
from gupai_env.games.small_mahjong.triplets import COMPLETING, MOST_HELD, PAIRS, POINTS, TILES, best_split, prospects

clear: Callable[..., Any] = clearing(STATE)  # the log as well, which may be that of any deal
VIEW = view_dtype(
    SEATS,
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
    ("waits_after", "i8", (MOST_HELD,)),  # of six tiles, by `place_of`: what completes it once this one is discarded
    ("partners", "i8", (MOST_HELD,)),  # by `place_of`: the kinds that with this tile and another one are a triplet
    ("triplets", "i8"),  # the kinds in hand that are part of a triplet there
    ("turns", "i2"),
    ("steps", "i1", (TURNS,)),
    ("begun", "i1", (TURNS,)),
    ("thrown", "i1", (TURNS,)),
)


@rule
def information_set(rules, state, seat, view, history=True):
    """Fill the view of `seat`; to a seat that is not asked the mover still seems to hold what it discards."""
    unsettled = state.offer != NOBODY and not state.asked >> seat & 1
    offer = NOBODY if unsettled else state.offer
    begin_view(rules, state, seat, view)
    view.leader = distance(rules, state, seat, state.leader)
    view.mover = distance(rules, state, seat, state.mover)
    view.offer = offer
    view.new_tile = state.new_tile if seat == state.mover else NOBODY
    view.win = state.win if seat == state.mover else 0
    view.winner = NOBODY
    view.shown = 0
    view.known[:] = 0
    if state.winner != NOBODY:
        view.winner = distance(rules, state, seat, state.winner)
        view.shown = state.hands[state.winner]
    view.wall = LONGEST_WALL - state.top
    view.turns = state.turns
    if history:
        view.steps[:] = 0
        view.begun[:] = DREW
        view.thrown[:] = NOBODY
        for turn in range(state.turns):
            view.steps[turn] = state.log[turn, STEPS]
            view.begun[turn] = state.log[turn, BEGUN]
            view.thrown[turn] = state.log[turn, THROWN]
        if unsettled:
            view.thrown[state.turns - 1] = NOBODY
    unseen = DECK_SETS[rules.deck] - (0 if offer == NOBODY else ONE[offer])
    place_seat = as_index(seat)
    for place in range(SEATS):  # a constant, so that the loop is unrolled
        if place == rules.players:
            break
        for number in range(2):
            view.melds[place, number] = state.melds[place_seat, number]
            unseen -= state.melds[place_seat, number]
        view.meld_points[place] = state.meld_points[place_seat]
        view.discards[place] = state.discards[place_seat]
        unseen -= state.discards[place_seat]
        view.sizes[place] = ones(bit_each(state.hands[place_seat]))
        if not rules.expose_claims:
            view.known[place] = known_of(state, place_seat, offer)
            unseen -= view.known[place] if place > 0 else 0
        place_seat = as_index(seat_after(rules, state, place_seat))
    view.hand = state.hands[seat]
    # Compiled code keeps a view in registers as long as nothing of it is found by a number that is not a constant.
    for place in range(SEATS):
        if unsettled and place == view.mover:
            view.sizes[place] += 1
            view.hand += ONE[state.offer] if place == 0 else 0
        if 0 < place == view.winner:
            unseen -= view.shown - view.known[place]
    view.unseen = unseen - view.hand
    study_view(state.waits[seat], view)


@rule
def known_of(state, seat, offer):
    """Return the tiles that a hand is known to hold to somebody to whom its discard `offer`, if any, is shown."""
    return without(state.known[seat], offer) if offer != NOBODY and seat == state.mover else state.known[seat]


@rule
def study_view(waits, view):
    """Fill in what the viewer's own hand lacks; `waits` are those of its hand of five or two."""
    tiles = scratch(MOST_HELD, np.uint8)
    list_hand(view.hand, tiles)
    held = ones(bit_each(view.hand))
    view.waits = waits if held == 5 or held == 2 else 0
    view.waits_after[:] = 0
    view.partners[:] = 0
    view.triplets = 0
    if held > 3:
        study_many(tiles, held, view)
    else:
        study_few(tiles, held, view)


@rule
def study_few(tiles, held, view):
    """Note what up to three tiles lack, besides what is laid out."""
    one, two, three = tiles[0], tiles[1], tiles[2]
    beside_one, beside_two = COMPLETING[two, three] & ALL_KINDS, COMPLETING[one, three] & ALL_KINDS
    beside_three = COMPLETING[one, two] & ALL_KINDS
    view.partners[0] = beside_two | beside_three
    view.partners[1] = beside_one | beside_three
    view.partners[2] = beside_one | beside_two
    if held == 3:
        view.waits_after[0], view.waits_after[1], view.waits_after[2] = beside_one, beside_two, beside_three
        if beside_one & KIND[one]:
            view.triplets = KIND[one] | KIND[two] | KIND[three]


@rule
def study_many(tiles, held, view):
    """Note what five or six tiles lack."""
    before, kinds = scratch(MOST_HELD, np.int64), 0
    for place in range(MOST_HELD):
        before[place] = kinds
        kinds |= KIND[tiles[place]]
    # Written out, as in `prospects`.
    a, b, c, d, e, f = tiles[0], tiles[1], tiles[2], tiles[3], tiles[4], tiles[5]
    ab, ac, ad, ae, af = COMPLETING[a, b], COMPLETING[a, c], COMPLETING[a, d], COMPLETING[a, e], COMPLETING[a, f]
    bc, bd, be, bf = COMPLETING[b, c], COMPLETING[b, d], COMPLETING[b, e], COMPLETING[b, f]
    cd, ce, cf = COMPLETING[c, d], COMPLETING[c, e], COMPLETING[c, f]
    de, df, ef = COMPLETING[d, e], COMPLETING[d, f], COMPLETING[e, f]
    view.partners[0] = (ab | ac | ad | ae | af) & ALL_KINDS
    view.partners[1] = (ab | bc | bd | be | bf) & ALL_KINDS
    view.partners[2] = (ac | bc | cd | ce | cf) & ALL_KINDS
    view.partners[3] = (ad | bd | cd | de | df) & ALL_KINDS
    view.partners[4] = (ae | be | ce | de | ef) & ALL_KINDS
    view.partners[5] = (af | bf | cf | df | ef) & ALL_KINDS
    thirds = (bc | bd | be | bf) & before[1] | (cd | ce | cf) & before[2] | (de | df) & before[3] | ef & before[4]
    if thirds:
        study_triplets(tiles, before, held, view)


@rule
def study_triplets(tiles, before, held, view):
    """Note the triplets in a hand of five or six and, in one of six, what each lacks besides."""
    pairs = 0  # those, as bits, that are a triplet with a tile before them
    for pair in range(len(PAIRS)):
        one, two = PAIRS[pair, 0], PAIRS[pair, 1]
        pairs |= ((COMPLETING[tiles[one], tiles[two]] & before[one]) != 0) << pair
    waits = scratch(MOST_TILES, np.int64)  # by kind
    for place in range(MOST_HELD):
        waits[tiles[place]] = 0
    while pairs:
        one, two = PAIRS[first_one(pairs), 0], PAIRS[first_one(pairs), 1]
        pairs &= pairs - 1
        thirds = COMPLETING[tiles[one], tiles[two]] & before[one]
        both = KIND[tiles[one]] + KIND[tiles[two]]
        view.triplets |= kinds_in(both) | thirds
        while thirds and held == 6:
            note_waits(view.hand - both - (thirds & -thirds), waits)
            thirds &= thirds - 1
    if held == 6:
        for place in range(MOST_HELD):
            view.waits_after[place] = waits[tiles[place]]


@rule
def note_waits(tiles, waits):
    """Note what completes two of three tiles, besides a triplet, once the third is discarded."""
    kinds = scratch(3, np.uint8)
    list_hand(tiles, kinds)
    one, two, three = kinds[0], kinds[1], kinds[2]
    waits[one] |= COMPLETING[two, three] & ALL_KINDS
    waits[two] |= COMPLETING[one, three] & ALL_KINDS
    waits[three] |= COMPLETING[one, two] & ALL_KINDS


@rule
def place_of(hand, kind):
    """Return the place of the first tile of a kind in a hand, the lowest kind first."""
    return ones(bit_each(hand) & (ONE[kind] - 1))


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals that the view allows.

    Unseen tiles are put anywhere and the turns taken back, each drawn tile being any that it
    can have been, all alike; a history against the rules is drawn again.
    """
    restore_public(rules, view, key, state)
    who = scratch(TURNS, np.int8)
    list_turns(rules, view, state, who)
    tiles = scratch(MOST_TILES, np.int8)
    unseen = list_tiles(view.unseen, tiles)
    attempt, fits = derive(key, 1), False
    while not fits:
        place_tiles(rules, view, tiles[:unseen], attempt, state)
        fits = possible(rules, view, who, attempt, state)
        attempt = derive(attempt, 0)
    for seat in range(rules.players):
        if seat != state.mover or view.offer != NOBODY:
            study(state, seat)
    six = state.hands[state.mover]
    if view.offer != NOBODY:
        six += ONE[view.offer]
        for steps in range(1, distance(rules, state, state.mover, view.seat) + 1):
            seat = seat_at(rules, state, state.mover, steps)
            if state.claims[seat] >> (3 * view.offer + steps - 1) & 1:
                state.asked |= 1 << seat  # before the viewer, or the viewer
    state.win = best_split(six, state.meld_points[state.mover])


@rule
def restore_public(rules, view, key, state):
    """Fill a state with all that a view knows; hands of the others hold their known tiles alone."""
    clear(state)
    resume_from(rules, view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.mover = seat_at(rules, state, view.seat, view.mover)
    state.to_act = state.mover if view.offer == NOBODY else view.seat
    state.top = LONGEST_WALL - view.wall
    state.new_tile = view.new_tile
    state.offer = view.offer
    state.turns = view.turns
    for turn in range(view.turns):
        state.log[turn, STEPS] = view.steps[turn]
        state.log[turn, BEGUN] = view.begun[turn]
        state.log[turn, THROWN] = view.thrown[turn]
    for offset in range(rules.players):
        seat = seat_at(rules, state, view.seat, offset)
        write_row(state.melds[seat], view.melds[offset])
        state.meld_points[seat] = view.meld_points[offset]
        state.discards[seat] = view.discards[offset]
    state.hands[view.seat] = view.hand


@rule
def list_turns(rules, view, state, who):
    """List whose turn each was, SEATS more if the hand was known to hold the tile it threw; note what it holds now."""
    seat = state.leader
    for turn in range(view.turns):
        seat, thrown = seat_at(rules, state, seat, view.steps[turn]), view.thrown[turn]
        if view.begun[turn] == JOINED:
            state.known[seat] += ONE[view.thrown[turn - 1]]
        who[turn] = seat
        settled = turn < view.turns - 1  # the last discard is known to be held until then
        if settled and thrown != NOBODY and count(state.known[seat], thrown):
            state.known[seat] -= ONE[thrown]
            who[turn] += SEATS


@rule
def place_tiles(rules, view, tiles, key, state):
    """Put unseen tiles, int8 kinds, into the other hands and the wall in an order drawn from `key`."""
    shuffle(tiles, key)
    used = 0
    for offset in range(1, rules.players):
        seat = seat_at(rules, state, view.seat, offset)
        state.hands[seat] = view.known[offset]
        for _ in range(view.sizes[offset] - size(view.known[offset])):
            state.hands[seat] += ONE[tiles[used]]
            used += 1
    write_row(state.wall[state.top :], tiles[used : used + view.wall])


@rule
def possible(rules, view, who, key, state):
    """Take back all turns, from the last; False if one of them was against the rules.

    Any tile not known to have been claimed can be the one that was drawn. As there are equally many of these
    whatever the tiles are, all deals stay equally likely. The viewer too forgets what it drew.
    """
    luck = derive(key, len(DECK))
    hands, held, laid_out = scratch(SEATS, np.int64), scratch(SEATS, np.int64), scratch(SEATS, np.int8)
    write_row(hands, state.hands)
    write_row(held, state.known)  # what each hand was known to hold
    write_row(laid_out, state.meld_points)
    for turn in range(view.turns - 1, -1, -1):
        seat, thrown, begun = who[turn] % SEATS, view.thrown[turn], view.begun[turn]
        if thrown != NOBODY:
            hands[seat] += ONE[thrown]
            held[seat] += ONE[thrown] if who[turn] >= SEATS else 0
            if rules.auto_win and best_split(hands[seat], laid_out[seat]):
                return False
        if begun == DREW:
            kind = some_tile(hands[seat] - held[seat], derive(luck, turn))
            if turn == view.turns - 1:
                if view.new_tile != NOBODY:
                    kind = view.new_tile
                state.new_tile = kind
            hands[seat] -= ONE[kind]
            state.log[turn, DRAWN] = kind
            continue
        kind = view.thrown[turn - 1]
        if begun == JOINED:
            hands[seat] -= ONE[kind]
            held[seat] -= ONE[kind]
            if not prospects(hands[seat])[1] >> (3 * kind + view.steps[turn] - 1) & 1:
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
    return nth_one(bit_each(tiles), draw(key, 0, size(tiles))) // 3


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, with how it was dealt, and `actions`; return how many these
    are.

    Who was asked about a discard and passed shows when the deal is played again.
    """
    hands, who = scratch(SEATS, np.int64), scratch(TURNS, np.int8)
    seat = state.leader
    for turn in range(state.turns):
        seat = seat_at(rules, state, seat, state.log[turn, STEPS])
        who[turn] = seat
    take_back(state, who, hands)
    index = 0
    for seat in range(rules.players):
        index += list_tiles(hands[seat], order[index:])
    for turn in range(state.turns):
        if state.log[turn, BEGUN] == DREW:
            order[index] = state.log[turn, DRAWN]
            index += 1
    write_row(order[index:], state.wall[state.top :])

    past = blank(1, STATE)[0]
    past.leader, past.direction = state.leader, state.direction
    deal_from(rules, past, order)
    number = 0
    while True:
        turn = past.turns  # the next one
        if past.offer == NOBODY:
            action = state.log[turn - 1, THROWN]
            if action == NOBODY:
                return number
        elif turn == state.turns or state.log[turn, BEGUN] == DREW or who[turn] != past.to_act:
            action = PASS
            if turn == state.turns and past.to_act == state.to_act:
                return number
        else:
            action = JOIN if state.log[turn, BEGUN] == JOINED else LAY_OUT + int(state.log[turn, BEGUN])
        actions[number] = action
        number += 1
        step(rules, past, action)


@rule
def take_back(state, who, hands):
    """Fill `hands` with those before the first turn; `who` had each."""
    write_row(hands, state.hands)
    for turn in range(state.turns - 1, -1, -1):
        seat, begun = who[turn], state.log[turn, BEGUN]
        if state.log[turn, THROWN] != NOBODY:
            hands[seat] += ONE[state.log[turn, THROWN]]
        if begun == DREW:
            hands[seat] -= ONE[state.log[turn, DRAWN]]
            continue
        hands[seat] -= ONE[state.log[turn - 1, THROWN]]
        if begun != JOINED:
            hands[seat] += TILES[begun]
