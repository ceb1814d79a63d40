"""Small Mahjong: the history of a deal, from its beginning."""

import numpy as np

from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import NOBODY, seat_at
from gupai_env.core.memory import blank, scratch
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE, list_tiles
from gupai_env.games.small_mahjong.rules import DREW, JOIN, JOINED, LAY_OUT, PASS, SEATS, STATE, TURNS, deal_from, step
from gupai_env.games.small_mahjong.triplets import TILES


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
