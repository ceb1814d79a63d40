"""Deer Hunt 鹿狩り as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.deer_hunt import GAME
from gupai_env.games.deer_hunt.options import DeerHuntOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[DeerHuntOptions],
) -> GupaiEnv:
    """Return a table of Deer Hunt 鹿狩り; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 4 (default 4); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        escape: true, false (default False); a trick of four tiles that all have red pips counts for nobody.
        fair_deal: none, heaven, four; with the tiny deck none (default none); "heaven": each side is dealt one [6:6];
            "four": of [6:6], [6:5], [6:4] and [4:4] one each, two to a seat.
        settlement: difference, win (default difference); "difference": each partner wins that of the red pips; "win":
            one chip for the side with more.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
