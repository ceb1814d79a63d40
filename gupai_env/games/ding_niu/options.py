"""Types of options: Ding Niu 頂牛.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class DingNiuPosition(TypedDict, total=False):
    """The options of Ding Niu 頂牛 for a position that is set up, whose leader is given by itself."""

    players: int
    """4; with the tiny deck 2 (default 4); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    forced_play: bool
    """True, false (default True); who can match must play; False: discarding is always allowed."""
    after_suan_zhang: Literal["doubles", "stop", "play_on"]
    """Doubles, stop, play_on (default doubles); what follows a suan zhang."""
    smothered_numbers: tuple[int, ...] | list[int]
    """Different numbers from 1 to 6 (default (4, 5)); numbers that make a suan zhang when they can never be reached."""
    exempt_forced_maker: bool
    """True, false (default False); a maker without another tile to play is not charged."""
    spare_pointless_maker: bool
    """True, false (default False); a maker who ends with zero points is not charged."""
    suan_zhang: bool
    """True, false (default True); the line can be blocked; False: play ends when no tile is left."""
    settlement: Literal["chips", "points"]
    """Chips, points (default chips); "chips": by place and for the suan zhang; "points": every two seats settle the
    difference of their points."""


class DingNiuOptions(DingNiuPosition, total=False):
    """The options of Ding Niu 頂牛; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
