"""Positions of the splitting games."""

from collections.abc import Callable, Sequence

import numpy as np

from gupai_env.core.position import Position, Setup, Tiles, read_tiles, seats_of
from gupai_env.games.splitting.rules import take_up
from gupai_env.messages.checks import short_repr

Split = str | Sequence[Tiles]
"""Groups of tiles, "[6:6][6:3] / [4:4][1:1]", or a sequence of them."""


def groups_in(split: Split, example: str) -> list[list[int]]:
    """Return the sorted kinds of each group, small groups first; raises ValueError, with an example, for no split."""
    if isinstance(split, str):
        groups: Sequence[Tiles] = split.split("/")
    elif isinstance(split, (list, tuple)):
        groups = split
    else:
        raise ValueError(f"{short_repr(split)} is not a split; a split is written {example}")
    return sorted((sorted(read_tiles(group)) for group in groups), key=len)


def split_hands(
    setup: Setup, splits: Sequence[Split | None] | None, action_of: Callable[[Sequence[int], Split], int]
) -> Position:
    """Deal the `hands` that were set up, and split those for which a split is given, from the leader on.

    Args:
        action_of: The action that splits a hand, sorted kinds, as it is written.

    Raises:
        ValueError: If a seat has split its hand and an earlier one has not.
    """
    state, players, leader = setup.state, setup.players, int(setup.state.leader)
    state.unused = setup.rest
    for seat, hand in enumerate(setup.by_seat["hands"]):
        take_up(state, seat, np.array(hand, np.int8), 0, len(hand))
    state.to_act = leader
    given = seats_of("splits", splits, players, None)
    for turn in range(players):
        seat = (leader + turn) % players
        split = given[seat]
        if split is None:
            if any(given[(leader + later) % players] is not None for later in range(turn, players)):
                raise ValueError(f"seat {seat} has not split its hand, but a later one has")
            break
        setup.position.play(action_of(state.tiles[seat], split))
    return setup.position
