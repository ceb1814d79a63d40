"""Da Ling (打零): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.da_ling import knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players),
    id="da-ling",
    title="Da Ling 打零",
    version=0,
    summary="Everybody splits six tiles into a single, a pair and a triple, all at once.",
    variant=rules.DaLing,
    max_seats=rules.SEATS,
    max_decisions=rules.SEATS,
    moves=rules.MOVES,
    payoff_bound=rules.payoff_bound,
    simultaneous=True,
    move_of=rules.move_of,
)
