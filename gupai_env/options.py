"""Types of options: all games.

Written by `tools/options.py` from the variant; do not edit.
"""

from typing import Literal, TypedDict


class Options(TypedDict, total=False):
    """The options of all games; `gupai rules GAME` shows which of them a game has."""

    players: int
    deals: int
    leader: int | str
    deck: Literal["full", "short", "tiny", "cards", "tiles"]
    forced_play: bool
    double_lock: bool
    open_ends: int
    stake: float
    settlement: Literal["difference", "kkoribuchigi", "kkoribuchigi_difference", "chips", "points", "win"]
    all_laid_doubles: bool
    stacked: bool
    declare_eight_doubles: bool
    redeal_doubles: int
    strict_head_tail: bool
    after_suan_zhang: Literal["doubles", "stop", "play_on"]
    smothered_numbers: tuple[int, ...] | list[int]
    exempt_forced_maker: bool
    spare_pointless_maker: bool
    suan_zhang: bool
    stakes: tuple[float, ...] | list[float]
    absolute_tie: Literal["groups", "push"]
    casino_fee: int
    triple_catch: Literal["own_kind", "none"] | bool
    must_catch: bool
    lock_triples: bool
    heaven_pair: bool
    auto_win: bool
    expose_claims: bool
    claim_last_discard: bool
    combinations: Literal["modern", "pairs", "pure", "single"]
    early_death: bool
    banker: Literal["double", "growing", "none", "next", "fixed", "random"]
    banker_over: Literal["single", "multiplied"]
    supreme_bonus: Literal["by_deck", 0, 100, 200, 300] | int
    four_bonus: int
    last_supreme: bool
    last_four: bool
    last_lowest: bool
    capture: bool
    slam: bool
    civil_supreme: bool
    preset: Literal["hong-kong"]
    escape: bool
    fair_deal: Literal["none", "heaven", "four"]
    group: Literal["by_deck", "one_two", "one_one"]
    thousand: bool
    supreme_match: Literal["none", "pair", "sixes"]
    tens_match: bool
    heaven_earth: bool
    zero: Literal["banker", "tile"]
    copy: Literal["banker", "push"]
    gong_four: bool
    wild: bool
    pay: Literal["both", "roads"]
    commission: int
    small: bool
