"""The rule-based players of Jie Long: those of the connecting games."""

from gupai_env.core.rule import rule
from gupai_env.games.connecting.players import FEATURES, STYLES, worth_of

__all__ = ["FEATURES", "STYLES", "worth"]


@rule
def worth(view, action, weights):
    """Return the weighted sum of the features of an action.

    A view does not tell a line with one open end from one whose two ends are equal; it is taken for the former.
    """
    return worth_of(view, action, weights, view.ends[0] != view.ends[1])
