"""What claims can name is what it was in some deals of every game, from the deal to the end.

After a deliberate change of a figure, this prints the new digests, and with the name of a game the sums of all its
figures, to compare with those of before:

    python tests/agents/evaluation/claims/test_pinned_figures.py
"""

import hashlib
import sys
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation.claims import Sampler
from gupai_agents.evaluation.claims.features import (
    SectionFeature,
    action_features_of,
    hand_features_of,
    metrics_of,
    position_features_of,
    values_of,
)
from gupai_agents.evaluation.claims.schema import Named, Population
from gupai_agents.evaluation.claims.setting import DealSource
from gupai_env.games import GAMES
from gupai_env.games.claims import ActionFeature, HandFeature, Metric, PositionFeature, Positions

DEALS, STEPS = 60, 30
NUMBERS = range(7)  # a pip has one of 1 to 6, and no number is 0
# Rules that let happen what the defaults do not, and under which a figure is another one.
VARIANTS = {
    "jie-long": ({}, {"players": 3, "double_lock": True}),
    "ce-deng": ({}, {"redeal_doubles": 6, "players": 3}),
    "ding-niu": ({}, {"smothered_numbers": (1, 6), "exempt_forced_maker": True}),
    "da-ling": ({}, {"players": 3, "casino_fee": 5}),
    "tiu-u": ({}, {"players": 3, "heaven_pair": True}),
    "shi-wu-hu": ({}, {"players": 3, "deck": "tiles", "supreme_match": "sixes"}),
    "small-mahjong": ({}, {"players": 3, "expose_claims": False, "auto_win": False}),
    "tien-gow": ({}, {"civil_supreme": True, "combinations": "pairs", "four_bonus": 4, "supreme_bonus": 2}),
    "deer-hunt": ({}, {"escape": True, "fair_deal": "heaven"}),
    "pai-gow": ({}, {"players": 8, "commission": 5}),
}
PINNED = {
    "jie-long": "5487730087c123a7",
    "ce-deng": "2ceb678785c2c82c",
    "ding-niu": "53ebf8fc4335bc3e",
    "da-ling": "6ac1232bd95fec67",
    "tiu-u": "b48351c0c7eecdcc",
    "small-mahjong": "9c67f822446294bd",
    "tien-gow": "fe1881f4530b3880",
    "deer-hunt": "0839f5d37bf96beb",
    "shi-wu-hu": "0ae596d4091619bc",
    "pai-gow": "905d1a9c7c42a244",
}


def figures_of(name: str) -> Iterator[tuple[str, np.ndarray]]:
    """Yield every figure by name: in deals at random, and at their ends between rule-based players."""
    game = GAMES[name]
    for feature, each in hand_features_of(game).items():
        for number in numbers(each):
            yield f"hand {feature} {number}", each.adds(number)
    for at, options in enumerate(VARIANTS[name]):
        variant = game.variant(**options)
        source = DealSource(Sampler(game, variant, Population()), 11)
        block = next(source.blocks(0, DEALS))
        envs = source.resume(block.states)
        for key in range(STEPS):
            turn = Positions(game, variant, envs.states, envs.masks)
            for feature, each in position_features_of(game).items():
                for number in numbers(each):
                    named = Named(feature=feature, number=number or None)
                    yield f"{at} position {feature} {number}", values_of(turn, named)
            for feature, each in action_features_of(game).items():
                for number in numbers(each):
                    yield f"{at} action {feature} {number}", each.has(turn, number) & turn.masks
            envs.step(envs.sample(key))
        greedy, tuned = make_agent("greedy", game, **options), make_agent("tuned", game, **options)
        outcome = source.play_with(block, greedy, tuned, acted=True)
        for metric, measure in metrics_of(game).items():
            for number in numbers(measure) if not measure.drawn else ():
                values = measure.values(outcome, number)
                yield f"{at} metric {metric} {number}", values
                if measure.statistic:
                    yield f"{at} metric {metric} {number}, all deals", np.array(measure.statistic(values.mean(0)))


def numbers(feature: HandFeature | PositionFeature | ActionFeature | Metric) -> Sequence[int]:
    """The numbers that a figure may be asked for, 0 for none."""
    if isinstance(feature, SectionFeature):
        return NUMBERS if feature.of_kinds or feature.of_numbers else NUMBERS[:1]
    return {True: NUMBERS[1:], None: NUMBERS, False: NUMBERS[:1]}[feature.number]


def digest(name: str) -> str:
    """Return the beginning of the digest of all figures."""
    found = hashlib.sha256()
    for what, values in figures_of(name):
        found.update(what.encode() + np.round(np.asarray(values, np.float64), 9).tobytes())
    return found.hexdigest()[:16]


@pytest.mark.parametrize("name", GAMES)
def test_vocabulary_of_claims_keeps_its_figures(name):
    assert digest(name) == PINNED[name]


if __name__ == "__main__":
    for given in sys.argv[1:]:
        total: dict[str, float] = {}
        for what, values in figures_of(given):
            total[what] = total.get(what, 0.0) + float(np.sum(values))
        print(*(f"{what}: {value:g}" for what, value in total.items()), sep="\n")
    if not sys.argv[1:]:
        print(*(f'    "{each}": "{digest(each)}",' for each in GAMES), sep="\n")
