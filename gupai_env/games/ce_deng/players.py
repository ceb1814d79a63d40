"""The rule-based players of Ce Deng: those of all connecting games, and what they answer before the play."""

from gupai_env.core.heuristic import indices, prepared, yes_or_no
from gupai_env.core.rule import rule
from gupai_env.games.ce_deng.rules import DECLARE
from gupai_env.games.connecting import players as connecting

FEATURES = (
    *connecting.FEATURES,
    yes_or_no("declare", "eight doubles are declared"),
    yes_or_no("redeal", "a redeal is demanded"),
    yes_or_no("play_on", "doubles that give a right are kept and played"),
)
AT = indices(FEATURES)
# Doubles are hard to lay: all declare, and else demand the redeal.
HEURISTICS: dict[str, dict[str, float]] = {
    name: heuristic | {"declare": 3, "redeal": 2, "play_on": 1} for name, heuristic in connecting.HEURISTICS.items()
}


@rule
def prepare(view, weights, spare):
    """Fill `spare`, and return what the scores of moves share."""
    return connecting.prepare_moves(view, weights, False, spare)


@rule
def score_with(view, action, weights, common, spare):
    """Return the weighted sum of the features of an action."""
    if action >= DECLARE:
        return weights[AT.declare + action - DECLARE]
    return connecting.score_of(view, action, weights, False, common, spare)


score = prepared(prepare, score_with)
