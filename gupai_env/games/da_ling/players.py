"""Rule-based players of Da Ling. Of splits that are worth the same they choose the first."""

from gupai_env.core.choice import best_by
from gupai_env.core.rule import rule
from gupai_env.games.da_ling.rules import GROUPS, NO_MATCH, SPLITS

LITTLE = 1 / 1024  # of a chip, so that pips only break ties
ABSOLUTE = 1e9  # more than any stakes


@rule
def worth(view, split, per_pip, absolute):
    """Return what a split is worth: a group that matches counts its stake once, and `per_pip` of it for every pip.

    Pips are worth LITTLE by themselves besides; `absolute` is what it is worth that all three groups match.
    """
    total, matches = 0.0, 0
    for group in range(GROUPS):
        pips = view.strength[SPLITS[split, group]]
        if pips != NO_MATCH:
            total += view.stakes[group] * (1 + pips * per_pip) + pips * LITTLE
            matches += 1
    return total + absolute if matches == GROUPS else total


@rule
def by_stakes(view, split):
    """Return what a split is worth to `greedy`."""
    return worth(view, split, 0, 0)


@rule
def by_colour(view, split):
    """Return what a split is worth to `colour`."""
    return worth(view, split, 1, ABSOLUTE)


@rule
def greedy(view, mask):
    """Match the most stakes; among equals show the most pips of the colour in the groups that match."""
    return best_by(by_stakes, view, mask)


@rule
def colour(view, mask):
    """Match all three groups; else seek strong ones: each counts its stake once and again for every pip."""
    return best_by(by_colour, view, mask)


PLAYERS = ("greedy", "colour")


@rule
def choose(player, view, mask, key):
    """Return the action of number `player` of PLAYERS."""
    return greedy(view, mask) if player == 0 else colour(view, mask)
