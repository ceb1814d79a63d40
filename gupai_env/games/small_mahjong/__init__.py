"""Small Mahjong (打小麻將): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.small_mahjong.encoder import ENCODER, encode
from gupai_env.games.small_mahjong.history import history
from gupai_env.games.small_mahjong.knowledge import VIEW, determinize, information_set
from gupai_env.games.small_mahjong.players import FEATURES, HEURISTICS, score
from gupai_env.games.small_mahjong.rules import (
    DECKS,
    MOVES,
    SEATS,
    STATE,
    TURNS,
    SmallMahjong,
    deal_from,
    legal_actions,
    next_deal,
    payoff_bound,
    payoffs,
    step,
)
from gupai_env.games.small_mahjong.table import scene

GAME = Game(
    __name__,
    id="small-mahjong",
    title="Small Mahjong 打小麻將",
    version=0,
    variant=SmallMahjong,
    max_seats=SEATS,
    max_decisions=TURNS * SEATS,
    moves=MOVES,
    encoder=ENCODER,
    payoff_bound=payoff_bound,
    table=scene,
)
