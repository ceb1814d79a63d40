"""Enumerate, and compare facts with what is expected: questions about the set of tiles, and those of a game."""

from collections.abc import Iterator, Mapping
from math import comb
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from gupai_agents.evaluation.claims.check import Place
from gupai_agents.evaluation.claims.readings import Reading
from gupai_agents.evaluation.claims.results import Finding
from gupai_agents.evaluation.claims.setting import Setting
from gupai_agents.evaluation.claims.verdicts import DISPROVED, PROVED
from gupai_agents.evaluation.exact.all_hands import chances_against
from gupai_agents.play.decisions import resume_lanes
from gupai_env.core.game import Game
from gupai_env.core.tiles import DECK, PIPS
from gupai_env.deals import all_deals
from gupai_env.games.claims import ExactQuestion, Facts, tiles_by_number, vocabulary_of
from gupai_env.messages import joined, say
from gupai_env.storage.models import Written


def doubles_in_a_hand() -> Facts:
    """Return the chance that a hand of eight, or one of four, holds 6, 7 or 8 doubles, or so many or more."""
    doubles, tiles, hand = sum(PIPS[kind, 0] == PIPS[kind, 1] for kind in DECK.tolist()), len(DECK), 8
    ways = {k: comb(doubles, k) * comb(tiles - doubles, hand - k) for k in range(hand + 1)}
    facts: Facts = {f"{k} doubles": ways[k] / comb(tiles, hand) for k in (6, 7, 8)}
    for k in (6, 7):
        facts[f"{k} or more"] = sum(ways[j] for j in range(k, hand + 1)) / comb(tiles, hand)
    # Two hands with six each have all twelve doubles but none; inclusion and exclusion, three cannot.
    pairs = sum(
        comb(doubles, a)
        * comb(tiles - doubles, hand - a)
        * comb(doubles - a, b)
        * comb(tiles - doubles - hand + a, hand - b)
        for a in range(6, hand + 1)
        for b in range(6, hand + 1)
        if a + b <= doubles
    ) / (comb(tiles, hand) * comb(tiles - hand, hand))
    facts["some hand of four with 6 or more"] = 4 * float(facts["6 or more"]) - comb(4, 2) * pairs
    return facts


QUESTIONS = {
    "tiles_per_number": ExactQuestion(
        "tiles of the set that carry each number, which numbers have fewest and which come next",
        lambda: tiles_by_number(DECK.tolist()),
    ),
    "doubles_in_a_hand": ExactQuestion(
        "chance that a hand of eight holds 6, 7 or 8 doubles, or as many and more; and that some of four hands does",
        doubles_in_a_hand,
    ),
}


def questions_of(game: Game) -> dict[str, ExactQuestion]:
    """Return what can be enumerated of a game."""
    return {**QUESTIONS, **vocabulary_of(game).questions}


def answer(game: Game, question: ExactQuestion) -> Facts:
    """Return the facts that answer a question."""
    if question.against is not None:
        return question.facts(chances_against(game, question.against))
    if question.ends_of is None:
        return question.facts()
    deals = all_deals(game, **question.ends_of).states
    return question.facts(len(deals), ends_of(game, deals, question.ends_of))


def ends_of(game: Game, states: np.recarray, variant: Mapping[str, Any]) -> Iterator[np.recarray]:
    """Yield all ends that the states, deals under way, can come to, some at a time.

    Args:
        game: The game.
        states: Deals under way, a record array [N].
        variant: Options that differ from their defaults.
    """
    made = game.variant.make(**variant)
    masks = resume_lanes(game, made, states).masks.copy()
    for action in np.flatnonzero(masks.any(0)).tolist():
        after = resume_lanes(game, made, states[masks[:, action]])
        after.step(np.full(after.num_envs, action, np.int64))
        terminated = after.terminated.copy()
        if terminated.any():
            yield after.states[terminated].view(np.recarray)
        if not terminated.all():
            yield from ends_of(game, after.states[~terminated].view(np.recarray), variant)


class Expectation(Written):
    """What a fact should be: one of the three."""

    fact: str
    equals: float | str | None = None
    at_most: float | None = None
    at_least: float | None = None

    @model_validator(mode="after")
    def _just_one(self) -> Self:
        if sum(bound is not None for bound in (self.equals, self.at_most, self.at_least)) != 1:
            raise ValueError("write one of `equals`, `at_most` and `at_least`")
        return self

    def holds(self, fact: float | str) -> bool:
        """Whether a fact is as expected."""
        if isinstance(self.equals, str) or (isinstance(fact, str) and self.equals is not None):
            return str(fact) == (f"{self.equals + 0.0:g}" if isinstance(self.equals, float) else self.equals)
        if isinstance(fact, str):
            return False
        if self.equals is not None:
            return abs(fact - self.equals) < 1e-9
        return fact <= self.at_most if self.at_most is not None else fact >= (self.at_least or 0.0)


class Exact(Reading):
    """Enumerate."""

    kind: Literal["exact"]
    enumerate: str = Field(description="what is enumerated, by name")
    expect: list[Expectation] = Field(min_length=1)

    def check(self, place: Place) -> None:
        known, game = questions_of(place.game), place.game.id
        if self.enumerate not in known:
            with place.at("enumerate"):
                raise ValueError(f"{self.enumerate!r} cannot be enumerated in {game}; choose one of {', '.join(known)}")

    def weights(self, deals: int | None, masters: bool) -> list[float]:
        return [1000.0]

    def test(self, setting: Setting) -> Finding:
        """Enumerate, and compare."""
        setting.meter.begin(f"enumerating {self.enumerate}")
        facts = answer(setting.game, questions_of(setting.game)[self.enumerate])
        wrong = []
        for expected in self.expect:
            if expected.fact not in facts:
                raise ValueError(f"{self.enumerate} has no fact {expected.fact!r}; its facts are {', '.join(facts)}")
            if not expected.holds(facts[expected.fact]):
                fact = facts[expected.fact]
                value = fact if isinstance(fact, str) else f"{fact:g}"
                wrong.append(say("{fact} is {value}", fact=say(expected.fact), value=value))
        text = say("Enumerated: {facts}.", facts=joined("; ", wrong or ["all is as it is said"]))
        return self.finding(DISPROVED if wrong else PROVED, text, facts=dict(facts))
