"""Ding Niu 頂牛 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.ding_niu import GAME
from gupai_env.games.ding_niu.options import DingNiuOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[DingNiuOptions],
) -> GupaiEnv:
    """Return a table of Ding Niu 頂牛; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 4; with the tiny deck 2 (default 4); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        forced_play: true, false (default True); who can match must play; False: discarding is always allowed.
        after_suan_zhang: doubles, stop, play_on (default doubles); what follows a suan zhang.
        smothered_numbers: different numbers from 1 to 6 (default (4, 5)); numbers that make a suan zhang when they can
            never be reached.
        exempt_forced_maker: true, false (default False); a maker without another tile to play is not charged.
        spare_pointless_maker: true, false (default False); a maker who ends with zero points is not charged.
        suan_zhang: true, false (default True); the line can be blocked; False: play ends when no tile is left.
        settlement: chips, points (default chips); "chips": by place and for the suan zhang; "points": every two seats
            settle the difference of their points.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
