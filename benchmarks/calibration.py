"""How often verdicts are wrong where the truth is known: python -m benchmarks.calibration, half a minute.

Null effects are real deals: a player of Jie Long that plays at random, against itself with chance of its own. The
planted effect is that of `variety` over `greedy`, taken from all deals together.
"""

import numpy as np

from gupai_agents import make_agent
from gupai_agents.agent import Agent, DecisionBatch
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import Population
from gupai_agents.evaluation.claims.tables import Table
from gupai_agents.evaluation.claims.verdicts import judge
from gupai_agents.evaluation.statistics import estimate, gsprt, samples_for
from gupai_env.core.claims import chips
from gupai_env.core.rng import derive
from gupai_env.games import get_game

DEALS, NULLS = 200_000, 1_000_000
TESTS, LONGEST = 10_000, 2000  # sequential ones, of deals drawn from all of the null
MARGIN, POWER, GAIN = 0.01, 0.9, 4.0


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
    table = Table(Sampler(game, game.variant(), Population()), 101)
    won = []
    for block in table.blocks(0, deals):
        ends = [table.play_with(block, baseline, player) for player in (hero, baseline)]
        values = [chips(each) for each in ends]
        won.append(values[0] - values[1])
    return np.concatenate(won)


def main() -> None:
    """Print how often verdicts and intervals are wrong."""
    null = gains(OtherNoise(), make_agent("random", "jie-long"), NULLS)
    for size in (30, 100, 300):
        parts = null[: len(null) // size * size].reshape(-1, size)
        found = [estimate(part) for part in parts]
        false = np.mean([judge(each, MARGIN, "different").verdict == "supported" for each in found])
        covered = np.mean([abs(each.mean) <= each.half_width for each in found])
        print(f"null claims of {size} deals, {len(parts):,}: {false:.1%} supported; intervals cover {covered:.1%}")
    generator = np.random.default_rng(0)
    for gain, what in ((0.0, "accept no gain"), (GAIN, "reject the gain")):
        drawn = (generator.choice(null, LONGEST) + gain for _ in range(TESTS))
        ended = [gsprt(deals, GAIN) for deals in drawn]
        wrong = np.mean([each.verdict == (-1 if gain else 1) for each in ended])
        mean = np.mean([each.samples for each in ended])
        print(f"sequential tests of {GAIN:g} chips, {len(ended):,}: {wrong:.1%} {what}; {mean:,.0f} deals on average")
    planted = gains(make_agent("variety", "jie-long"), make_agent("greedy", "jie-long"), DEALS)
    truth, size = estimate(planted), samples_for(float(planted.mean()), float(planted.std()), power=POWER)
    parts = planted[: len(planted) // size * size].reshape(-1, size)
    found = [estimate(part) for part in parts]
    power = np.mean([each.low > 0 for each in found])
    print(
        f"a planted effect of {truth} chips at its {size:,} deals for {POWER:.0%}, {len(parts)}: found in {power:.1%}; "
        f"intervals cover it in {np.mean([each.low <= truth.mean <= each.high for each in found]):.1%}"
    )


if __name__ == "__main__":
    main()
