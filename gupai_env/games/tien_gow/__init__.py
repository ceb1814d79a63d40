"""Tien Gow (打天九): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.tien_gow.encoder import ENCODER, encode
from gupai_env.games.tien_gow.hints import TienGowHints
from gupai_env.games.tien_gow.knowledge import VIEW, determinize, information_set
from gupai_env.games.tien_gow.players import FEATURES, HEURISTICS, score
from gupai_env.games.tien_gow.rules import (
    DECKS,
    MOVES,
    PLAYS,
    SEATS,
    STATE,
    TienGow,
    deal_from,
    history,
    legal_actions,
    next_deal,
    payoff_bound,
    step,
)
from gupai_env.games.tien_gow.settlement import payoffs
from gupai_env.games.tien_gow.table import scene

GAME = Game(
    __name__,
    id="tien-gow",
    title="Tien Gow 打天九",
    version=0,
    variant=TienGow,
    max_seats=SEATS,
    max_decisions=PLAYS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=TienGowHints,
)
