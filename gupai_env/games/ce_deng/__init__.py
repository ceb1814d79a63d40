"""Ce Deng (斜釘): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.ce_deng.hints import CeDengHints
from gupai_env.games.ce_deng.knowledge import determinize, information_set
from gupai_env.games.ce_deng.players import FEATURES, HEURISTICS, score
from gupai_env.games.ce_deng.rules import (
    DECKS,
    STATE,
    CeDeng,
    deal_from,
    history,
    legal_actions,
    next_deal,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.ce_deng.table import scene
from gupai_env.games.connecting.encoder import ENCODER, encode
from gupai_env.games.connecting.knowledge import VIEW
from gupai_env.games.connecting.rules import SEATS, TURNS, moves_with

GAME = Game(
    __name__,
    id="ce-deng",
    title="Ce Deng 斜釘",
    version=0,
    variant=CeDeng,
    max_seats=SEATS,
    max_decisions=TURNS + SEATS,
    moves=moves_with("declare eight doubles", "demand a redeal", "play on"),
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=CeDengHints,
)
