"""Small Mahjong 打小麻將 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.small_mahjong import GAME
from gupai_env.games.small_mahjong.options import SmallMahjongOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[SmallMahjongOptions],
) -> GupaiEnv:
    """Return a table of Small Mahjong 打小麻將; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 3, 4; with the tiny deck 2 (default 4); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        auto_win: true, false (default True); who holds a win must declare it.
        expose_claims: true, false (default True); a claimed tile is laid out in its triplet; False: it joins the hand.
        claim_last_discard: true, false (default True); a discard after the last tile of the wall may be claimed.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
