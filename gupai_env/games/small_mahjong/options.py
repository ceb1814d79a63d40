"""Types of options: Small Mahjong 打小麻將.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class SmallMahjongPosition(TypedDict, total=False):
    """The options of Small Mahjong 打小麻將 for a position that is set up, whose leader is given by itself."""

    players: int
    """3, 4; with the tiny deck 2 (default 4); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    auto_win: bool
    """True, false (default True); who holds a win must declare it."""
    expose_claims: bool
    """True, false (default True); a claimed tile is laid out in its triplet; False: it joins the hand."""
    claim_last_discard: bool
    """True, false (default True); a discard after the last tile of the wall may be claimed."""


class SmallMahjongOptions(SmallMahjongPosition, total=False):
    """The options of Small Mahjong 打小麻將; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
