"""Types of options: Da Ling 打零.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class DaLingPosition(TypedDict, total=False):
    """The options of Da Ling 打零 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    stakes: tuple[float, ...] | list[float]
    absolute_tie: Literal["groups", "push"]
    casino_fee: int


class DaLingOptions(DaLingPosition, total=False):
    """The options of Da Ling 打零; all may be left out."""

    leader: int | str
