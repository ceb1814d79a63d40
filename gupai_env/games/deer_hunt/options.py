"""Types of options: Deer Hunt 鹿狩り.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class DeerHuntPosition(TypedDict, total=False):
    """The options of Deer Hunt 鹿狩り for a position that is set up, whose leader is given by itself."""

    players: int
    """4 (default 4); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    escape: bool
    """True, false (default False); a trick of four tiles that all have red pips counts for nobody."""
    fair_deal: Literal["none", "heaven", "four"]
    """None, heaven, four; with the tiny deck none (default none); "heaven": each side is dealt one [6:6]; "four": of
    [6:6], [6:5], [6:4] and [4:4] one each, two to a seat."""
    settlement: Literal["difference", "win"]
    """Difference, win (default difference); "difference": each partner wins that of the red pips; "win": one chip for
    the side with more."""


class DeerHuntOptions(DeerHuntPosition, total=False):
    """The options of Deer Hunt 鹿狩り; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
