"""Tiu-U 釣魚 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.tiu_u import GAME
from gupai_env.games.tiu_u.options import TiuUOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[TiuUOptions],
) -> GupaiEnv:
    """Return a table of Tiu-U 釣魚; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 2, 3; with the tiny deck 2 (default 2); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        triple_catch: true, false (default True); the fourth of a kind may catch the three in the lake.
        must_catch: true, false (default False); a bait that can catch may not be laid.
        lock_triples: true, false (default False); three of a kind in the lake are caught by the fourth alone.
        heaven_pair: true, false (default False); two [6:6] in hand may be laid into the catch as an extra play.
        settlement: difference, points (default difference); "difference": every two seats settle theirs; "points": a
            seat's points less the mean of all.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
