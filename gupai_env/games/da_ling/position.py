"""Positions of Da Ling."""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import Any, Unpack

from gupai_env.core.episode import NOBODY
from gupai_env.core.position import Position, Setup, Tiles, piles_of, read_tiles, rest_of
from gupai_env.core.tiles import PIPS, RED, WEIGHT
from gupai_env.games.da_ling import GAME
from gupai_env.games.da_ling.rules import (
    DECK_SETS,
    HANDS,
    NO_MATCH,
    RED_FROM,
    SPLITS,
    TABLE,
    VALUE,
    distinct_splits,
    groups_of,
    lay_table,
    strength_of,
)
from gupai_env.games.da_ling.table import winners_of
from gupai_env.games.splitting.position import Split, groups_in, split_action, split_hands
from gupai_env.options import DaLingPosition

EXAMPLE = "[4:3] / [6:5][5:1] / [6:3][3:3][1:1]"  # single, pair and triple


def from_tiles(
    table: Tiles,
    hands: Sequence[Tiles],
    splits: Sequence[Split | None] | None = None,
    *,
    leader: int = 0,
    **variant: Unpack[DaLingPosition],
) -> Position:
    """Return a deal in which nobody, or some seats from the leader on, have split their hands.

    Args:
        table: Two tiles.
        hands: Six tiles by seat, for 2 to 5 seats.
        splits: By seat, None or the split as "single / pair / triple", "[4:3] / [6:5][5:1] / [1:1][6:3][3:3]", in any
            order of tiles and groups where these differ in size; with all the deal is over.
        leader: Who splits first.

    Raises:
        ValueError: For wrong numbers or too many copies of a tile, or a split that is not of its hand.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands}, {"table": table})
    held, table_tiles, size = setup.by_seat["hands"], setup.lying["table"], HANDS[setup.position.rules.deck]
    if len(table_tiles) != TABLE or any(len(hand) != size for hand in held):
        sizes = ", ".join(str(len(tiles)) for tiles in (table_tiles, *held))
        raise ValueError(f"{TABLE} tiles lie on the table and {size} are in each hand, not {sizes}")
    lay_table(setup.state, *table_tiles)
    return split_hands(setup, splits, partial(split_of, setup.position.rules))


def split_of(rules: Any, hand: Sequence[int], split: Split) -> int:
    """Return the action that splits a hand, sorted kinds, as it is written; raises ValueError."""
    ways = {
        action: groups_of(action, hand) for action in range(len(SPLITS)) if distinct_splits(rules, hand) >> action & 1
    }
    return split_action(split, hand, ways, EXAMPLE, "single / pair / triple")


def strength(table: Tiles, group: Tiles) -> int | None:
    """Return the pips of the colour in a group of a hand; None if it does not match the table."""
    table_tiles, held = read_tiles(table), read_tiles(group)
    if len(table_tiles) != TABLE or not 1 <= len(held) <= 3:
        raise ValueError(f"the table has {TABLE} tiles and a group 1 to 3, not {len(table_tiles)} and {len(held)}")
    rest_of(DECK_SETS[0], [*table_tiles, *held])
    target, red = int(WEIGHT[table_tiles].sum()) % 10, int(RED[table_tiles].sum()) >= RED_FROM
    value = strength_of(int(VALUE[held].sum()), target, red)
    return None if value == NO_MATCH else int(value)


def settle(table: Tiles, splits: Sequence[Split], **variant: Unpack[DaLingPosition]) -> list[float]:
    """Return the chips of every seat for its split, written as in `from_tiles`; raises ValueError as it does."""
    splits = piles_of("splits", splits)
    hands = [[tuple(PIPS[kind]) for kind in chain(*groups_in(split, EXAMPLE))] for split in splits]
    return from_tiles(table, hands, splits, **variant).payoffs()


def winner(position: Position) -> int | None:
    """Return the absolute winner, who takes the whole stakes of all others; None without one."""
    place = winners_of(position.view(0), position.variant)[0]
    return None if place == NOBODY else int(place)
