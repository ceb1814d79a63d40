"""Types of options: Tien Gow 打天九.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class TienGowPosition(TypedDict, total=False):
    """The options of Tien Gow 打天九 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    combinations: Literal["modern", "pairs", "pure", "single"]
    early_death: bool
    banker: Literal["double", "growing", "none"]
    banker_over: Literal["single", "multiplied"]
    supreme_bonus: int
    four_bonus: int
    last_supreme: bool
    last_four: bool
    last_lowest: bool
    capture: bool
    slam: bool
    civil_supreme: bool
    preset: Literal["hong-kong"]


class TienGowOptions(TienGowPosition, total=False):
    """The options of Tien Gow 打天九; all may be left out."""

    leader: int | str
