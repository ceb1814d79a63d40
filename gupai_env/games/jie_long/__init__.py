"""Jie Long (接龍): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.connecting.encoder import ENCODER, encode
from gupai_env.games.connecting.knowledge import VIEW
from gupai_env.games.connecting.rules import SEATS, STATE, TURNS, history, moves_with
from gupai_env.games.jie_long.hints import JieLongHints
from gupai_env.games.jie_long.knowledge import determinize, information_set
from gupai_env.games.jie_long.players import FEATURES, HEURISTICS, score
from gupai_env.games.jie_long.rules import (
    DECKS,
    JieLong,
    deal_from,
    legal_actions,
    next_deal,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.jie_long.table import scene

GAME = Game(
    __name__,
    id="jie-long",
    title="Jie Long 接龍",
    version=0,
    variant=JieLong,
    max_seats=SEATS,
    max_decisions=TURNS,
    moves=moves_with(),
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=JieLongHints,
)
