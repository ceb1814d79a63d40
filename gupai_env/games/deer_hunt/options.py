"""Types of options: Deer Hunt 鹿狩り.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class DeerHuntPosition(TypedDict, total=False):
    """The options of Deer Hunt 鹿狩り for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    escape: bool
    fair_deal: Literal["none", "heaven", "four"]
    settlement: Literal["difference", "win"]


class DeerHuntOptions(DeerHuntPosition, total=False):
    """The options of Deer Hunt 鹿狩り; all may be left out."""

    leader: int | str
