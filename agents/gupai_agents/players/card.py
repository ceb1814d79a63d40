"""Cards: at most seven rules that a person can follow, in order, as a player.

Every rule keeps, of the moves that the rules before it have left, those with the most or the fewest of one of the
features for which a game has words. It may also keep those that come near, and apply in some positions only, which a
condition on the moves that are left decides. Of the moves after the last rule, one is drawn.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, StrictFloat, StrictInt, StrictStr, model_validator

from gupai_agents.agent import DecisionBatch, check_batch
from gupai_agents.players.heuristics import writable
from gupai_agents.shipped import CARD, shipped_card
from gupai_env.core.compiling import Loop, compiled
from gupai_env.core.game import Game
from gupai_env.core.heuristic import WEIGHT
from gupai_env.core.kernels import BYTE, LONG
from gupai_env.core.memory import scratch, with_attributes
from gupai_env.core.rng import draw
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant
from gupai_env.messages import say
from gupai_env.storage.models import Written

MOST_RULES, LONGEST = 7, 99  # rules of a card, and characters of one
ALWAYS, MOST, FEWEST, HAND = range(4)  # what a condition counts
COUNTED, OF, LOW, HIGH, FEATURE, SIGN, WITHIN = range(7)  # columns of a card as loops take it
NEAR = 1e-6  # values that differ by less are alike
Number = StrictInt | StrictFloat


class Quantity(Written):
    """A feature, of which the most or the fewest counts."""

    most: StrictStr | None = None
    fewest: StrictStr | None = None

    @property
    def feature(self) -> str:
        """The name of the feature."""
        return str(self.most or self.fewest)

    @property
    def is_one(self) -> bool:
        """Whether it names exactly one feature."""
        return (self.most is None) != (self.fewest is None)


class When(Quantity):
    """The positions in which a rule applies: one quantity and one bound.

    most, fewest: the feature whose largest or smallest value among the moves that are left counts. number: of
    the tiles in `hand` instead. at_least, at_most: what it may be.
    """

    number: Literal["hand"] | None = None
    at_least: Number | None = None
    at_most: Number | None = None

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        if (self.most, self.fewest) != (None, None) if self.number else not self.is_one:
            raise ValueError("a condition needs one of most, fewest and number")
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError("a condition needs either at_least or at_most")
        return self


class CardRule(Quantity):
    """One rule: the moves with the largest or the smallest value of its feature are kept.

    within: how far from it others are kept, too. when: where the rule applies, default everywhere.
    """

    within: Number = Field(0, ge=0)
    when: When | None = None

    @model_validator(mode="after")
    def _one_feature(self) -> Self:
        if not self.is_one:
            raise ValueError("a rule needs either most or fewest")
        return self


def card_rows(game: Game, rules: Sequence[CardRule]) -> np.ndarray:
    """Return a card as loops take it, float64 [rules, 7].

    Raises:
        ValueError: For more than seven rules, and as `Game.heuristic`.
    """
    if len(rules) > MOST_RULES:
        raise ValueError(f"a card has at most {MOST_RULES} rules, not {len(rules)}")
    rows = np.zeros((len(rules), WITHIN + 1))
    for row, written in zip(rows, rules, strict=True):
        row[FEATURE], row[SIGN], row[WITHIN] = _index(game, written), 1 if written.most else -1, written.within + NEAR
        if (when := written.when) is not None:
            row[COUNTED] = HAND if when.number else MOST if when.most else FEWEST
            row[OF] = 0 if when.number else _index(game, when)
            row[LOW] = -np.inf if when.at_least is None else when.at_least - NEAR
            row[HIGH] = np.inf if when.at_most is None else when.at_most + NEAR
    return rows


def _index(game: Game, quantity: Quantity) -> int:
    """Return the index of the feature of a quantity."""
    return int(game.heuristic({quantity.feature: 1.0}).argmax())


@rule
def measure(game, view, weights, feature, sign, moves, count, values):
    """Write one feature of each of the first `count` moves, times a sign; `weights` are zero, before and after.

    Args:
        game: The module of a game.
        view: What the seat knows.
        weights: Scratch, float64 [features + 1].
        feature: The number of the feature.
        sign: 1.0 or -1.0.
        moves: Actions, of which the first `count` are left.
        count: How many are.
        values: Is written, float64, one for each move.
    """
    weights[feature] = sign
    for place in range(count):
        values[place] = game.score(view, moves[place], weights)
    weights[feature] = 0


@rule
def in_bounds(row, hand, values, count):
    """Return whether what a condition counts, among the values of the `count` moves that are left, is in its bounds.

    Args:
        row: A rule as numbers, a row of `card_rows`.
        hand: Tiles in the hand of the player.
        values: What the condition counts, of each move.
        count: How many moves are left.
    """
    quantity = values[0] if row[COUNTED] != HAND else float(hand)
    if row[COUNTED] != HAND:
        for place in range(1, count):
            quantity = max(quantity, values[place]) if row[COUNTED] == MOST else min(quantity, values[place])
    return row[LOW] <= quantity <= row[HIGH]


@rule
def keep_moves(game, row, view, hand, weights, values, moves, count):
    """Put those of the first `count` moves that a rule keeps before the others; return how many they are.

    Args:
        game: The module of a game.
        row: A rule as numbers, a row of `card_rows`.
        view: What the seat knows.
        hand: Tiles in its hand.
        weights, values: Scratch, as of `measure`.
        moves: Actions; their order changes.
        count: How many are left before the rule.
    """
    if row[COUNTED] != ALWAYS:
        if row[COUNTED] != HAND:
            measure(game, view, weights, int(row[OF]), 1.0, moves, count, values)
        if not in_bounds(row, hand, values, count):
            return count
    measure(game, view, weights, int(row[FEATURE]), row[SIGN], moves, count, values)
    return keep_highest(values, row[WITHIN], moves, count)


@rule
def keep_highest(values, within, moves, count):
    """Put those of the first `count` moves with the highest values, or within so much of them, before the others.

    Returns how many they are; they stay in their order.

    Args:
        values: One for each move, float64.
        within: By how much less than the highest a value may be.
        moves: Actions; their order changes.
        count: How many are left.
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
    """Return how many tiles the player holds; the kinds in hand begin at `start` of an observation.

    Args:
        game: The module of a game.
        view: What the seat knows.
        start: Where its hand begins in an observation.
        seen: Scratch, int8 [layout.size].
    """
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
    terms, start = len(game.features) + 1, hand_start(game)

    def answer(card, views, masks, rng_keys, actions, removed_by):
        weights, values = scratch(terms, WEIGHT), scratch(num_actions, WEIGHT)
        seen, moves = scratch(size, BYTE), scratch(num_actions, LONG)
        weights[:] = 0
        sees = False
        for number in range(len(card)):
            sees = sees or card[number, COUNTED] == HAND
        for turn in range(len(views)):
            count = 0
            for action in range(num_actions):
                if masks[turn, action]:
                    moves[count] = action
                    count += 1
            view = views[turn]
            hand = tiles_in_hand(module, view, start, seen) if sees else 0
            for number in range(len(card)):
                if count > 1:
                    remaining = keep_moves(module, card[number], view, hand, weights, values, moves, count)
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
        """Make the player; raises ValueError as `card_rows`.

        Args:
            game: A game whose features have words.
            name: What it is called.
            rules: At most MOST_RULES, in the order in which they are applied.
        """
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
    'Begin with all your moves. Each rule says which of the moves that are left to keep, and "if" asks about these '
    "alone; of those after the last rule play any. A count is 0 where a move has none of it. Unseen tiles are those "
    "neither in your hand nor face up nor discarded by you."
)


def closes(card: dict[str, Any]) -> str:
    """Return in a sentence how good a shipped card is."""
    return say(
        "It goes {closes} of the way from greedy to best: {greedy} in chips won from greedy, {best} in chips lost to "
        "best ({deals} deals, each from every seat, seed {seed}, with 95% intervals). What a rule adds is in chips per "
        "deal, the mean against greedy and against tuned.",
        closes=card["closes"],
        greedy=card["closes_against_greedy"],
        best=card["closes_against_best"],
        deals=card["judged_in"]["deals"],
        seed=card["judged_in"]["seed"],
    )


def rule_in_words(game: Game, written: CardRule) -> str:
    """Return a rule of a card as a sentence, without the full stop.

    Raises:
        ValueError: For a feature, moves near the best one, or a choice between moves, for which the game has no words.
    """
    words = _words(game, written)
    if written.within and (isinstance(words, tuple) or is_yes_or_no(game, written)):
        raise ValueError(f"{game.id} has no words for moves near those with the most or the fewest {written.feature}")
    if (when := written.when) is None:
        condition = ""
    elif when.number:
        template = (
            "you hold at least {number} tiles" if when.at_least is not None else "you hold at most {number} tiles"
        )
        condition = say(template, number=_bound(when))
    else:
        condition = _condition(game, when)
    if isinstance(words, tuple):
        if is_yes_or_no(game, written) or "{number}" in words[0]:
            raise ValueError(f"{game.id} has no words for such a rule about the feature {written.feature}")
        return _chosen(condition, say(words[written.most is None]))
    if is_yes_or_no(game, written):
        plainly = "If you can, {what}" if written.most else "Unless you must, do not {what}"
        if not condition:
            return say(plainly, what=say(words))
        template = (
            "If {condition}, {what} if you can" if written.most else "If {condition}, do not {what} unless you must"
        )
        return say(template, condition=condition, what=say(words))
    moves = say("moves with the most {what}" if written.most else "moves with the fewest {what}", what=say(words))
    if written.within:
        near = "{moves}, or up to {number:g} fewer" if written.most else "{moves}, or up to {number:g} more"
        moves = say(near, moves=moves, number=written.within)
    return _chosen(condition, moves)


def _chosen(condition: str, moves: str) -> str:
    """Return which moves a rule chooses, on a condition unless that is ""."""
    if condition:
        return say("If {condition}, choose {moves}", condition=condition, moves=moves)
    return say("Choose {moves}", moves=moves)


def card_words(game: Game) -> Mapping[str, str | tuple[str, str]]:
    """Return the words of a game for what rules may be about, by feature."""
    words: Mapping[str, str | tuple[str, str]] = getattr(getattr(game.guide, "Guide", None), "card_words", {})
    return words


def notes(game: Game, rules: Sequence[CardRule]) -> Iterator[tuple[str, str]]:
    """Yield how to count what rules speak of, by a part of their phrases."""
    phrases = {words for written in rules for words in _phrases(game, written)}
    for part, meaning in getattr(getattr(game.guide, "Guide", None), "card_notes", {}).items():
        if any(part in phrase for phrase in phrases):
            yield part, meaning


def _phrases(game: Game, written: CardRule) -> Iterator[str]:
    """Yield the words for the features of a rule."""
    for quantity in (written, written.when):
        if quantity is not None and quantity.is_one:
            words = _words(game, quantity)
            yield from (words,) if isinstance(words, str) else words


def _words(game: Game, quantity: Quantity) -> str | tuple[str, str]:
    """Return the words of a game for a feature."""
    if quantity.feature not in card_words(game):
        raise ValueError(f"{game.id} has no words for the feature {quantity.feature}")
    return card_words(game)[quantity.feature]


def _bound(when: When) -> Number:
    return when.at_most if when.at_least is None else when.at_least  # type: ignore[return-value]


def _condition(game: Game, when: When) -> str:
    """Return when a rule applies, as the text after "If"."""
    words, least, highest = _words(game, when), when.at_least is not None, when.most is not None
    if is_yes_or_no(game, when):
        if isinstance(words, tuple):
            return say(words[not least])
        template = {
            (True, True): "you can {what}",
            (True, False): "you cannot {what}",
            (False, True): "you must {what}",
            (False, False): "you need not {what}",
        }[highest, least]
        return say(template, what=say(words))
    bound = _bound(when)
    if isinstance(words, tuple):
        if "{number}" not in words[0]:
            raise ValueError(f"{game.id} has no words for a number of the feature {when.feature}")
        return say(words[not least], number=bound)
    if bound == 0 and not least:
        template = "no move has any {what}" if highest else "a move has no {what}"
    else:
        template = {
            (True, True): "a move has {number:g} or more {what}",
            (True, False): "all moves have {number:g} or fewer {what}",
            (False, True): "all moves have {number:g} or more {what}",
            (False, False): "a move has {number:g} or fewer {what}",
        }[highest, least]
    return say(template, what=say(words), number=bound)


def is_yes_or_no(game: Game, quantity: Quantity) -> bool:
    """Return whether the feature of a quantity is only true or false."""
    return game.features[_index(game, quantity)].unit == "1 if so"
