"""Shi Wu Hu 十五湖 as a PettingZoo environment.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Unpack

from gupai_env.aec import GupaiEnv
from gupai_env.games.shi_wu_hu import GAME
from gupai_env.games.shi_wu_hu.options import ShiWuHuOptions


def raw_env(
    *,
    render_mode: str | None = None,
    mask_in: str = "observation",
    max_cycles: int | None = None,
    dtype: str = "int8",
    **variant: Unpack[ShiWuHuOptions],
) -> GupaiEnv:
    """Return a table of Shi Wu Hu 十五湖; its first game is dealt by `reset`.

    Args:
        render_mode, mask_in, max_cycles, dtype: See `GupaiEnv`.
        players: 2, 3; with the tiny deck 2 (default 2); number of seats.
        deals: 1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal.
        leader: random or a seat, from 0 (default random); who leads the first deal: "random" or a seat.
        deck: cards, tiles, tiny (default cards); "cards": four of each kind, 84; "tiles": two domino sets, 64; "tiny":
            eight tiles, so that all play can be searched.
        group: by_deck, one_two, one_one (default by_deck); "one_two": a group is full with all three kinds; "one_one":
            with the civil kind and one military kind; "by_deck": "one_one" with tiles, else "one_two".
        supreme_bonus: by_deck, 0, 100, 200, 300 (default by_deck); chips for all Supreme tiles of the deck; by_deck:
            100 with tiles, else 300.
        thousand: true, false (default True); the difference counts twice if just one of two seats has 1,000 points or
            more.
        triple_catch: own_kind, none (default own_kind); "own_kind": the fourth of a kind that matches no other may
            catch the three in the lake; "none": it may not.
        must_catch: true, false (default False); a bait that can catch may not be laid.
        supreme_match: none, pair, sixes (default none); "pair": [4:2] and [2:1] match each other; "sixes": [2:1] and
            all tiles of six pips do; "none": they do not.
        tens_match: true, false (default False); [5:5] and [6:4] match each other.
        heaven_earth: true, false (default False); [6:6] and [1:1] match each other.

    Raises:
        ValueError: An option is unknown (then it is a TypeError as well) or has a value that is not allowed.
    """
    return GupaiEnv(GAME, render_mode=render_mode, mask_in=mask_in, max_cycles=max_cycles, dtype=dtype, **variant)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
