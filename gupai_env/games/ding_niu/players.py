"""The rule-based players of Ding Niu: what those of the connecting games weigh, and the suan zhang."""

from gupai_env.core.rule import rule
from gupai_env.core.style import yes_or_no
from gupai_env.games.connecting import players as connecting
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.ding_niu.rules import NONE

FEATURES = (
    *connecting.FEATURES,
    yes_or_no("block_won", "the tile makes a suan zhang that looks won"),
    yes_or_no("block_lost", "the tile makes a suan zhang that looks lost"),
)
BLOCK_WON, BLOCK_LOST = range(len(connecting.FEATURES), len(FEATURES))
STYLES = {
    "greedy": connecting.GREEDY | {"block_lost": -50},  # pips; more than any play is worth
    "blocker": connecting.GREEDY | {"variety": 2, "block_won": 100, "block_lost": -50},
}


@rule
def worth(view, action, weights):
    """Return the weighted sum of the features of an action."""
    total = connecting.worth_of(view, action, weights, True)
    if action < DISCARD:
        if view.losing[action]:
            total += weights[BLOCK_LOST]
        elif view.makes[action] != NONE:
            total += weights[BLOCK_WON]
    return total
