"""Positions of Da Ling."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.position import Position, Tiles, new_position, read_tiles, rest_of, seats_of
from gupai_env.core.tiles import RED, WEIGHT
from gupai_env.games.da_ling import GAME
from gupai_env.games.da_ling.rules import (
    DECK_SETS,
    HANDS,
    NO_MATCH,
    RED_FROM,
    SPLITS,
    TABLE,
    UNSPLIT,
    WORTH,
    distinct_splits,
    groups_of,
    lay_table,
    strength_of,
    take_up,
)


def from_tiles(
    table: Tiles,
    hands: Sequence[Tiles],
    splits: Sequence[str | None] | None = None,
    *,
    leader: int = 0,
    **variant: Any,
) -> Position:
    """Return a deal in which nobody, or some seats from the leader on, have split their hands.

    Args: table: two tiles. hands: six tiles by seat, for 2 to 5 seats. splits: by seat, None or the split as
            "single / pair / triple", "[4:3] / [6:5][5:1] / [1:1][6:3][3:3]"; with all the deal is over.
    Raises: ValueError for wrong numbers or too many copies of a tile, or a split that is not of its hand.
    """
    position = new_position(GAME, leader, len(hands), variant)
    state, players = position.state, position.variant.players
    held = [read_tiles(hand) for hand in seats_of("hands", hands, players)]
    shown = read_tiles(table)
    size = HANDS[position.rules.deck]
    if len(shown) != TABLE or any(len(hand) != size for hand in held):
        sizes = ", ".join(str(len(tiles)) for tiles in (shown, *held))
        raise ValueError(f"{TABLE} tiles lie on the table and {size} are in each hand, not {sizes}")
    state.unused = rest_of(
        DECK_SETS[position.rules.deck], [*shown, *(kind for hand in held for kind in hand)]
    )
    lay_table(state, *shown)
    state.splits[:] = UNSPLIT
    for seat, hand in enumerate(held):
        take_up(state, seat, np.array(hand, np.int8))
    state.to_act = leader
    given = seats_of("splits", splits, players, None)
    for turn in range(players):
        seat = (leader + turn) % players
        if given[seat] is None:
            if any(given[(leader + later) % players] is not None for later in range(turn, players)):
                raise ValueError(f"seat {seat} has not split its hand, but a later one has")
            break
        position.play(split_of(position.rules, state.tiles[seat], given[seat]))
    return position


def split_of(rules: Any, hand: Sequence[int], split: str) -> int:
    """Return the action that splits a hand, sorted kinds, as the text says; raises ValueError."""
    wanted = [sorted(read_tiles(group)) for group in split.split("/")]
    legal = distinct_splits(rules, hand)
    for action in range(len(SPLITS)):
        if legal >> action & 1 and [sorted(map(int, group)) for group in groups_of(action, hand)] == wanted:
            return action
    raise ValueError(f"{split!r} does not split the hand into single / pair / triple")


def strength(table: Tiles, group: Tiles) -> int | None:
    """Return the pips of the colour in a group of a hand; None if it does not match the table."""
    shown, held = read_tiles(table), read_tiles(group)
    if len(shown) != TABLE or not 1 <= len(held) <= 3:
        raise ValueError(f"the table has {TABLE} tiles and a group 1 to 3, not {len(shown)} and {len(held)}")
    rest_of(DECK_SETS[0], [*shown, *held])
    target, red = int(WEIGHT[shown].sum()) % 10, int(RED[shown].sum()) >= RED_FROM
    found = strength_of(int(WORTH[held].sum()), target, red)
    return None if found == NO_MATCH else int(found)


def settle(table: Tiles, splits: Sequence[str], **variant: Any) -> list[float]:
    """Return the chips of every seat for its split, written as in `from_tiles`."""
    return from_tiles(table, [split.replace("/", " ") for split in splits], splits, **variant).payoffs()
