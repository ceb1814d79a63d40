"""Short Jie Long: Jie Long in which the winner alone is paid, a stake by every other seat.

What this file does not say is Jie Long's: the other rules, who knows what, players, the table and the texts.
"""

from dataclasses import replace

import gupai_env.game as gupai
from gupai_env.games.jie_long import GAME as JIE_LONG
from gupai_env.games.jie_long import guide, rules


@gupai.rule
def payoffs(rules_of_deal, state, out):
    out[: rules_of_deal.players] = -rules_of_deal.stake
    out[rules.winner(rules_of_deal, state)] = rules_of_deal.stake * (rules_of_deal.players - 1)


class Guide(guide.Guide):
    """Jie Long's texts, with another payment."""

    def payment(self) -> str:
        return "whoever has the fewest wins a stake from everybody"


GAME = replace(
    JIE_LONG,
    module_name=__name__,
    id="short-jie-long",
    title="Short Jie Long",
    summary="Jie Long in which the winner alone is paid.",
    table=guide.Table,
    hints=Guide,
    payoff_bound=lambda variant: float(variant.stake * (variant.players - 1)),
)
gupai.register(GAME)
