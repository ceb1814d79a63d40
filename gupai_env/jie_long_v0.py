"""Jie Long 接龍 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.jie_long import GAME
from gupai_env.games.jie_long.options import JieLongOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[JieLongOptions],
) -> GupaiEnv:
    """Return a table of Jie Long 接龍; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 2, 3, 4; with the short deck 2, 3; with the tiny deck 2 (default 4); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, short, tiny (default full); "full": the tiles of the rulebook; "short": without the doubles of 3 to
            6; "tiny": the few of the page, so that all play can be searched.
        forced_play: true, false (default False); who can match must play; False: discarding is always allowed.
        double_lock: true, false (default False); after everybody else discarded, the player of the last tile may lay no
            double.
        open_ends: 1, 2 (default 1); 2: the lead opens both its ends and either may be added to.
        stake: a number from 0.01 (default 1.0); chips a pip of difference, or for each chip.
        settlement: difference, kkoribuchigi, kkoribuchigi_difference (default difference); "difference": every two
            seats settle that of their points; "kkoribuchigi": losers pay winners a chip each;
            "kkoribuchigi_difference": losers pay winners the difference.
        all_laid_doubles: true, false (default False); if a seat laid all of its tiles, the points of the others count
            double.
        stacked: true, false (default False); tiles of the line cover others; pictures and observations show only those
            that lie open.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
