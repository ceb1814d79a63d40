"""Types of options: Pai Gow 牌九.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class PaiGowPosition(TypedDict, total=False):
    """The options of Pai Gow 牌九 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    zero: Literal["banker", "tile"]
    copy: Literal["banker", "push"]
    gong_four: bool
    wild: bool
    pay: Literal["both", "roads"]
    commission: int
    small: bool
    banker: Literal["next", "fixed", "random"]


class PaiGowOptions(PaiGowPosition, total=False):
    """The options of Pai Gow 牌九; all may be left out."""

    leader: int | str
