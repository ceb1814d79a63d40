"""Types of options: Ding Niu 頂牛.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class DingNiuPosition(TypedDict, total=False):
    """The options of Ding Niu 頂牛 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    forced_play: bool
    after_suan_zhang: Literal["doubles", "stop", "play_on"]
    smothered_numbers: tuple[int, ...] | list[int]
    exempt_forced_maker: bool
    spare_pointless_maker: bool
    suan_zhang: bool
    settlement: Literal["chips", "points"]


class DingNiuOptions(DingNiuPosition, total=False):
    """The options of Ding Niu 頂牛; all may be left out."""

    leader: int | str
