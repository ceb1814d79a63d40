"""Da Ling 打零 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.da_ling import GAME
from gupai_env.games.da_ling.options import DaLingOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[DaLingOptions],
) -> GupaiEnv:
    """Return a table of Da Ling 打零; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 2, 3, 4, 5; with the tiny deck 2 (default 5); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        stakes: three numbers, 0 or from 0.01 (default (3, 7, 15)); chips staked on the single, the pair and the triple.
        absolute_tie: groups, push (default groups); what is settled if absolute winners tie on colour.
        casino_fee: a whole number from 0 (default 0); chips that who takes all stakes pays to the house.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
