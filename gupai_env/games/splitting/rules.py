"""What the splitting games share: everybody splits a hand, all at once, and sees no other split before all have.

A state has `hands`, `tiles`, `unused` and `splits`. Seats are asked one after the other, from the leader on, but what
they do is hidden until all have decided.
"""

from collections.abc import Callable

from gupai_env.core.bits import as_index
from gupai_env.core.byte_rows import write_row
from gupai_env.core.episode import resume_from, seat_after
from gupai_env.core.move import Move
from gupai_env.core.rng import derive
from gupai_env.core.rule import rule
from gupai_env.core.tiles import ONE, bit_each, draw_hand, list_hand, list_tiles

UNSPLIT = -1  # in place of an action


@rule
def deal_hands(rules, state, order, start, size):
    """Deal `size` tiles of `order`, from `at` on, to each seat; `state.unused` holds them all before.

    The leader is asked first.

    Args:
        rules: The options, as rules functions take them.
        state: Is written; `unused` holds all tiles before.
        order: The tiles as they are dealt, int8.
        start: Where the first hand begins in it.
        size: Tiles of a hand.
    """
    for seat in range(rules.players):
        hand = 0
        for place in range(start, start + size):
            hand += ONE[as_index(order[place])]
        take_up(state, seat, hand)
        state.unused -= hand
        start += size
    state.to_act = state.leader


@rule
def take_up(state, seat, hand):
    """Give a seat its hand, a tile set."""
    state.hands[seat] = hand
    list_hand(hand, state.tiles[seat])


@rule
def split_hand(rules, state, action):
    """Split the hand; the deal is over when all have.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        action: The number of a split.
    """
    state.splits[state.to_act] = action
    state.to_act = seat_after(rules, state, state.to_act)
    if state.splits[state.to_act] != UNSPLIT:
        state.terminated = 1


@rule
def history(rules, state, order, start, actions):
    """Fill `order`, int8, from `at` on as a deal was dealt, and `actions`; return how many these are.

    Args:
        rules: The options, as rules functions take them.
        state: A deal under way.
        order: Is written, int8.
        start: Where the hands begin in it.
        actions: Is written, int16.
    """
    for seat in range(rules.players):
        start += list_tiles(state.hands[seat], order[start:])
    list_tiles(state.unused, order[start:])
    seat, decisions = state.leader, 0
    while decisions < rules.players and state.splits[seat] != UNSPLIT:
        actions[decisions] = state.splits[seat]
        decisions += 1
        seat = seat_after(rules, state, seat)
    return decisions


def unseen_splits(groups_of: Callable[[int, str], list[list]], places: str, splits: int) -> tuple[Move, ...]:
    """Return so many splits of a hand that is not known, by the letters of its places.

    Args:
        groups_of: Returns the groups of a split by its number, of a hand written in letters.
        places: The letters.
        splits: How many there are.
    """
    groups = [list(map("".join, groups_of(action, places))) for action in range(splits)]
    return tuple(Move(" ".join(names), name=" / ".join(names)) for names in groups)


@rule
def see_hands(rules, state, seat, unseen, view):
    """Fill what a seat sees of the hands and their splits: its own, and those of others when all have split.

    `unseen` holds all tiles but those on the table.

    Args:
        rules: The options, as rules functions take them.
        state: The deal.
        seat: Who sees it.
        unseen: All tiles except those on the table, a tile set.
        view: Is written.
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
    """Fill a cleared state with the hands that the view shows, and with a uniform draw of the others.

    Args:
        rules: The options, as rules functions take them.
        view: What a seat knows.
        key: An RNG key.
        hand_size: Tiles of a hand.
        state: Is written, a cleared state.
    """
    resume_from(rules, view, key, state)
    state.terminated = view.splits[1] != UNSPLIT
    state.unused = view.unseen
    unseen, tiles_key, seat = bit_each(view.unseen), derive(key, 1), view.seat
    for offset in range(rules.players):
        state.splits[seat] = view.splits[offset]
        hand = view.hands[offset]
        if hand == 0:
            hand, unseen = draw_hand(unseen, hand_size, tiles_key)
            state.unused -= hand
        take_up(state, seat, hand)
        seat = seat_after(rules, state, seat)
