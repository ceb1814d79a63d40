"""Exact questions: those about the set of tiles, and with them those that a game offers.

Each returns facts by name that a claim compares with what it expects.
"""

from collections.abc import Iterator, Mapping
from math import comb
from typing import Any

import numpy as np

from gupai_agents.decisions import resume_lanes
from gupai_env.core.game import Game
from gupai_env.core.tiles import DECK, PIPS
from gupai_env.deals import all_deals
from gupai_env.games.claims import ExactQuestion, Facts, tiles_by_number, vocabulary_of


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
    if question.ends_of is None:
        return question.facts()
    deals = all_deals(game, **question.ends_of).states
    return question.facts(len(deals), ends_of(game, deals, question.ends_of))


def ends_of(game: Game, states: np.recarray, variant: Mapping[str, Any]) -> Iterator[np.recarray]:
    """Yield all ends that the states, deals under way, can come to, some at a time."""
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
