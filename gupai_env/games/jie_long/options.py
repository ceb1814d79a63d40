"""Types of options: Jie Long 接龍.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class JieLongPosition(TypedDict, total=False):
    """The options of Jie Long 接龍 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "short", "tiny"]
    forced_play: bool
    double_lock: bool
    open_ends: int
    stake: float
    settlement: Literal["difference", "kkoribuchigi", "kkoribuchigi_difference"]
    all_laid_doubles: bool
    stacked: bool


class JieLongOptions(JieLongPosition, total=False):
    """The options of Jie Long 接龍; all may be left out."""

    leader: int | str
