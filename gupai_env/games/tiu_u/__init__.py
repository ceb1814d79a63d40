"""Tiu-U (釣魚): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.core.layout import Encoder
from gupai_env.games.fishing import rules as fishing
from gupai_env.games.tiu_u import knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players),
    id="tiu-u",
    title="Tiu-U 釣魚",
    version=0,
    summary="Two sets of tiles, and every bait catches a fish of equal pips.",
    variant=rules.TiuU,
    max_seats=fishing.SEATS,
    max_decisions=rules.PLAYS,
    moves=rules.MOVES,
    encoder=Encoder("tiu-u", 1, knowledge.LAYOUT),
    payoff_bound=rules.payoff_bound,
)
