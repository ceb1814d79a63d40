"""Types of options: Ce Deng 斜釘.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class CeDengPosition(TypedDict, total=False):
    """The options of Ce Deng 斜釘 for a position that is set up, whose leader is given by itself."""

    players: int
    """2, 3, 4; with the tiny deck 2 (default 4); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    declare_eight_doubles: bool
    """True, false (default True); a hand of eight doubles may be declared instead of played."""
    redeal_doubles: int
    """7, 6, 0 (default 7); doubles that give the right to a redeal; 0: no redeals."""
    strict_head_tail: bool
    """True, false (default False); head six and tail seven double payments too."""
    stake: float
    """A number from 0.01 (default 1.0); chips per pip, agreed before the game."""
    stacked: bool
    """True, false (default False); tiles of the line cover others; pictures and observations show only those that lie
    open."""


class CeDengOptions(CeDengPosition, total=False):
    """The options of Ce Deng 斜釘; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
