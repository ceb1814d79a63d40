"""Pai Gow 牌九 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.pai_gow import GAME
from gupai_env.games.pai_gow.options import PaiGowOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[PaiGowOptions],
) -> GupaiEnv:
    """Return a table of Pai Gow 牌九; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 2, 3, 4, 5, 6, 7, 8; with the tiny deck 2 (default 2); number of seats, the banker's too.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        zero: banker, tile (default banker); who has the better of two groups of no points.
        copy: banker, push (default banker); whose are two groups of equal value.
        gong_four: true, false (default True); [4:4] with [6:6] or [1:1] is a gong.
        wild: true, false (default True); [4:2] and [2:1] count 3 or 6.
        pay: both, roads (default both); both groups are settled as one, or each by itself.
        commission: 0, 5 (default 0); percent of winnings that go to the house.
        small: true, false (default False); two tiles a seat, and nothing to decide.
        banker: next, fixed, random (default next); who is banker in the next deal of a match.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
