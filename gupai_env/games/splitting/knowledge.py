"""Who knows what in a splitting game, and the hands that fit it."""

import numpy as np

from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import resume_from, seat_after
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, shuffle
from gupai_env.core.rule import rule
from gupai_env.core.tiles import MOST_TILES, ONE, list_tiles
from gupai_env.games.splitting.rules import UNSPLIT, take_up


@rule
def see_hands(rules, state, seat, unseen, view):
    """Fill what a seat sees of the hands and their splits: its own, and those of others when all have split.

    `unseen` holds all tiles but those on the table.
    """
    view.players = rules.players
    view.asked = state.to_act == seat and not state.terminated
    view.unseen = unseen - state.hands[seat]
    view.splits[:] = UNSPLIT
    view.hands[:] = 0
    view.splits[0] = state.splits[seat]
    view.hands[0] = state.hands[seat]
    other = seat
    for offset in range(len(view.hands)):  # a constant, so that the loop is unrolled
        if offset == rules.players:
            break
        if state.terminated and offset:
            view.hands[offset] = state.hands[other]
            view.splits[offset] = state.splits[other]
            view.unseen -= state.hands[other]
        other = seat_after(rules, state, other)
    write_row(view.tiles, state.tiles[seat])


@rule
def draw_hands(rules, view, key, hand_size, state):
    """Fill a cleared state with the hands that the view shows, and with a uniform draw of the others."""
    resume_from(rules, view, key, state)
    state.terminated = view.splits[1] != UNSPLIT
    tiles, hand = scratch(MOST_TILES, np.int8), scratch(MOST_TILES, np.int8)
    unseen = list_tiles(view.unseen, tiles)
    shuffle(tiles[:unseen], derive(key, 1))
    dealt, seat = 0, view.seat
    for offset in range(rules.players):
        state.splits[seat] = view.splits[offset]
        if view.hands[offset]:
            list_tiles(view.hands[offset], hand)
            take_up(state, seat, hand, 0, hand_size)
        else:
            take_up(state, seat, tiles, dealt, hand_size)
            dealt += hand_size
        seat = seat_after(rules, state, seat)
    for index in range(dealt, unseen):
        state.unused += ONE[tiles[index]]
