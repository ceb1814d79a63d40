"""How many deals it takes to see that the best player is better, and how often others choose alike."""

from collections.abc import Sequence

import numpy as np

from gupai_agents.agent import Agent, name_of
from gupai_agents.evaluation.atlas.play import SelfPlay
from gupai_agents.evaluation.atlas.report import CHIPS, NUMBER, SHARE, WORDS, Table
from gupai_agents.evaluation.atlas.study import Study
from gupai_agents.evaluation.claims.verdicts import estimate_statistic
from gupai_agents.evaluation.statistics import Estimate, estimate, share
from gupai_env.messages import say

ERRORS = 2  # standard errors by which a player is ahead beyond luck
EVENING = 30  # deals


def deals_needed(squares: np.ndarray) -> Estimate:
    """Return after how many deals a player is ahead by two standard errors, on average: four times variance over mean².

    Args:
        squares: What the player wins, and its square, of each deal, [N, 2].
    """
    effect = estimate_statistic(squares, lambda means: float(means[0] / np.sqrt(means[1] - means[0] ** 2)))
    mean, low, high = ((ERRORS / max(value, 0.0)) ** 2 if value > 0 else np.inf for value in effect[:3])
    return Estimate(mean if mean < np.inf else np.nan, high, low, effect.samples)


def tables(study: Study) -> Sequence[Table]:
    """Return how many deals it takes to see that the best player is better, and how often weaker ones choose alike."""
    rows = []
    for weaker in study.weaker:
        chips = study.duel(weaker)
        means = chips.mean(1)
        duplicates = deals_needed(np.stack([means, means**2], 1))
        plain = deals_needed(np.stack([means, (chips**2).mean(1)], 1))
        evenings = plain._replace(**{name: getattr(plain, name) / EVENING for name in ("mean", "low", "high")})
        rows.append((name_of(weaker), estimate(means), duplicates, plain, evenings, alike(study, weaker)))
    return (
        Table(
            say("How long it takes until {best} is ahead beyond luck", best=name_of(study.best)),
            ("against", "chips per deal", "duplicates", "single deals", "evenings", "they choose alike"),
            (WORDS, CHIPS, NUMBER, NUMBER, NUMBER, SHARE),
            rows,
            say(
                "Ahead beyond luck: by two standard errors. A duplicate is a deal that is played from all seats, an "
                "evening {deals} single deals; choices are those of decisions with more than one legal action.",
                deals=EVENING,
            ),
        ),
    )


def alike(study: Study, weaker: Agent) -> Estimate:
    """Return in which share of the decisions with a choice, between best players, a weaker one would choose alike."""
    cases, differ = SelfPlay(study, study.best, weaker).choices.sum(1).T
    return share(cases - differ, cases)
