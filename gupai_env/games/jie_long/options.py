"""Types of options: Jie Long 接龍.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class JieLongPosition(TypedDict, total=False):
    """The options of Jie Long 接龍 for a position that is set up, whose leader is given by itself."""

    players: int
    """2, 3, 4; with the short deck 2, 3; with the tiny deck 2 (default 4); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "short", "tiny"]
    """Full, short, tiny (default full); "full": the tiles of the rulebook; "short": without the doubles of 3 to 6;
    "tiny": the few of the page, so that all play can be searched."""
    forced_play: bool
    """True, false (default False); who can match must play; False: discarding is always allowed."""
    double_lock: bool
    """True, false (default False); after everybody else discarded, the player of the last tile may lay no double."""
    open_ends: int
    """1, 2 (default 1); 2: the lead opens both its ends and either may be added to."""
    stake: float
    """A number from 0.01 (default 1.0); chips a pip of difference, or for each chip."""
    settlement: Literal["difference", "kkoribuchigi", "kkoribuchigi_difference"]
    """Difference, kkoribuchigi, kkoribuchigi_difference (default difference); "difference": every two seats settle that
    of their points; "kkoribuchigi": losers pay winners a chip each; "kkoribuchigi_difference": losers pay winners the
    difference."""
    all_laid_doubles: bool
    """True, false (default False); if a seat laid all of its tiles, the points of the others count double."""
    stacked: bool
    """True, false (default False); tiles of the line cover others; pictures and observations show only those that lie
    open."""


class JieLongOptions(JieLongPosition, total=False):
    """The options of Jie Long 接龍; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
