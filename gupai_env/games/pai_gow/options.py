"""Types of options: Pai Gow 牌九.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class PaiGowPosition(TypedDict, total=False):
    """The options of Pai Gow 牌九 for a position that is set up, whose leader is given by itself."""

    players: int
    """2, 3, 4, 5, 6, 7, 8; with the tiny deck 2 (default 2); number of seats, the banker's too."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    zero: Literal["banker", "tile"]
    """Banker, tile (default banker); who has the better of two groups of no points."""
    copy: Literal["banker", "push"]
    """Banker, push (default banker); whose are two groups of equal value."""
    gong_four: bool
    """True, false (default True); [4:4] with [6:6] or [1:1] is a gong."""
    wild: bool
    """True, false (default True); [4:2] and [2:1] count 3 or 6."""
    pay: Literal["both", "roads"]
    """Both, roads (default both); both groups are settled as one, or each by itself."""
    commission: int
    """0, 5 (default 0); percent of winnings that go to the house."""
    small: bool
    """True, false (default False); two tiles a seat, and nothing to decide."""
    banker: Literal["next", "fixed", "random"]
    """Next, fixed, random (default next); who is banker in the next deal of a match."""


class PaiGowOptions(PaiGowPosition, total=False):
    """The options of Pai Gow 牌九; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
