"""Shi Wu Hu (十五湖): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.fishing.rules import SEATS
from gupai_env.games.shi_wu_hu.encoder import ENCODER, encode
from gupai_env.games.shi_wu_hu.hints import ShiWuHuHints
from gupai_env.games.shi_wu_hu.knowledge import VIEW, determinize, information_set
from gupai_env.games.shi_wu_hu.players import FEATURES, HEURISTICS, score
from gupai_env.games.shi_wu_hu.rules import (
    DECKS,
    MOVES,
    PLAYS,
    STATE,
    ShiWuHu,
    deal_from,
    history,
    legal_actions,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.shi_wu_hu.table import scene

GAME = Game(
    __name__,
    id="shi-wu-hu",
    title="Shi Wu Hu 十五湖",
    version=0,
    variant=ShiWuHu,
    max_seats=SEATS,
    max_decisions=PLAYS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
    hints=ShiWuHuHints,
)
