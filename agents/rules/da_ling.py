"""Rule-based players of Da Ling. Of splits that are worth the same they choose the first."""

from gupai_env.core.rule import rule
from gupai_env.games.da_ling import GROUPS, NO_MATCH, SPLITS

LITTLE = 1 / 1024  # of a chip, so that pips only break ties
ABSOLUTE = 1e6  # more than any stakes


@rule
def best_split(view, mask, per_group, per_pip, absolute):
    """Return the split worth most; a group that matches is worth `per_group` + pips * `per_pip` of its stake.

    Pips are worth LITTLE by themselves besides; `absolute` is what it is worth that all three groups match.
    """
    best, most = -1, -1.0
    for action in range(len(mask)):
        if mask[action]:
            worth, matches = 0.0, 0
            for group in range(GROUPS):
                pips = view.strength[SPLITS[action, group]]
                if pips != NO_MATCH:
                    worth += view.stakes[group] * (per_group + pips * per_pip) + pips * LITTLE
                    matches += 1
            if matches == GROUPS:
                worth += absolute
            if worth > most:
                best, most = action, worth
    return best


@rule
def greedy(view, mask, key):
    """Match the most stakes; among equals show the most pips of the colour in the groups that match."""
    return best_split(view, mask, 1, 0, 0)


@rule
def colour(view, mask, key):
    """Match all three groups; else seek strong ones: each counts its stake once and again for every pip."""
    return best_split(view, mask, 1, 1, ABSOLUTE)
