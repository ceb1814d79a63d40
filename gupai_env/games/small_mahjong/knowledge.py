"""Small Mahjong: who knows what, what a hand lacks, the deals that fit it, and how a deal went."""

import numpy as np

from gupai_env.core.bits import first_one, ones
from gupai_env.core.byte_rows import BLOCK, copy_block, write_row
from gupai_env.core.episode import NOBODY, begin_view, distance, resume_from, seat_after, seat_at, view_dtype
from gupai_env.core.memory import blank, scratch
from gupai_env.core.rng import derive, draw, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    ALL_KINDS,
    DECK,
    KIND,
    KINDS,
    MOST_TILES,
    ONE,
    bit_each,
    count,
    list_hand,
    list_tiles,
    size,
)
from gupai_env.games.small_mahjong.rules import (
    DECK_SETS,
    DREW,
    JOIN,
    JOINED,
    LAY_OUT,
    LONGEST_WALL,
    PASS,
    SEATS,
    STATE,
    TURNS,
    clear,
    deal_from,
    step,
    study,
    without,
)
from gupai_env.games.small_mahjong.triplets import COMPLETING, PAIRS, POINTS, TILES, TRIPLET, best_split, prospects

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
    ("waits_after", "i8", (KINDS,)),  # of six tiles: those that complete it once this kind is discarded
    ("partners", "i8", (KINDS,)),  # the kinds that with this one and another tile of the hand are a triplet
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
    back = ONE[state.offer] if unsettled else 0  # in the hand of the mover
    begin_view(rules, state, seat, view)
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
        for begun in range(0, state.turns, BLOCK):  # in whole blocks; what follows in the last one is still blank
            copy_block(state.steps, view.steps, begun)
            copy_block(state.begun, view.begun, begun)
            copy_block(state.thrown, view.thrown, begun)
        if unsettled:
            view.thrown[state.turns - 1] = NOBODY
    unseen = DECK_SETS[rules.deck] - (0 if offer == NOBODY else ONE[offer])
    place_seat = seat
    for offset in range(SEATS):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        mover = place_seat == state.mover
        hand = state.hands[place_seat] + (back if mover else 0)
        known = state.known[place_seat]
        if mover and offer != NOBODY:
            known = without(known, offer)
        for number in range(2):
            view.melds[offset, number] = state.melds[place_seat, number]
            unseen -= state.melds[place_seat, number]
        view.meld_points[offset] = state.meld_points[place_seat]
        view.known[offset] = known
        view.discards[offset] = state.discards[place_seat]
        view.sizes[offset] = ones(bit_each(hand))
        unseen -= state.discards[place_seat]
        if offset == 0:
            view.hand = hand
            unseen -= hand
        else:
            unseen -= view.shown if offset == view.winner else known
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
    """Note what one to three tiles lack, besides what is laid out."""
    one, two, three = tiles[0], tiles[1], tiles[2]
    beside_one, beside_two = COMPLETING[two, three] & ALL_KINDS, COMPLETING[one, three] & ALL_KINDS
    beside_three = COMPLETING[one, two] & ALL_KINDS
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
    for offset in range(6):
        before[offset] = kinds
        kinds |= KIND[tiles[offset]]
    partners[:] = 0
    pairs = 0  # the pairs, as bits, that are a triplet with a tile before them
    for row in range(5):
        for column in range(3):
            two, one = PAIRS[row, column, 0], PAIRS[row, column, 1]
            completing = COMPLETING[tiles[one], tiles[two]] & ALL_KINDS
            partners[one] |= completing
            partners[two] |= completing
            pairs |= ((completing & before[one]) != 0) << (3 * row + column)
    for offset in range(5):
        view.partners[tiles[offset]] = partners[offset]
    if held == 6:
        view.partners[tiles[5]] = partners[5]
    while pairs:
        pair = first_one(pairs)
        pairs &= pairs - 1
        two, one = tiles[PAIRS[pair // 3, pair % 3, 0]], tiles[PAIRS[pair // 3, pair % 3, 1]]
        thirds = COMPLETING[one, two] & before[PAIRS[pair // 3, pair % 3, 1]]
        view.triplets |= KIND[one] | KIND[two] | thirds
        if held == 6:
            while thirds:
                third = thirds & -thirds
                thirds -= third
                note_waits(hand - KIND[one] - KIND[two] - third, view.waits_after)


@rule
def note_waits(tiles, waits_after):
    """Note what completes two of three tiles, besides a triplet, once the third is discarded."""
    kinds = scratch(3, np.uint8)
    list_hand(tiles, kinds)
    one, two, three = kinds[0], kinds[1], kinds[2]
    waits_after[one] |= COMPLETING[two, three] & ALL_KINDS
    waits_after[two] |= COMPLETING[one, three] & ALL_KINDS
    waits_after[three] |= COMPLETING[one, two] & ALL_KINDS


@rule
def determinize(rules, view, key, state):
    """Fill a state with a uniform draw among the deals that the view allows.

    Unseen tiles are put anywhere and the turns taken back, each drawn tile being any that it
    can have been, all alike; a history against the rules is drawn again.
    """
    restore_public(rules, view, key, state)
    who, known = scratch(TURNS, np.int8), scratch(TURNS, np.int64)
    list_turns(rules, view, state, who, known)
    state.known[state.mover] = known[view.turns - 1]  # with the tile it discards, until that is settled
    tiles = scratch(MOST_TILES, np.int8)
    unseen = list_tiles(view.unseen, tiles)
    attempt, fits = derive(key, 1), False
    while not fits:
        place_tiles(rules, view, tiles[:unseen], attempt, state)
        fits = possible(rules, view, who, known, attempt, state)
        attempt = derive(attempt, 0)
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
    clear(state)
    resume_from(rules, view, key, state)
    state.leader = seat_at(rules, state, view.seat, view.leader)
    state.mover = seat_at(rules, state, view.seat, view.mover)
    state.to_act = state.mover if view.offer == NOBODY else view.seat
    state.top = LONGEST_WALL - view.wall
    state.new_tile = view.new_tile
    state.offer = view.offer
    state.turns = view.turns
    write_row(state.steps, view.steps)
    write_row(state.begun, view.begun)
    write_row(state.thrown, view.thrown)
    for offset in range(rules.players):
        seat = seat_at(rules, state, view.seat, offset)
        write_row(state.melds[seat], view.melds[offset])
        state.meld_points[seat] = view.meld_points[offset]
        state.known[seat] = view.known[offset]
        state.discards[seat] = view.discards[offset]
    state.hands[view.seat] = view.hand


@rule
def list_turns(rules, view, state, who, known):
    """List whose turn each was, and which tiles its hand was known to hold once it had six."""
    held = blank(SEATS, np.int64)
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
    for offset in range(1, rules.players):
        seat = seat_at(rules, state, view.seat, offset)
        state.hands[seat] = view.known[offset]
        for _ in range(view.sizes[offset] - size(view.known[offset])):
            state.hands[seat] += ONE[tiles[used]]
            used += 1
    write_row(state.wall[state.top :], tiles[used : used + view.wall])


@rule
def possible(rules, view, who, known, key, state):
    """Take back all turns, from the last; False if one of them was against the rules.

    Any tile not known to have been claimed can be the one that was drawn. As there are equally many of these
    whatever the tiles are, all deals stay equally likely. The viewer too forgets what it drew.
    """
    luck = derive(key, len(DECK))
    hands, laid_out = scratch(SEATS, np.int64), scratch(SEATS, np.int8)
    write_row(hands, state.hands)
    write_row(laid_out, state.meld_points)
    for turn in range(view.turns - 1, -1, -1):
        seat, thrown, begun = who[turn], view.thrown[turn], view.begun[turn]
        if thrown != NOBODY:
            hands[seat] += ONE[thrown]
            if rules.auto_win and best_split(hands[seat], laid_out[seat]):
                return False
        if begun == DREW:
            kind = some_tile(hands[seat] - known[turn], derive(luck, turn))
            if turn == view.turns - 1:
                if view.new_tile != NOBODY:
                    kind = view.new_tile
                state.new_tile = kind
            hands[seat] -= ONE[kind]
            state.drawn[turn] = kind
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
    remaining = draw(key, 0, size(tiles))
    for kind in range(KINDS):
        remaining -= count(tiles, kind)
        if remaining < 0:
            return kind
    return NOBODY


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, with how it was dealt, and `actions`; return how many these
    are.

    Who was asked about a discard and passed shows when the deal is played again.
    """
    hands, who = scratch(SEATS, np.int64), scratch(TURNS, np.int8)
    seat = state.leader
    for turn in range(state.turns):
        seat = seat_at(rules, state, seat, state.steps[turn])
        who[turn] = seat
    take_back(state, who, hands)
    index = 0
    for seat in range(rules.players):
        index += list_tiles(hands[seat], order[index:])
    for turn in range(state.turns):
        if state.begun[turn] == DREW:
            order[index] = state.drawn[turn]
            index += 1
    write_row(order[index:], state.wall[state.top :])

    past = blank(1, STATE)[0]
    past.leader, past.direction = state.leader, state.direction
    deal_from(rules, past, order)
    number = 0
    while True:
        turn = past.turns  # the next one
        if past.offer == NOBODY:
            action = state.thrown[turn - 1]
            if action == NOBODY:
                return number
        elif turn == state.turns or state.begun[turn] == DREW or who[turn] != past.to_act:
            action = PASS
            if turn == state.turns and past.to_act == state.to_act:
                return number
        else:
            action = JOIN if state.begun[turn] == JOINED else LAY_OUT + int(state.begun[turn])
        actions[number] = action
        number += 1
        step(rules, past, action)


@rule
def take_back(state, who, hands):
    """Fill `hands` with those before the first turn; `who` had each."""
    for seat in range(len(hands)):
        hands[seat] = state.hands[seat]
    for turn in range(state.turns - 1, -1, -1):
        seat, begun = who[turn], state.begun[turn]
        if state.thrown[turn] != NOBODY:
            hands[seat] += ONE[state.thrown[turn]]
        if begun == DREW:
            hands[seat] -= ONE[state.drawn[turn]]
            continue
        hands[seat] -= ONE[state.thrown[turn - 1]]
        if begun != JOINED:
            hands[seat] += TILES[begun]
