"""Types of options: Shi Wu Hu 十五湖.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class ShiWuHuPosition(TypedDict, total=False):
    """The options of Shi Wu Hu 十五湖 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["cards", "tiles", "tiny"]
    group: Literal["by_deck", "one_two", "one_one"]
    supreme_bonus: Literal["by_deck", 0, 100, 200, 300]
    thousand: bool
    triple_catch: Literal["own_kind", "none"]
    must_catch: bool
    supreme_match: Literal["none", "pair", "sixes"]
    tens_match: bool
    heaven_earth: bool


class ShiWuHuOptions(ShiWuHuPosition, total=False):
    """The options of Shi Wu Hu 十五湖; all may be left out."""

    leader: int | str
