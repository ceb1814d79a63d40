"""The rule-based players of Da Ling. Of splits that are worth the same they choose the first."""

from gupai_env.core.rule import rule
from gupai_env.core.style import Feature, yes_or_no
from gupai_env.games.da_ling.rules import GROUPS, NO_MATCH, SPLITS

FEATURES = (
    Feature("stakes", "stakes of the groups that match", "chips", 0, 25),
    Feature("pips", "pips of the colour in the groups that match", "pips", 0, 60),
    Feature(
        "stake_pips", "the stake of each group that matches, times its pips of the colour", "chips", 0, 900
    ),
    yes_or_no("absolute", "all three groups match"),
)
STAKES, COLOUR_PIPS, STAKE_PIPS, ABSOLUTE = range(len(FEATURES))
LITTLE = 1 / 1024  # of a chip, so that pips only break ties
STYLES = {
    "greedy": {"stakes": 1, "pips": LITTLE},  # the most stakes; among equals the most pips of the colour
    "colour": {
        "stakes": 1,
        "pips": LITTLE,
        "stake_pips": 1,
        "absolute": 1e9,
    },  # all three, or else strong groups
}


@rule
def worth(view, action, weights):
    """Return the weighted sum of the features of a split."""
    total, matches = 0.0, 0
    for group in range(GROUPS):
        pips = view.strength[SPLITS[action, group]]
        if pips != NO_MATCH:
            stake = view.stakes[group]
            total += (
                weights[STAKES] * stake + weights[COLOUR_PIPS] * pips + weights[STAKE_PIPS] * stake * pips
            )
            matches += 1
    return total + weights[ABSOLUTE] if matches == GROUPS else total
