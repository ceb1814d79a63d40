"""Types of options: Tiu-U 釣魚.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class TiuUPosition(TypedDict, total=False):
    """The options of Tiu-U 釣魚 for a position that is set up, whose leader is given by itself."""

    players: int
    """2, 3; with the tiny deck 2 (default 2); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    triple_catch: bool
    """True, false (default True); the fourth of a kind may catch the three in the lake."""
    must_catch: bool
    """True, false (default False); a bait that can catch may not be laid."""
    lock_triples: bool
    """True, false (default False); three of a kind in the lake are caught by the fourth alone."""
    heaven_pair: bool
    """True, false (default False); two [6:6] in hand may be laid into the catch as an extra play."""
    settlement: Literal["difference", "points"]
    """Difference, points (default difference); "difference": every two seats settle theirs; "points": a seat's points
    less the mean of all."""


class TiuUOptions(TiuUPosition, total=False):
    """The options of Tiu-U 釣魚; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
