"""Cards: at most ten rules that a person can follow, in order, as a player.

Of the moves that the rules before it have left, every rule keeps those with the most or the fewest of one of the game's
features, or with the highest count of two. It may also keep those that come near, and apply in some positions only. Of
the moves that are left after the last rule, one is drawn.
"""

import functools
from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, StrictFloat, StrictInt, StrictStr, model_validator

from gupai_agents.agent import DecisionBatch, check_batch
from gupai_agents.heuristics import writable
from gupai_agents.shipped import CARD, shipped_card
from gupai_agents.written import Written
from gupai_env.core.compiling import Loop, compiled
from gupai_env.core.game import Game
from gupai_env.core.heuristic import Feature
from gupai_env.core.memory import with_attributes
from gupai_env.core.rng import draw
from gupai_env.core.rule import long_rule, rule
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant
from gupai_env.words.messages import joined, say

MOST_RULES = 10
ALWAYS, MOST, FEWEST, MOVES, HAND = range(5)  # what a condition counts
COUNTED, OF, LOW, HIGH, WITHIN, WEIGHTS = range(6)  # columns of a card as loops take it; weights by feature follow
NEAR = 1e-6  # values that differ by less are alike
Number = StrictInt | StrictFloat


class When(Written):
    """The positions in which a rule applies: one quantity and one bound.

    most, fewest: the feature whose largest or smallest value among all legal moves counts. number: of legal `moves`, or
    of the tiles in `hand`. at_least, at_most: what it may be.
    """

    most: StrictStr | None = None
    fewest: StrictStr | None = None
    number: Literal["moves", "hand"] | None = None
    at_least: Number | None = None
    at_most: Number | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if sum(quantity is not None for quantity in (self.most, self.fewest, self.number)) != 1:
            raise ValueError("a condition needs one of most, fewest and number")
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("a condition needs either at_least or at_most")
        return self


class CardRule(Written):
    """One rule.

    keep: weights by feature; the moves with the highest sum are kept. within: how far below it others are kept, too.
    when: where the rule applies, default everywhere.
    """

    keep: dict[str, Number] = Field(min_length=1, max_length=2)
    within: Number = Field(0, ge=0)
    when: When | None = None


def card_rows(game: Game, rules: Sequence[CardRule]) -> np.ndarray:
    """Return a card as loops take it, float64 [rules, 5 + features].

    Raises:
        ValueError: For more than ten rules, and as `Game.heuristic`.
    """
    if len(rules) > MOST_RULES:
        raise ValueError(f"a card has at most {MOST_RULES} rules, not {len(rules)}")
    rows = np.zeros((len(rules), WEIGHTS + len(game.features)))
    for row, written in zip(rows, rules, strict=True):
        row[WEIGHTS:] = game.heuristic(written.keep)[:-1]
        row[WITHIN] = written.within + NEAR
        if (when := written.when) is not None:
            row[COUNTED], row[OF] = _quantity(game, when)
            row[LOW] = -np.inf if when.at_least is None else when.at_least - NEAR
            row[HIGH] = np.inf if when.at_most is None else when.at_most + NEAR
    return rows


def _quantity(game: Game, when: When) -> tuple[int, int]:
    """Return what a condition counts, and of which feature."""
    if (name := when.most or when.fewest) is None:
        return (MOVES if when.number == "moves" else HAND), 0
    return (FEWEST if when.most is None else MOST), int(game.heuristic({name: 1.0}).argmax())


@long_rule
def measure(game, view, weights, moves, count, values):
    """Write the weighted sum of the features of each of the first `count` moves."""
    for place in range(count):
        values[place] = game.score(view, moves[place], weights)


@rule
def applies(game, row, view, hand, scratch, legal, count):
    """Return whether a rule of a card applies in a position; `legal` are its `count` legal moves."""
    weights, values = scratch
    if row[COUNTED] == ALWAYS:
        return True
    if row[COUNTED] == MOVES:
        quantity = float(count)
    elif row[COUNTED] == HAND:
        quantity = float(hand)
    else:
        weights[:] = 0
        weights[int(row[OF])] = 1
        measure(game, view, weights, legal, count, values)
        quantity = values[0]
        for place in range(1, count):
            quantity = max(quantity, values[place]) if row[COUNTED] == MOST else min(quantity, values[place])
    return row[LOW] <= quantity <= row[HIGH]


@rule
def keep_moves(game, row, view, scratch, moves, count):
    """Put those of the first `count` moves that a rule keeps before the others; return how many they are."""
    weights, values = scratch
    weights[: len(row) - WEIGHTS] = row[WEIGHTS:]
    measure(game, view, weights, moves, count, values)
    return keep_highest(values, row[WITHIN], moves, count)


@rule
def keep_highest(values, within, moves, count):
    """Put those of the first `count` moves with the highest values, or within so much of them, before the others.

    Returns how many they are; they stay in their order.
    """
    best, remaining = -np.inf, 0
    for place in range(count):
        best = max(best, values[place])
    for place in range(count):
        if values[place] >= best - within:
            moves[remaining], moves[place] = moves[place], moves[remaining]
            remaining += 1
    return remaining


@rule
def tiles_in_hand(game, view, start, seen):
    """Return how many tiles the player holds; the kinds in hand begin at `start` of an observation."""
    seen[:] = 0
    game.encode(view, seen)
    tiles = 0
    for kind in range(KINDS):
        tiles += seen[start + kind]
    return tiles


@functools.cache
def card_loop(game: Game) -> Loop:
    """Return the loop of a game that asks a card in every row: loop(card, views, masks, rng_keys, actions, removed_by).

    removed_by: as `CardAgent.removed_by` returns it, or without rows.
    """
    module, num_actions, size = game.module, game.num_actions, game.encoder.layout.size
    features, start = len(game.features), hand_start(game)

    def answer(card, views, masks, rng_keys, actions, removed_by):
        scratch, seen = (np.zeros(features + 1), np.empty(num_actions)), np.zeros(size, np.int8)
        legal, moves = np.empty(num_actions, np.int64), np.empty(num_actions, np.int64)
        sees = np.any(card[:, COUNTED] == HAND)
        for turn in range(len(views)):
            total = 0
            for action in range(num_actions):
                if masks[turn, action]:
                    legal[total] = moves[total] = action
                    total += 1
            view, count = views[turn], total
            hand = tiles_in_hand(module, view, start, seen) if sees else 0
            for number in range(len(card)):
                if count > 1 and applies(module, card[number], view, hand, scratch, legal, total):
                    remaining = keep_moves(module, card[number], view, scratch, moves, count)
                    for place in range(remaining, count if len(removed_by) else remaining):
                        removed_by[turn, moves[place]] = number
                    count = remaining
            actions[turn] = moves[draw(rng_keys[turn], 0, count)]

    return compiled(answer, game)


def hand_start(game: Game) -> int:
    """Return where the kinds in hand begin in an observation; 0 for a game that shows none."""
    return getattr(game.encoder.layout.starts, "hand", 0)


class CardAgent:
    """A card of rules as an `Agent`."""

    def __init__(self, game: Game, name: str, rules: Sequence[CardRule]) -> None:
        """Make the player; raises ValueError as `card_rows`."""
        self.game, self.name, self.rules = game, name, tuple(rules)
        self.rows: np.ndarray = card_rows(game, rules)

    def act(self, batch: DecisionBatch) -> np.ndarray:
        """Return one legal action per row, int16 [N]."""
        check_batch(self.game, batch)
        return self._answer(batch, np.empty((0, 0), np.int8))

    def removed_by(self, batch: DecisionBatch, *, plain: bool = False) -> np.ndarray:
        """Return the index of the rule that removes each move, int8 [N, num_actions].

        As many as there are rules: none does. -1: the move is not legal.

        Args:
            plain: Compile nothing: a row takes up to 0.2 seconds then.
        """
        removed_by = np.where(batch.masks, len(self.rules), -1).astype(np.int8)
        self._answer(batch, removed_by, plain=plain)
        return removed_by

    def _answer(self, batch: DecisionBatch, removed_by: np.ndarray, *, plain: bool = False) -> np.ndarray:
        actions, loop = np.empty(len(batch.rng_keys), np.int16), card_loop(self.game)
        arguments = self.rows, batch.views, writable(batch.masks), batch.rng_keys, actions, removed_by
        if plain:
            loop.function(*map(with_attributes, arguments))
        else:
            loop(*arguments)
        return actions

    def probabilities(self, batch: DecisionBatch) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]: equal for those that no rule removes."""
        playable = self.removed_by(batch) == len(self.rules)
        return playable / playable.sum(1, keepdims=True)


def card_agent(game: Game, variant: Variant) -> CardAgent | None:
    """Return the card that ships with the package for a variant, as a player; None for a game without cards."""
    card = shipped_card(game, variant)
    return CardAgent(game, CARD, [CardRule(**written) for written in card["rules"]]) if card else None


READING = (
    "Each rule says which of your moves to keep. Apply the next rule to the moves that remain, until there is only "
    "one; if several remain at the end, play any of them. A count is 0 where it does not apply to a move."
)


def closes(card: dict[str, Any]) -> str:
    """Return in a sentence how good a shipped card is."""
    return say(
        "It goes {closes} of the way from greedy to best: {greedy} in chips won from greedy, {best} in chips lost to "
        "best ({deals} deals, each from every seat, seed {seed}, with 95% intervals). What a rule adds is in chips per "
        "deal against greedy; one that adds nothing there may help against better players.",
        closes=card["closes"],
        greedy=card["closes_against_greedy"],
        best=card["closes_against_best"],
        **card["judged_in"],
    )


def rule_in_words(game: Game, written: CardRule) -> str:
    """Return a rule of a card as a sentence, without the full stop."""
    moves = _moves(game, written)
    if written.when is None:
        return say("Keep {moves}", moves=moves)
    return say("If {condition}, keep {moves}", condition=_condition(game, written.when), moves=moves)


def _moves(game: Game, written: CardRule) -> str:
    """Return which moves a rule keeps."""
    if len(written.keep) == 1:
        ((name, weight),) = written.keep.items()
        feature, most = _feature(game, name), weight > 0
        meaning = say(feature.meaning)
        if is_yes_or_no(feature):
            if most:
                return say("the moves by which {what}, if there are any", what=meaning)
            return say("the moves but those by which {what}, if there are others", what=meaning)
        if is_counted(feature):
            moves = say("the moves with the most {what}" if most else "the moves with the fewest {what}", what=meaning)
        else:
            template = "the moves with the highest ({what})" if most else "the moves with the lowest ({what})"
            moves = say(template, what=meaning)
        near = say("up to {number:g} less" if most else "up to {number:g} more", number=written.within)
    else:
        terms = joined(", ", [_term(_feature(game, name), weight) for name, weight in written.keep.items()])
        moves = say("the moves with the highest count: {terms}", terms=terms)
        near = say("up to {number:g} less", number=written.within)
    return say("{moves}, or {near}", moves=moves, near=near) if written.within else moves


def _term(feature: Feature, weight: float) -> str:
    """Return what a feature adds to a count."""
    template = "{weight:+g} if {what}" if is_yes_or_no(feature) else "{weight:+g} × ({what})"
    return say(template, weight=weight, what=say(feature.meaning))


def _condition(game: Game, when: When) -> str:
    """Return when a rule applies, as the text after "If"."""
    least, bound = when.at_least is not None, when.at_least if when.at_most is None else when.at_most
    if when.number == "moves":
        return say("you have at least {number} moves" if least else "you have at most {number} moves", number=bound)
    if when.number == "hand":
        return say("you hold at least {number} tiles" if least else "you hold at most {number} tiles", number=bound)
    feature = _feature(game, str(when.most or when.fewest))
    meaning, highest = say(feature.meaning), when.most is not None
    if is_yes_or_no(feature):
        template = {
            (True, True): "there is a move by which {what}",
            (True, False): "there is no move by which {what}",
            (False, True): "by every move {what}",
            (False, False): "there is a move other than those by which {what}",
        }[highest, least]
    elif not is_counted(feature):
        template = {
            (True, True): "the highest ({what}) is {number:g} or more",
            (True, False): "the highest ({what}) is {number:g} or less",
            (False, True): "the lowest ({what}) is {number:g} or more",
            (False, False): "the lowest ({what}) is {number:g} or less",
        }[highest, least]
    elif bound == 0 and not least:
        template = "no move has any {what}" if highest else "a move has no {what}"
    else:
        template = {
            (True, True): "a move has {number:g} or more {what}",
            (True, False): "every move has {number:g} or fewer {what}",
            (False, True): "every move has {number:g} or more {what}",
            (False, False): "a move has {number:g} or fewer {what}",
        }[highest, least]
    return say(template, what=meaning, number=bound)


def _feature(game: Game, name: str) -> Feature:
    return next(feature for feature in game.features if feature.name == name)


def is_yes_or_no(feature: Feature) -> bool:
    """Return whether a feature is only true or false."""
    return feature.unit == "1 if so"


def is_counted(feature: Feature) -> bool:
    """Return whether a feature counts things, as its meaning says at once: "unseen tiles that ..."."""
    return feature.unit in feature.meaning.split()[:3]
