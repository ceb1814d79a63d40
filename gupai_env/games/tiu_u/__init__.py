"""Tiu-U (釣魚): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.tiu_u.encoder import ENCODER, encode
from gupai_env.games.tiu_u.hints import TiuUHints
from gupai_env.games.tiu_u.knowledge import VIEW, determinize, information_set
from gupai_env.games.tiu_u.players import FEATURES, HEURISTICS, score
from gupai_env.games.tiu_u.rules import (
    DECKS,
    MOVES,
    PLAYS,
    STATE,
    TiuU,
    deal_from,
    history,
    legal_actions,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.tiu_u.table import scene

GAME = Game(
    __name__,
    id="tiu-u",
    title="Tiu-U 釣魚",
    version=0,
    variant=TiuU,
    max_seats=SEATS,
    max_decisions=PLAYS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=TiuUHints,
)
