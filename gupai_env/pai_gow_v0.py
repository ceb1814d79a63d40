"""Pai Gow 牌九 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv, with_options
from gupai_env.games.pai_gow import GAME
from gupai_env.games.pai_gow.options import PaiGowOptions


@with_options(GAME)
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
        variant: Options of the game, which `help` lists.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
