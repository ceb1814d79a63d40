"""Types of options: Small Mahjong 打小麻將.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class SmallMahjongPosition(TypedDict, total=False):
    """The options of Small Mahjong 打小麻將 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    auto_win: bool
    expose_claims: bool
    claim_last_discard: bool


class SmallMahjongOptions(SmallMahjongPosition, total=False):
    """The options of Small Mahjong 打小麻將; all may be left out."""

    leader: int | str
