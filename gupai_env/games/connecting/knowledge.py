"""Who knows what in a connecting game, and the deals that fit it."""

import numpy as np

from gupai_env.core.bits import nth_one, ones
from gupai_env.core.byte_rows import copy_entries, mark_entries, write_row
from gupai_env.core.episode import NOBODY, begin_view, resume_from, seat_after, view_dtype
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.streams import LUCK_STREAM
from gupai_env.core.tiles import CARRYING, KINDS, ONE, WEIGHT, first_kind, kinds_in, list_tiles, weight
from gupai_env.games.connecting.rules import DISCARD, NUMBERS, SEATS, TURNS, ends_after

VIEW_FIELDS = (
    ("asked", "i1"),  # the viewer is asked for a declaration before the play
    ("leader", "i1"),
    ("last_player", "i1"),
    ("passes", "i1"),
    ("turn", "i1"),
    ("ends", "i1", (2,)),
    ("locked", "i1"),  # the turn is back with who laid the last tile and doubles may not be laid
    ("hand", "i8"),
    ("discards", "i8"),  # the viewer's own
    ("unseen", "i8"),  # all tiles in no place that the viewer sees
    ("hand_size", "i1"),  # tiles dealt to each seat
    ("played", "i8", (SEATS,)),
    ("sizes", "i1", (SEATS,)),  # tiles in hand
    ("plays", "i1", (SEATS,)),
    ("drops", "i1", (SEATS,)),
    ("missed", "i1", (SEATS, NUMBERS)),
    ("void", "i1", (SEATS, NUMBERS)),  # 1: known to hold no tile with the number
    ("laid_at", "i1", (KINDS,)),
    ("record", "i1", (TURNS,)),
)
# The kinds that carry any of some numbers, which are the bits of the index.
CARRYING_ANY = np.bitwise_or.reduce(CARRYING * (np.arange(1 << NUMBERS)[:, None] >> np.arange(NUMBERS) & 1), 1)
VIEW = view_dtype(
    SEATS,
    *VIEW_FIELDS,
    ("stacked", "i1"),  # the open ends of a line whose tiles cover others; 0 if none are covered
)


@rule
def open_view(rules, state, viewer, deck, forced, view, history):
    """Fill a view with what the viewer knows of the table; in `forced` play a discard shows what was not held.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        viewer: Who sees it.
        deck: All tiles, a tile set.
        forced: Whether who can play must play.
        view: Is written.
        history: Whether the view has the history of the deal.
    """
    begin_view(rules, state, viewer, view)
    view.asked = 0
    view.locked = 0
    view.passes = state.passes
    view.turn = state.turn
    view.ends[0], view.ends[1] = state.ends[0], state.ends[1]
    view.hand = state.hands[viewer]
    view.discards = state.discards[viewer]
    copy_entries(state.laid_at, 0, view.laid_at, 0, KINDS)
    if history:
        for turn in range(TURNS):
            view.record[turn] = min(state.record[turn], DISCARD)
    unseen = deck - state.hands[viewer] - state.discards[viewer]
    leader, last_player = 0, NOBODY
    seat = viewer
    for offset in range(SEATS):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        unseen -= state.played[seat]
        view.played[offset] = state.played[seat]
        view.plays[offset] = state.plays[seat]
        view.drops[offset] = state.drops[seat]
        view.sizes[offset] = state.hand_size - state.plays[seat] - state.drops[seat]
        copy_entries(state.missed[seat], 0, view.missed[offset], 0, NUMBERS)
        if forced:
            mark_entries(state.missed[seat], 0, view.void[offset], 0, NUMBERS)
        leader = offset if seat == state.leader else leader
        last_player = offset if seat == state.last_player else last_player
        seat = seat_after(rules, state, seat)
    if not forced:
        view.void[:] = 0
    view.leader = leader
    view.last_player = last_player
    view.unseen = unseen
    view.hand_size = state.hand_size


@rule
def restore_public(rules, view, key, state):
    """Fill an empty state with all that a view knows; hands and discards of the others stay empty.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        key: An RNG key.
        state: Is written, a cleared state.
    """
    resume_from(rules, view, key, state)
    write_row(state.ends, view.ends)
    state.turn = view.turn
    state.hand_size = view.hand_size
    state.passes = view.passes
    write_row(state.laid_at, view.laid_at)
    write_row(state.record, view.record)
    seat = view.seat
    for offset in range(rules.players):
        state.played[seat] = view.played[offset]
        state.plays[seat] = view.plays[offset]
        state.drops[seat] = view.drops[offset]
        write_row(state.missed[seat], view.missed[offset])
        if offset == view.leader:
            state.leader = seat
        if offset == view.last_player:
            state.last_player = seat
        if offset == (view.leader + view.turn) % rules.players:
            state.to_act = seat
        seat = seat_after(rules, state, seat)
    state.hands[view.seat] = view.hand
    state.discards[view.seat] = view.discards
    state.points[view.seat] = weight(view.discards)


@rule
def list_bars(rules, view, forced, both_ends, bars, known):
    """Fill, for each turn, the numbers that the seat whose turn it was is known not to hold then, as bits.

    A seat that had to discard held nothing that fitted, then or later.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        forced: Whether who can play must play.
        both_ends: Whether a layout has two open ends.
        bars: Is written, int8 [turns].
        known: Is written: what is known now, int8 [seats].
    """
    ends = scratch(2, np.int8)
    ends[:] = 0
    known[:] = 0
    offset = view.leader
    for turn in range(view.turn):
        action = view.record[turn]
        if action < DISCARD:
            ends[0], ends[1] = ends_after(ends, action % KINDS, action // KINDS, both_ends)
        elif forced:
            known[offset] |= 1 << ends[0] | 1 << ends[1]
        bars[turn] = known[offset]
        offset = offset + 1 if offset + 1 < rules.players else 0


@rule
def list_slots(rules, view, deck_size, bars, known, offsets, turns, barred):
    """List the slots that the unseen tiles fill; return how many there are.

    A slot is a tile in another's hand (`turns` TURNS), one discarded (at that turn), or one dealt to nobody
    (`offsets` 0). `barred` are the numbers that it cannot have, as `list_bars` says. The slots of a place stand
    together, those barred from most numbers first.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        deck_size: Tiles of the deck.
        bars, known: As `list_bars` wrote them.
        offsets: Is written: of each slot the place, counted from the viewer, 0 for nobody.
        turns: Is written: of each slot when the tile was discarded, TURNS for a tile in hand.
        barred: Is written: of each slot the numbers that it cannot have, as bits.
    """
    slots = 0
    for offset in range(1, rules.players):
        for _ in range(view.sizes[offset]):
            offsets[slots], turns[slots], barred[slots] = offset, TURNS, known[offset]
            slots += 1
        for turn in range(view.turn - 1, -1, -1):
            if view.record[turn] >= DISCARD and (view.leader + turn) % rules.players == offset:
                offsets[slots], turns[slots], barred[slots] = offset, turn, bars[turn]
                slots += 1
    for _ in range(deck_size - rules.players * view.hand_size):
        offsets[slots], turns[slots], barred[slots] = 0, TURNS, 0
        slots += 1
    return slots


@rule
def record_own(rules, view, bars, state):
    """Record which tile the viewer discarded at which turn, in a possible order: its view does not keep the order.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        bars: As `list_bars` wrote them.
        state: Is written.
    """
    remaining = view.discards
    for turn in range(view.turn - 1, -1, -1):
        if view.record[turn] >= DISCARD and (view.leader + turn) % rules.players == 0:
            kind = first_kind(kinds_in(remaining) & ~CARRYING_ANY[bars[turn]])  # what could go last could go before too
            remaining -= ONE[kind]
            state.record[turn] = DISCARD + kind


@rule
def allow(kinds, offsets, barred, allowed, most):
    """Note which of the tiles `kinds` every slot may hold, as bits of their places, and the most choices there can be.

    The slots of a place before this one hold nothing that is barred here.

    Args:
        kinds: The unseen tiles, int8 [slots].
        offsets, barred: As `list_slots` wrote them.
        allowed: Is written, uint32 [slots].
        most: Is written: of each slot the most choices there can be, int8 [slots].
    """
    slots = len(kinds)
    own = 0  # slots of the same place before this one
    for slot in range(slots):
        if slot > 0 and barred[slot] == barred[slot - 1]:
            allowed[slot] = allowed[slot - 1]
        else:
            allowed[slot] = 0
            for index in range(slots):
                if CARRYING_ANY[barred[slot]] & ONE[kinds[index]] == 0:
                    allowed[slot] |= 1 << index
        own = own + 1 if slot > 0 and offsets[slot] == offsets[slot - 1] else 0
        # Of the other tiles used before, at most slots - allowed can be ones that are barred here.
        fits = ones(allowed[slot])
        most[slot] = fits - own - max(0, slot - own - (slots - fits))


@rule
def fill_slots(kinds, allowed, most, key, tiles):
    """Put the tiles `kinds` into the slots `tiles` in an order drawn from `key`; False if another draw is needed.

    Slot by slot a tile is drawn among those left that it may hold. A filling then comes up in proportion to
    1 / (product of the choices there were), so it is kept with probability (product of the choices) /
    (product of the most choices there can be): every possible filling becomes equally likely.

    Args:
        kinds: The unseen tiles, int8 [slots].
        allowed, most: As `allow` wrote them.
        key: An RNG key, of this attempt alone.
        tiles: Is written, int8 [slots].
    """
    luck = (derive(key, LUCK_STREAM) >> 31) / (1 << 32)
    odds = 1.0
    remaining = (1 << len(kinds)) - 1
    for slot in range(len(kinds)):
        open_to = allowed[slot] & remaining
        choices = ones(open_to)
        if choices < most[slot]:
            odds *= choices / most[slot]
            if odds <= luck:
                return False
        index = nth_one(open_to, draw(key, slot, choices))
        remaining &= ~(1 << index)
        tiles[slot] = kinds[index]
    return True


@rule
def place_tiles(rules, view, tiles, offsets, turns, state):
    """Give every seat but the viewer's the tiles of its slots.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        tiles, offsets, turns: Of each slot its tile, its place and its turn.
        state: Is written.
    """
    seat = view.seat
    slot = 0
    for offset in range(1, rules.players):
        seat = seat_after(rules, state, seat)
        state.hands[seat] = 0
        state.discards[seat] = 0
        state.points[seat] = 0
        while slot < len(tiles) and offsets[slot] == offset:
            if turns[slot] == TURNS:
                state.hands[seat] += ONE[tiles[slot]]
            else:
                state.discards[seat] += ONE[tiles[slot]]
                state.points[seat] += WEIGHT[tiles[slot]]
                state.record[turns[slot]] = DISCARD + tiles[slot]
            slot += 1
    state.unused = 0
    while slot < len(tiles):
        state.unused += ONE[tiles[slot]]
        slot += 1


@rule
def determinize(possible, rules, view, deck_size, forced, both_ends, key, state):
    """Fill an empty state with a uniform draw among the fillings of all slots that `possible` accepts.

    possible(rules, view, state, tiles, places, turns): whether the game could have come to this state.

    Args:
        possible: Whether the game could have come to a state.
        rules: The options, as rules functions take them.
        view: What a seat knows.
        deck_size: Tiles of the deck.
        forced: Whether who can play must play.
        both_ends: Whether a layout has two open ends.
        key: An RNG key.
        state: Is written, a cleared state.
    """
    restore_public(rules, view, key, state)
    # Of the shortest types: of 1,200 bytes each, the threads of a GPU would leave its caches nothing else.
    offsets, turns, barred = scratch(TURNS, np.int8), scratch(TURNS, np.int8), scratch(TURNS, np.int8)
    kinds, tiles = scratch(TURNS, np.int8), scratch(TURNS, np.int8)
    allowed, most = scratch(TURNS, np.uint32), scratch(TURNS, np.int8)
    bars, known = scratch(TURNS, np.int8), scratch(SEATS, np.int8)
    list_bars(rules, view, forced, both_ends, bars, known)
    record_own(rules, view, bars, state)
    slots = list_slots(rules, view, deck_size, bars, known, offsets, turns, barred)
    list_tiles(view.unseen, kinds)
    allow(kinds[:slots], offsets, barred, allowed, most)
    attempt = 1
    while True:
        if fill_slots(kinds[:slots], allowed, most, derive(key, attempt), tiles):
            place_tiles(rules, view, tiles[:slots], offsets, turns, state)
            if possible(rules, view, state, tiles[:slots], offsets, turns):
                return
        attempt += 1
