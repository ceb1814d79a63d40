"""Pai Gow (牌九): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.pai_gow import knowledge, players, policies, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players, policies),
    id="pai-gow",
    title="Pai Gow 牌九",
    version=0,
    summary="Everybody splits four tiles into two groups, all at once; each player meets the banker alone.",
    variant=rules.PaiGow,
    max_seats=rules.SEATS,
    max_decisions=rules.SEATS,
    moves=rules.MOVES,
    payoff_bound=rules.payoff_bound,
    simultaneous=True,
    move_of=rules.move_of,
)
