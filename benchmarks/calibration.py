"""How often verdicts are wrong where the truth is known: python -m benchmarks.calibration, a minute.

Null effects are real deals: a player of Jie Long that plays at random, against itself with chance of its own. The
planted effect is that of `variety` over `greedy`, taken from all deals together. Planted thresholds are null deals with
so much added at each dose, and a planted master plays the claimed action in a known share of its decisions.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_agents import make_agent
from gupai_agents.agent import Agent, DecisionBatch
from gupai_agents.evaluation.claims.effects import judged
from gupai_agents.evaluation.claims.policies import Policy
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Doses, Population
from gupai_agents.evaluation.claims.setting import DealSource
from gupai_agents.evaluation.claims.verdicts import CONTRADICTED, NO_EFFECT, SMALL, SUPPORTED, judge
from gupai_agents.evaluation.statistics import Estimate, estimate, gsprt, samples_for, share
from gupai_env.core.rng import derive
from gupai_env.games import get_game
from gupai_env.games.claims import chips

DEALS, NULLS = 200_000, 1_000_000
TESTS, LONGEST = 10_000, 2000  # sequential ones, of deals drawn from all of the null
MARGIN, POWER, GAIN = 0.01, 0.9, 4.0
CLAIMS = 2000  # with doses, and masters


class OtherNoise:
    """Plays at random, by chance of its own."""

    name = "other noise"

    def __init__(self) -> None:
        self.agent = make_agent("random", "jie-long")

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        rng_keys = np.array([derive(int(key), 5) for key in batch.rng_keys])
        return self.agent.act(batch._replace(rng_keys=rng_keys))


def gains(hero: Agent, baseline: Agent, deals: int) -> np.ndarray:
    """Return what `hero` wins more than `baseline` in the same deals, at the same seat, float64 [deals]."""
    game = get_game("jie-long")
    source = DealSource(Sampler(game, game.variant(), Population()), 101)
    won = []
    for block in source.blocks(0, deals):
        ends = [source.play_with(block, baseline, player) for player in (hero, baseline)]
        values = [chips(end) for end in ends]
        won.append(values[0] - values[1])
    return np.concatenate(won)


def check_doses(null: np.ndarray, planted: Sequence[float], opponents: int, size: int, name: str) -> None:
    """Print how often verdicts at doses are wrong, where so many chips are planted at each, and intervals hold at once.

    A verdict is wrong that says more or less than what is planted, or that it matters little where it is the margin or
    more.
    """
    generator, reading = np.random.default_rng(7), reading_of(len(planted))
    wrong, held, headlines = 0, 0, Counter[str]()
    for _ in range(CLAIMS):
        levels = []
        for dose, chips_planted in zip(reading.doses.doses, planted, strict=True):
            values = [generator.choice(null, size) + chips_planted for _ in range(opponents)]
            effects = [reading.effect(f"{number}", gains, size) for number, gains in enumerate(values)]
            levels.append(reading.level_of(effects, dose, size))
        pairs = list(zip(levels, planted, strict=True))
        wrong += any(is_wrong(level.verdict, truth, reading.margin) for level, truth in pairs)
        held += all(level.pooled.effect.low <= truth <= level.pooled.effect.high for level, truth in pairs)
        _, headline = judged(levels, chips=True)
        headlines[headline.partition(";")[0]] += 1
    ((usual, times),) = headlines.most_common(1)
    print(
        f"{name}, {opponents} opponents, {size:,} deals, {CLAIMS:,} claims: {wrong / CLAIMS:.1%} with a wrong verdict "
        f"at a dose; intervals hold all at once in {held / CLAIMS:.1%}; “{usual}” in {times / CLAIMS:.0%}"
    )


def is_wrong(verdict: str, truth: float, margin: float) -> bool:
    """Whether a verdict on an effect says what is not so."""
    return (
        (verdict in (SUPPORTED, SMALL) and truth <= 0)
        or (verdict == CONTRADICTED and truth >= 0)
        or (verdict == NO_EFFECT and abs(truth) >= margin)
    )


def reading_of(doses: int) -> Any:
    """Return a reading with so many doses, from three 2s on."""
    values = [str(3 + number) for number in range(doses)]
    return Policy(
        name="planted",
        kind="policy",
        treated="variety",
        panel=["greedy"],
        margin=1.0,
        doses=Doses(feature="carrying", number=2, values=values),
    )


def check_masters(truth: float, decisions: int) -> None:
    """Print how often it is said of a master that it does, or does not, what it does in a planted share of decisions.

    Decisions come in deals, of which some hold several that are decided alike.
    """
    generator, wrong, held = np.random.default_rng(8), 0, 0
    for _ in range(CLAIMS):
        deals = generator.integers(0, decisions * 2 // 3, decisions)
        alike = generator.random(decisions) < 0.5  # decided as the first of its deal
        own, of_deal = generator.random(decisions) < truth, generator.random(decisions) < truth
        chosen = np.where(alike, of_deal[deals], own).astype(float)
        shares = share(np.bincount(deals, chosen), np.bincount(deals))
        others = Estimate(1 - shares.mean, 1 - shares.high, 1 - shares.low, shares.samples)
        side = shares.side(others)
        wrong += (side > 0 and truth <= 0.5) or (side < 0 and truth >= 0.5)
        held += shares.low <= truth <= shares.high
    print(
        f"a master that does it in {truth:.0%} of {decisions} decisions, {CLAIMS:,}: {wrong / CLAIMS:.1%} called "
        f"otherwise; intervals cover it in {held / CLAIMS:.1%}"
    )


def main() -> None:
    """Print how often verdicts and intervals are wrong."""
    null = gains(OtherNoise(), make_agent("random", "jie-long"), NULLS)
    for size in (30, 100, 300):
        parts = null[: len(null) // size * size].reshape(-1, size)
        estimates = [estimate(part) for part in parts]
        false = np.mean([judge(effect, MARGIN, "different").verdict == "supported" for effect in estimates])
        covered = np.mean([abs(effect.mean) <= effect.half_width for effect in estimates])
        print(f"null claims of {size} deals, {len(parts):,}: {false:.1%} supported; intervals cover {covered:.1%}")
    generator = np.random.default_rng(0)
    for gain, outcome in ((0.0, "accept no gain"), (GAIN, "reject the gain")):
        drawn = (generator.choice(null, LONGEST) + gain for _ in range(TESTS))
        ended = [gsprt(deals, GAIN) for deals in drawn]
        wrong = np.mean([test.verdict == (-1 if gain else 1) for test in ended])
        mean = np.mean([test.samples for test in ended])
        print(
            f"sequential tests of {GAIN:g} chips, {len(ended):,}: {wrong:.1%} {outcome}; {mean:,.0f} deals on average"
        )
    planted = gains(make_agent("variety", "jie-long"), make_agent("greedy", "jie-long"), DEALS)
    truth, size = estimate(planted), samples_for(float(planted.mean()), float(planted.std()), power=POWER)
    parts = planted[: len(planted) // size * size].reshape(-1, size)
    estimates = [estimate(part) for part in parts]
    power = np.mean([effect.low > 0 for effect in estimates])
    print(
        f"a planted effect of {truth} chips at its {size:,} deals for {POWER:.0%}, {len(parts)}: found in {power:.1%}; "
        f"intervals cover it in {np.mean([effect.low <= truth.mean <= effect.high for effect in estimates]):.1%}"
    )
    for size in (300, 2000):
        check_doses(null, (0.0, 0.0, 0.0), 3, size, "null claims with three doses")
        check_doses(null, (-4.0, 1.0, 12.0), 3, size, "a planted threshold of -4, +1 (the margin) and +12 chips")
    check_doses(null, (-4.0, 0.0, 0.0, 6.0, 12.0), 5, 1000, "a planted threshold of -4, 0, 0, +6 and +12 chips")
    for truth in (0.3, 0.5, 0.7):
        check_masters(truth, 150)


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()
