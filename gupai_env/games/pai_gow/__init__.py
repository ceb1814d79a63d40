"""Pai Gow (牌九): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.pai_gow.encoder import ENCODER, encode
from gupai_env.games.pai_gow.hints import PaiGowHints
from gupai_env.games.pai_gow.history import history
from gupai_env.games.pai_gow.knowledge import VIEW, determinize, information_set
from gupai_env.games.pai_gow.players import FEATURES, HEURISTICS, score
from gupai_env.games.pai_gow.policies import POLICIES
from gupai_env.games.pai_gow.rules import (
    DECKS,
    MOVES,
    SEATS,
    STATE,
    PaiGow,
    deal_from,
    legal_actions,
    move_of,
    next_deal,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.pai_gow.table import scene

GAME = Game(
    __name__,
    id="pai-gow",
    title="Pai Gow 牌九",
    version=0,
    variant=PaiGow,
    max_seats=SEATS,
    max_decisions=SEATS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=PaiGowHints,
    simultaneous=True,
    move_of=move_of,
)
