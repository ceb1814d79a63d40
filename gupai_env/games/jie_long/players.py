"""The rule-based players of Jie Long: those of the connecting games."""

from gupai_env.core.heuristic import prepared
from gupai_env.core.rule import rule
from gupai_env.games.connecting.players import FEATURES, HEURISTICS, prepare_moves, score_of

__all__ = ["FEATURES", "HEURISTICS", "score"]


@rule
def has_two_ends(view):
    """Return whether the line has two open ends; equal ones look like a single one, and are taken for it."""
    return view.ends[0] != view.ends[1]


@rule
def prepare(view, weights, spare):
    """Fill `spare`, and return what the scores of moves share."""
    return prepare_moves(view, weights, has_two_ends(view), spare)


@rule
def score_with(view, action, weights, common, spare):
    """Return the weighted sum of the features of an action."""
    return score_of(view, action, weights, has_two_ends(view), common, spare)


score = prepared(prepare, score_with)
