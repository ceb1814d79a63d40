"""Ding Niu (頂牛): the module of the game, in which compiled loops and `Game` find its functions by name."""

from gupai_env.core.game import Game
from gupai_env.games.connecting import rules as connecting
from gupai_env.games.ding_niu import knowledge, players, rules

GAME = Game(
    __name__,
    modules=(rules, knowledge, players, connecting),
    id="ding-niu",
    title="Ding Niu 頂牛",
    version=0,
    summary="Two arms on a short deck, and a price on blocking them.",
    variant=rules.DingNiu,
    max_seats=connecting.SEATS,
    max_decisions=len(rules.DECK),
    moves=connecting.moves_with(),
    payoff_bound=rules.payoff_bound,
)
