"""Positions of the splitting games."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from gupai_env.core.position import Position, Setup, Tiles, read_tiles, seats_of
from gupai_env.core.tiles import NO_TILE, set_name, tile_set
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


def split_action(
    split: Split,
    hand: Sequence[int],
    ways: Mapping[int, Sequence[Sequence[int]]],
    example: str,
    groups_made: str,
    order: Callable[[Iterable[list[int]]], list[list[int]]] = list,
) -> int:
    """Return the action that splits a hand, as it is written; raises ValueError.

    Args:
        split: As it is written.
        hand: The kinds, and NO_TILE behind them.
        ways: The kinds of each group, by action that is legal.
        example: A split, for errors.
        groups_made: What splits are into, for errors.
        order: Puts groups of one size in order, where theirs does not matter.
    """
    wanted = order(groups_in(split, example))
    for action, groups in ways.items():
        if order(sorted(map(int, group)) for group in groups) == wanted:
            return action
    held = set_name(tile_set(int(kind) for kind in hand if kind != NO_TILE))
    raise ValueError(f"{short_repr(split)} does not split the hand {held} into {groups_made}")


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
        take_up(state, seat, tile_set(hand))
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
