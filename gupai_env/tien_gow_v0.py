"""Tien Gow 打天九 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.tien_gow import GAME
from gupai_env.games.tien_gow.options import TienGowOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[TienGowOptions],
) -> GupaiEnv:
    """Return a table of Tien Gow 打天九; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 4; with the tiny deck 2 (default 4); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all
            play can be searched.
        combinations: modern, pairs, pure, single (default modern); "modern": all; "pairs": at most two tiles; "pure":
            no mixed sets; "single": one tile.
        early_death: true, false (default True); a seat without a trick must discard if the last trick is one of single
            tiles.
        banker: double, growing, none (default double); payments of the banker: "double"; "growing": times 2, 3, ... in
            deals in a row; "none": as all others.
        banker_over: single, multiplied (default single); what a losing banker gets for more than four tricks: once, or
            times its multiplier.
        supreme_bonus: 0, 2 (default 0); chips that a led supreme pair gets at once from each seat.
        four_bonus: 0, 2, 4 (default 0); chips that four tiles of a family get at once from each seat.
        last_supreme: true, false (default False); a supreme pair led in the last trick doubles what is won.
        last_four: true, false (default False); four tiles of a family that win the last trick make it fourfold.
        last_lowest: true, false (default False); [2:1] led last and not beaten doubles it.
        capture: true, false (default False); who led [2:1] last and is beaten by [4:2] pays for all, fourfold.
        slam: true, false (default False); who wins every trick gets twice as much, or four times.
        civil_supreme: true, false (default False); [5:1][5:1] is a supreme pair that [6:1][6:1] alone beats.
        preset: hong-kong; all options of one.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
