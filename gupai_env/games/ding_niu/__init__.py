"""Ding Niu (頂牛): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.connecting.rules import SEATS, history, moves_with
from gupai_env.games.ding_niu.encoder import ENCODER, encode
from gupai_env.games.ding_niu.hints import DingNiuHints
from gupai_env.games.ding_niu.knowledge import VIEW, determinize, information_set
from gupai_env.games.ding_niu.players import FEATURES, HEURISTICS, score
from gupai_env.games.ding_niu.rules import (
    DECK,
    DECKS,
    STATE,
    DingNiu,
    deal_from,
    legal_actions,
    next_deal,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.ding_niu.table import scene

GAME = Game(
    __name__,
    id="ding-niu",
    title="Ding Niu 頂牛",
    version=0,
    variant=DingNiu,
    max_seats=SEATS,
    max_decisions=len(DECK),
    moves=moves_with(),
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=DingNiuHints,
)
