"""Types of options: Ce Deng 斜釘.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class CeDengPosition(TypedDict, total=False):
    """The options of Ce Deng 斜釘 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    declare_eight_doubles: bool
    redeal_doubles: int
    strict_head_tail: bool
    stake: float
    stacked: bool


class CeDengOptions(CeDengPosition, total=False):
    """The options of Ce Deng 斜釘; all may be left out."""

    leader: int | str
