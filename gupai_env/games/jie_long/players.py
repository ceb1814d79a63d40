"""The rule-based players of Jie Long: those of the connecting games."""

from gupai_env.core.rule import rule
from gupai_env.games.connecting.players import FEATURES, HEURISTICS, score_of

__all__ = ["FEATURES", "HEURISTICS", "score"]


@rule
def score(view, action, weights):
    """Return the weighted sum of the features of an action.

    In a view, a line with one open end looks like one whose two ends are equal; it is taken for the former.
    """
    return score_of(view, action, weights, view.ends[0] != view.ends[1])
