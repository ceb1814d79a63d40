"""Types of options: Tien Gow 打天九.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class TienGowPosition(TypedDict, total=False):
    """The options of Tien Gow 打天九 for a position that is set up, whose leader is given by itself."""

    players: int
    """4; with the tiny deck 2 (default 4); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    combinations: Literal["modern", "pairs", "pure", "single"]
    """Modern, pairs, pure, single (default modern); "modern": all; "pairs": at most two tiles; "pure": no mixed sets;
    "single": one tile."""
    early_death: bool
    """True, false (default True); a seat without a trick must discard if the last trick is one of single tiles."""
    banker: Literal["double", "growing", "none"]
    """Double, growing, none (default double); payments of the banker: "double"; "growing": times 2, 3, ... in deals in
    a row; "none": as all others."""
    banker_over: Literal["single", "multiplied"]
    """Single, multiplied (default single); what a losing banker gets for more than four tricks: once, or times its
    multiplier."""
    supreme_bonus: int
    """0, 2 (default 0); chips that a led supreme pair gets at once from each seat."""
    four_bonus: int
    """0, 2, 4 (default 0); chips that four tiles of a family get at once from each seat."""
    last_supreme: bool
    """True, false (default False); a supreme pair led in the last trick doubles what is won."""
    last_four: bool
    """True, false (default False); four tiles of a family that win the last trick make it fourfold."""
    last_lowest: bool
    """True, false (default False); [2:1] led last and not beaten doubles it."""
    capture: bool
    """True, false (default False); who led [2:1] last and is beaten by [4:2] pays for all, fourfold."""
    slam: bool
    """True, false (default False); who wins every trick gets twice as much, or four times."""
    civil_supreme: bool
    """True, false (default False); [5:1][5:1] is a supreme pair that [6:1][6:1] alone beats."""
    preset: Literal["hong-kong"]
    """Hong-kong; all options of one."""


class TienGowOptions(TienGowPosition, total=False):
    """The options of Tien Gow 打天九; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
