"""Small Mahjong (打小麻將): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.core.layout import Encoder
from gupai_env.games.small_mahjong import encoder, knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players, encoder),
    id="small-mahjong",
    title="Small Mahjong 打小麻將",
    version=0,
    summary="Draw or claim a sixth tile, win with two triplets or discard.",
    variant=rules.SmallMahjong,
    max_seats=rules.SEATS,
    max_decisions=rules.TURNS * rules.SEATS,
    moves=rules.MOVES,
    encoder=Encoder("small-mahjong", 1, encoder.LAYOUT),
    payoff_bound=rules.payoff_bound,
)
