"""Types of options.

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

class JieLongPosition(TypedDict, total=False):
    """The options of Jie Long 接龍 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "short", "tiny"]
    forced_play: bool
    double_lock: bool
    open_ends: int
    stake: float
    settlement: Literal["difference", "kkoribuchigi", "kkoribuchigi_difference"]
    all_laid_doubles: bool
    stacked: bool

class JieLongOptions(JieLongPosition, total=False):
    """The options of Jie Long 接龍; all may be left out."""

    leader: int | str

class CeDengPosition(TypedDict, total=False):
    """The options of Ce Deng 斜釘 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    declare_eight_doubles: bool
    redeal_doubles: int
    strict_head_tail: bool
    stake: float
    stacked: bool

class CeDengOptions(CeDengPosition, total=False):
    """The options of Ce Deng 斜釘; all may be left out."""

    leader: int | str

class DingNiuPosition(TypedDict, total=False):
    """The options of Ding Niu 頂牛 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    forced_play: bool
    after_suan_zhang: Literal["doubles", "stop", "play_on"]
    smothered_numbers: tuple[int, ...] | list[int]
    exempt_forced_maker: bool
    spare_pointless_maker: bool
    suan_zhang: bool
    settlement: Literal["chips", "points"]

class DingNiuOptions(DingNiuPosition, total=False):
    """The options of Ding Niu 頂牛; all may be left out."""

    leader: int | str

class DaLingPosition(TypedDict, total=False):
    """The options of Da Ling 打零 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    stakes: tuple[float, ...] | list[float]
    absolute_tie: Literal["groups", "push"]
    casino_fee: int

class DaLingOptions(DaLingPosition, total=False):
    """The options of Da Ling 打零; all may be left out."""

    leader: int | str

class TiuUPosition(TypedDict, total=False):
    """The options of Tiu-U 釣魚 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    triple_catch: bool
    must_catch: bool
    lock_triples: bool
    heaven_pair: bool
    settlement: Literal["difference", "points"]

class TiuUOptions(TiuUPosition, total=False):
    """The options of Tiu-U 釣魚; all may be left out."""

    leader: int | str

class SmallMahjongPosition(TypedDict, total=False):
    """The options of Small Mahjong 打小麻將 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    auto_win: bool
    expose_claims: bool
    claim_last_discard: bool

class SmallMahjongOptions(SmallMahjongPosition, total=False):
    """The options of Small Mahjong 打小麻將; all may be left out."""

    leader: int | str

class TienGowPosition(TypedDict, total=False):
    """The options of Tien Gow 打天九 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    combinations: Literal["modern", "pairs", "pure", "single"]
    early_death: bool
    banker: Literal["double", "growing", "none"]
    banker_over: Literal["single", "multiplied"]
    supreme_bonus: int
    four_bonus: int
    last_supreme: bool
    last_four: bool
    last_lowest: bool
    capture: bool
    slam: bool
    civil_supreme: bool
    preset: Literal["hong-kong"]

class TienGowOptions(TienGowPosition, total=False):
    """The options of Tien Gow 打天九; all may be left out."""

    leader: int | str

class DeerHuntPosition(TypedDict, total=False):
    """The options of Deer Hunt 鹿狩り for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    escape: bool
    fair_deal: Literal["none", "heaven", "four"]
    settlement: Literal["difference", "win"]

class DeerHuntOptions(DeerHuntPosition, total=False):
    """The options of Deer Hunt 鹿狩り; all may be left out."""

    leader: int | str

class ShiWuHuPosition(TypedDict, total=False):
    """The options of Shi Wu Hu 十五湖 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["cards", "tiles", "tiny"]
    group: Literal["by_deck", "one_two", "one_one"]
    supreme_bonus: Literal["by_deck", 0, 100, 200, 300]
    thousand: bool
    triple_catch: Literal["own_kind", "none"]
    must_catch: bool
    supreme_match: Literal["none", "pair", "sixes"]
    tens_match: bool
    heaven_earth: bool

class ShiWuHuOptions(ShiWuHuPosition, total=False):
    """The options of Shi Wu Hu 十五湖; all may be left out."""

    leader: int | str

class PaiGowPosition(TypedDict, total=False):
    """The options of Pai Gow 牌九 for a position that is set up, whose leader is given by itself."""

    players: int
    deals: int
    deck: Literal["full", "tiny"]
    zero: Literal["banker", "tile"]
    copy: Literal["banker", "push"]
    gong_four: bool
    wild: bool
    pay: Literal["both", "roads"]
    commission: int
    small: bool
    banker: Literal["next", "fixed", "random"]

class PaiGowOptions(PaiGowPosition, total=False):
    """The options of Pai Gow 牌九; all may be left out."""

    leader: int | str
