"""Types of options: Da Ling 打零.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class DaLingPosition(TypedDict, total=False):
    """The options of Da Ling 打零 for a position that is set up, whose leader is given by itself."""

    players: int
    """2, 3, 4, 5; with the tiny deck 2 (default 5); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["full", "tiny"]
    """Full, tiny (default full); "full": the tiles of the rulebook; "tiny": the few of the page, so that all play can
    be searched."""
    stakes: tuple[float, ...] | list[float]
    """Three numbers, 0 or from 0.01 (default (3, 7, 15)); chips staked on the single, the pair and the triple."""
    absolute_tie: Literal["groups", "push"]
    """Groups, push (default groups); what is settled if absolute winners tie on colour."""
    casino_fee: int
    """A whole number from 0 (default 0); chips that who takes all stakes pays to the house."""


class DaLingOptions(DaLingPosition, total=False):
    """The options of Da Ling 打零; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
