"""Positions of Pai Gow."""

from collections.abc import Sequence
from itertools import chain
from typing import Unpack

from gupai_env.core.position import Position, Setup, Tiles, piles_of, read_tiles, rest_of
from gupai_env.core.tiles import PIPS
from gupai_env.games.pai_gow import GAME
from gupai_env.games.pai_gow.groups import VALUE
from gupai_env.games.pai_gow.rules import DECK_SETS, GROUP, SPLITS, PaiGow, groups_of, hand_size, is_distinct, table_of
from gupai_env.games.splitting.position import Split, groups_in, split_action, split_hands
from gupai_env.options import PaiGowPosition

EXAMPLE = "[6:6][6:3] / [4:4][1:1]"


def from_tiles(
    hands: Sequence[Tiles],
    splits: Sequence[Split | None] | None = None,
    *,
    leader: int = 0,
    **variant: Unpack[PaiGowPosition],
) -> Position:
    """Return a deal in which nobody, or some seats from the banker on, have split their hands.

    Args:
        hands: Four tiles by seat, for 2 to 8 seats.
        splits: By seat, None or the split as "group / group", "[6:6][6:3] / [4:4][1:1]", in any order; with all the
            deal is over.
        leader: The banker's seat.

    Raises:
        ValueError: For wrong numbers or too many copies of a tile, or a split that is not of its hand.
    """
    setup = Setup(GAME, leader, variant, {"hands": hands})
    held, size = setup.by_seat["hands"], hand_size(setup.position.rules)
    if any(len(hand) != size for hand in held):
        raise ValueError(f"{size} tiles are in each hand, not {', '.join(str(len(hand)) for hand in held)}")
    return split_hands(setup, splits, split_of)


def split_of(hand: Sequence[int], split: Split) -> int:
    """Return the action that splits a hand, sorted kinds, as it is written; raises ValueError."""
    ways = {action: groups_of(action, hand) for action in range(len(SPLITS)) if is_distinct(hand, action)}
    return split_action(split, hand, ways, EXAMPLE, "groups of two", sorted)


def value(group: Tiles, **variant: Unpack[PaiGowPosition]) -> int:
    """Return the value of a group of two tiles: its place among all different ones, from below; equal is a copy."""
    tiles = read_tiles(group)
    if len(tiles) != GROUP:
        raise ValueError(f"a group has {GROUP} tiles, not {len(tiles)}")
    rest_of(DECK_SETS[0], tiles)
    rules = PaiGow.make(**variant).as_rules()
    return int(VALUE[table_of(rules), tiles[0], tiles[1]])


def settle(splits: Sequence[Split], *, leader: int = 0, **variant: Unpack[PaiGowPosition]) -> list[float]:
    """Return the chips of every seat for its split, the banker's `leader`; raises ValueError as `from_tiles` does."""
    splits = piles_of("splits", splits)
    hands = [[tuple(PIPS[kind]) for kind in chain(*groups_in(split, EXAMPLE))] for split in splits]
    return from_tiles(hands, splits, leader=leader, **variant).payoffs()
