"""Independent naive referees, one per game, written from the rulebook pages to check the engine against.

They share no code with the engine. Each referee is one deal: `to_act`, `terminated`, `moves()`, `play(move)`,
`payoffs()`, `next_leader()` and, where the page counts points, `points()`. Tiles are (high, low) tuples and
moves are tuples in the words of the rules. Seats 0..n-1 act in that order.
"""

from .ce_deng import CeDeng
from .da_ling import DaLing
from .deer_hunt import DeerHunt
from .ding_niu import DingNiu
from .jie_long import JieLong
from .pai_gow import PaiGow
from .shi_wu_hu import ShiWuHu
from .small_mahjong import SmallMahjong
from .tien_gow import TienGow
from .tiu_u import TiuU

__all__ = ["CeDeng", "DaLing", "DeerHunt", "DingNiu", "JieLong", "PaiGow", "ShiWuHu", "SmallMahjong", "TienGow", "TiuU"]
