"""Types of options: Shi Wu Hu 十五湖.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class ShiWuHuPosition(TypedDict, total=False):
    """The options of Shi Wu Hu 十五湖 for a position that is set up, whose leader is given by itself."""

    players: int
    """2, 3; with the tiny deck 2 (default 2); number of seats."""
    deals: int
    """1 to 1000 (default 1); deals in a match; chips are paid at the end of every deal."""
    deck: Literal["cards", "tiles", "tiny"]
    """Cards, tiles, tiny (default cards); "cards": four of each kind, 84; "tiles": two domino sets, 64; "tiny": eight
    tiles, so that all play can be searched."""
    group: Literal["by_deck", "one_two", "one_one"]
    """By_deck, one_two, one_one (default by_deck); "one_two": a group is full with all three kinds; "one_one": with the
    civil kind and one military kind; "by_deck": "one_one" with tiles, else "one_two"."""
    supreme_bonus: Literal["by_deck", 0, 100, 200, 300]
    """By_deck, 0, 100, 200, 300 (default by_deck); chips for all Supreme tiles of the deck; by_deck: 100 with tiles,
    else 300."""
    thousand: bool
    """True, false (default True); the difference counts twice if just one of two seats has 1,000 points or more."""
    triple_catch: Literal["own_kind", "none"]
    """Own_kind, none (default own_kind); "own_kind": the fourth of a kind that matches no other may catch the three in
    the lake; "none": it may not."""
    must_catch: bool
    """True, false (default False); a bait that can catch may not be laid."""
    supreme_match: Literal["none", "pair", "sixes"]
    """None, pair, sixes (default none); "pair": [4:2] and [2:1] match each other; "sixes": [2:1] and all tiles of six
    pips do; "none": they do not."""
    tens_match: bool
    """True, false (default False); [5:5] and [6:4] match each other."""
    heaven_earth: bool
    """True, false (default False); [6:6] and [1:1] match each other."""


class ShiWuHuOptions(ShiWuHuPosition, total=False):
    """The options of Shi Wu Hu 十五湖; all may be left out."""

    leader: int | str
    """Random or a seat, from 0 (default random); who leads the first deal: "random" or a seat."""
