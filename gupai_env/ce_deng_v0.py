"""Ce Deng 斜釘 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.ce_deng import GAME
from gupai_env.games.ce_deng.options import CeDengOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[CeDengOptions],
) -> GupaiEnv:
    """Return a table of Ce Deng 斜釘; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 2, 3, 4; with the tiny deck 2 (default 4); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        declare_eight_doubles: true, false (default True); a hand of eight doubles may be declared instead of played.
        redeal_doubles: 7, 6, 0 (default 7); doubles that give the right to a redeal; 0: no redeals.
        strict_head_tail: true, false (default False); head six and tail seven double payments too.
        stake: a number from 0.01 (default 1.0); chips per pip, agreed before the game.
        stacked: true, false (default False); tiles of the line cover others; pictures and observations show only those
            that lie open.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
