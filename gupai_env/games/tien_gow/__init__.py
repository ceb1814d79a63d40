"""Tien Gow (打天九): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.tien_gow import knowledge, players, rules, settlement

GAME = Game(
    __name__,
    modules=(rules, settlement, knowledge, players),
    id="tien-gow",
    title="Tien Gow 打天九",
    version=0,
    summary="Tricks of one to four tiles, discards face down, and the last trick wins.",
    variant=rules.TienGow,
    max_seats=rules.SEATS,
    max_decisions=rules.PLAYS,
    moves=rules.MOVES,
    payoff_bound=rules.payoff_bound,
)
