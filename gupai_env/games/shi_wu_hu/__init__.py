"""Shi Wu Hu (十五湖): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.core.layout import Encoder
from gupai_env.games.fishing import rules as fishing
from gupai_env.games.shi_wu_hu import knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players),
    id="shi-wu-hu",
    title="Shi Wu Hu 十五湖",
    version=0,
    summary="Fishing for tiles of equal pips, and a catch counts by the sets in it.",
    variant=rules.ShiWuHu,
    max_seats=fishing.SEATS,
    max_decisions=rules.PLAYS,
    moves=rules.MOVES,
    encoder=Encoder("shi-wu-hu", 1, knowledge.LAYOUT),
    payoff_bound=rules.payoff_bound,
)
