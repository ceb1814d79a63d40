"""Types of options: Tiu-U 釣魚.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class TiuUPosition(TypedDict, total=False):
    """The options of Tiu-U 釣魚 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    triple_catch: bool
    must_catch: bool
    lock_triples: bool
    heaven_pair: bool
    settlement: Literal["difference", "points"]


class TiuUOptions(TiuUPosition, total=False):
    """The options of Tiu-U 釣魚; all may be left out."""

    leader: int | str
