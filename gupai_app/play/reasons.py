"""Why a move is better than another one, in a sentence that a person can say at a table.

It says what the two do that matters in the game, in the words of its guide: the features by which they differ most for
the best player of features. Where that player prefers the other move, no reason is known, and a false one is not given.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.shipped import has_tuned, heuristic_names, tuned_weights
from gupai_env.games.guide import Guide
from gupai_env.messages import capitalized, joined, say

SECOND = 1 / 3  # of what is said first, that what is said next weighs at least
EXPLAINED = 1 / 3  # of the lead of a move, that all that is said weighs at least
MOST_LETTERS = 160


class Ground(NamedTuple):
    """What speaks for a move: its share of the lead, and what the move and its rival do, "" if that is not said."""

    share: float
    move: str
    rival: str


def reason(guide: Guide, view: np.record, move: int, rival: int) -> str:
    """Return in a sentence, without full stop, what speaks for a move rather than another; "" if nothing is known to.

    Args:
        guide: Of the game and its options.
        view: Of the seat to act; nothing else is known of the position.
        move, rival: Legal actions.
    """
    ranked = sorted(grounds(guide, view, move, rival), key=lambda ground: -ground.share)
    first = ranked[:1]
    others = [ground for ground in ranked[1:] if ground.share >= SECOND * first[0].share]
    second = [ground for ground in others if not ground.rival or ground.rival != first[0].rival][:1]
    for spoken in (sorted(first + second, key=lambda ground: not ground.rival), first):  # what is said of both is first
        sentence = _sentence(guide, view, move, rival, spoken)
        if sum(ground.share for ground in spoken) >= EXPLAINED and len(sentence) <= MOST_LETTERS:
            return sentence
    return ""


def grounds(guide: Guide, view: np.record, move: int, rival: int) -> list[Ground]:
    """Return what speaks for a move rather than another; nothing if the best heuristic prefers that.

    Args:
        guide: Of the game.
        view: What the person knows.
        move, rival: Two legal actions.
    """
    game, heuristics = guide.game, heuristic_names(guide.game)
    if not guide.phrases or not heuristics:
        return []
    weights = game.heuristic(tuned_weights(game, guide.variant) if has_tuned(game) else heuristics[-1])
    own, other = (feature_values(guide, view, action) for action in (move, rival))
    leads = {name: weight * (own[name] - other[name]) for name, weight in zip(own, weights, strict=False)}
    lead = sum(leads.values())
    own_slots, other_slots = guide.slots(view, move, rival, own), guide.slots(view, rival, move, other)
    own_numbers, other_numbers = own | own_slots, other | other_slots
    alike = game.move(move, view).verb == game.move(rival, view).verb
    reasons = []
    for name, phrase in guide.phrases.items():
        weight = sum(leads.get(feature, 0.0) for feature in (name, *phrase.weighs))
        better = phrase.shows or {name: phrase.better}
        speaks = any((own_numbers[number] - other_numbers[number]) * sign > 0 for number, sign in better.items())
        does, rival_does = phrase.words(own[name], own_slots), phrase.words(other[name], other_slots)
        if min(lead, weight) > 0 and speaks and does != rival_does and (alike or not phrase.alike):
            reasons.append(Ground(weight / lead, does, "" if phrase.alone else rival_does))
    return reasons


def feature_values(guide: Guide, view: np.record, action: int) -> dict[str, float]:
    """Return the features of an action by name, by plain rules, for nothing may be compiled yet.

    Args:
        guide: Of the game.
        view: What the person knows.
        action: A legal action.
    """
    features = guide.game.features
    return {
        feature.name: round(float(guide.game.score(view, action, row)), 6)
        for feature, row in zip(features, np.eye(len(features), len(features) + 1), strict=True)
    }


def _sentence(guide: Guide, view: np.record, move: int, rival: int, spoken: Sequence[Ground]) -> str:
    first = _clause(capitalized(guide.subject(view, move)), [ground.move for ground in spoken])
    return joined("; ", [first, _clause(guide.subject(view, rival), [ground.rival for ground in spoken])])


def _clause(subject: str, parts: Sequence[str]) -> str:
    """Return what a move does in one clause, "" if it is not said."""
    texts = [part for part in parts if part]
    does = say("{does} and {more}", does=texts[0], more=texts[1]) if len(texts) > 1 else joined("", texts)
    return say("{move} {does}", move=subject, does=does) if does else ""
