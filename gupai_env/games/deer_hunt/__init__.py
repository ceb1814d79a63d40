"""Deer Hunt (鹿狩り): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.deer_hunt import knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players),
    id="deer-hunt",
    title="Deer Hunt 鹿狩り",
    version=0,
    summary="Two against two, tricks without suits, and red pips are the prize.",
    variant=rules.DeerHunt,
    max_seats=rules.SEATS,
    max_decisions=rules.PLAYS,
    moves=rules.MOVES,
    payoff_bound=rules.payoff_bound,
    teams=rules.TEAMS,
)
