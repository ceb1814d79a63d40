"""Finding a card: rules that choose as a strong player does.

In decisions from play, a network's values say what every legal move is worth. A list of rules is judged by how much
less the moves that it leaves are worth on average than the best one, and changed at random, a rule at a time (simulated
annealing). The card found plays in the next sample of decisions, so that the rules fit the positions they lead to.
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, concatenated, observations_of
from gupai_agents.play.decisions import decisions, new_lanes
from gupai_agents.players.card import (
    ALWAYS,
    COUNTED,
    FEATURE,
    LONGEST,
    MOST_RULES,
    OF,
    SIGN,
    WITHIN,
    CardAgent,
    CardRule,
    When,
    card_rows,
    card_words,
    hand_start,
    in_bounds,
    is_yes_or_no,
    keep_highest,
    rule_in_words,
)
from gupai_agents.players.heuristics import scores_of
from gupai_agents.registry import make_agent
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant

CONDITIONAL = 0.7  # share of the rules tried
SAMPLED = 500  # decisions on which rules are compared first
TRIED, KEPT = 200, 5  # rules at a time, and those compared on all decisions
HEAT = 0.004  # of the annealing at its start, as a share of what the rules lose
NO_BETTER = 5e-3  # share of the loss that a rule must save to stay


@dataclass(frozen=True)
class Budget:
    """How long the search takes: rounds, and in each the decisions sampled and the changes tried."""

    decisions: int = 2000
    rounds: int = 2
    steps: int = 150


@rule
def narrow(features, hand, row, values, moves, count):
    """Put those of the first `count` moves that a rule, a row of a card, keeps before the others; return how many.

    features: of the moves of one decision, float64 [moves, features]. values: scratch, float64 [moves].

    Args:
        features: Of the moves of one decision, float64 [moves, features].
        hand: Tiles in the hand of the player.
        row: A rule as numbers, a row of `card_rows`.
        values: Scratch, float64 [moves].
        moves: Numbers of moves; their order changes.
        count: How many are left before the rule.
    """
    if row[COUNTED] != ALWAYS:
        for place in range(count):
            values[place] = features[moves[place], int(row[OF])]
        if not in_bounds(row, hand, values, count):
            return count
    for place in range(count):
        values[place] = row[SIGN] * features[moves[place], int(row[FEATURE])]
    return keep_highest(values, row[WITHIN], moves, count)


def _narrow_all(features, hands, card, moves, counts):
    values = np.empty(moves.shape[1])
    for row in range(len(counts)):
        for line in range(len(card)):
            if counts[row] > 1:
                counts[row] = narrow(features[row], hands[row], card[line], values, moves[row], counts[row])


def _lose_all(features, hands, losses, tried, after, rows, moves, counts, out):
    values, remaining = np.empty(moves.shape[1]), np.empty(moves.shape[1], np.int64)
    for number in range(len(tried)):
        total = 0.0
        for row in rows:
            count = counts[row]
            for place in range(count):
                remaining[place] = moves[row, place]
            count = narrow(features[row], hands[row], tried[number], values, remaining, count)
            for line in range(len(after)):
                if count > 1:
                    count = narrow(features[row], hands[row], after[line], values, remaining, count)
            lost = 0.0
            for place in range(count):
                lost += losses[row, remaining[place]]
            total += lost / count
        out[number] = total


narrow_all = compiled(_narrow_all)
lose_all = compiled(_lose_all)


class Sample:
    """Decisions, with what their legal moves are worth.

    features: float64 [N, moves, features]. hands: int64 [N], tiles in hand. counts: int64 [N], of legal moves. losses:
    float64 [N, moves], how much less each is worth than the best. bodies: rules without a condition that differ in what
    they keep. conditions: that hold in some of the decisions.
    """

    def __init__(self, game: Game, batch: DecisionBatch, strong: Any) -> None:
        """Compute what rules are judged by.

        Args:
            game: A game whose features have words.
            batch: Decisions between several moves.
            strong: An agent with `scores`, whose differences are chips that a move loses.
        """
        self.game = game
        masks, self.counts = batch.masks, batch.masks.sum(1)
        actions = np.argsort(~masks, 1, kind="stable")[:, : self.counts.max()]
        legal = np.arange(actions.shape[1]) < self.counts[:, None]
        values = np.take_along_axis(strong.scores(batch).astype(np.float64), actions, 1)
        self.losses = np.where(legal, np.where(legal, values, -np.inf).max(1, keepdims=True) - values, 0)
        rows = np.eye(len(game.features) + 1)[:-1]
        scored = np.stack([np.take_along_axis(scores_of(game, row, batch), actions, 1) for row in rows], 2)
        self.features = np.where(legal[:, :, None], scored, 0)
        self.hands = observations_of(game, batch.views)[:, hand_start(game) :][:, :KINDS].sum(1).astype(np.int64)
        self.bodies: list[CardRule] = []
        self.conditions = list(self._bounded(self.hands, number="hand"))
        for index, feature in enumerate(game.features):
            if feature.name in card_words(game):
                most = np.where(legal, scored[:, :, index], -np.inf).max(1)
                fewest = np.where(legal, scored[:, :, index], np.inf).min(1)
                if (most != fewest).any():
                    self.bodies += self._rules_by(feature.name, float(self.features[:, :, index][legal].std()))
                self.conditions += [
                    *self._bounded(most, most=feature.name),
                    *self._bounded(fewest, fewest=feature.name),
                ]
        self.row = functools.cache(lambda written: card_rows(game, [written])[0])
        self.fits = functools.cache(self._fits)

    def _rules_by(self, name: str, spread: float) -> Iterator[CardRule]:
        """Yield what rules may keep by a feature whose values have a standard deviation."""
        step = max(1, round(spread / 3))
        for quantity in ({"most": name}, {"fewest": name}):
            plain = CardRule(**quantity)
            yield plain
            if not is_yes_or_no(self.game, plain) and isinstance(card_words(self.game)[name], str):
                yield from (CardRule(**quantity, within=step * times) for times in (1, 2, 3))

    def _bounded(self, values: np.ndarray, **quantity: Any) -> Iterator[When]:
        """Yield the conditions on a quantity to try; none if it is always the same, or has no words for numbers."""
        words = card_words(self.game).get(next(iter(quantity.values())), "")
        steps = np.unique(values)
        if isinstance(words, tuple) and "{number}" not in words[0]:
            if not is_yes_or_no(self.game, When(**quantity, at_least=1)):
                return
        if len(steps) > 8:
            steps = np.unique(np.round(np.quantile(values, np.arange(1, 10) / 10, method="nearest")))
        yield from (When(**quantity, at_least=int(step)) for step in steps[1:])
        yield from (When(**quantity, at_most=int(step)) for step in steps[:-1])

    def _fits(self, written: CardRule) -> bool:
        """Return whether a rule is short enough in words, with a full stop."""
        return len(rule_in_words(self.game, written)) < LONGEST

    def plain(self, written: CardRule) -> CardRule:
        """Return a rule that keeps the same, with the least tolerance that does: values are multiples of a number."""
        values = self.features[:, :, int(self.row(written)[FEATURE])].astype(np.int64)
        unit = int(np.gcd.reduce(values, None)) or 1
        return written.model_copy(update={"within": int(written.within) // unit * unit})

    def rows(self, rules: Sequence[CardRule]) -> np.ndarray:
        """Return rules as loops take them, float64 [rules, 7]."""
        return np.array([self.row(written) for written in rules]).reshape(-1, WITHIN + 1)

    def moves_left(self, rules: Sequence[CardRule]) -> tuple[np.ndarray, np.ndarray]:
        """Return the moves that rules leave, int64 [N, moves], and how many they are, int64 [N]."""
        moves, counts = np.tile(np.arange(self.features.shape[1]), (len(self.counts), 1)), self.counts.astype(np.int64)
        narrow_all(self.features, self.hands, self.rows(rules), moves, counts)
        return moves, counts

    def loss(self, rules: Sequence[CardRule]) -> float:
        """Return by how much less a move is worth that rules leave than the best, the mean over decisions."""
        moves, counts = self.moves_left(rules)
        lost = np.take_along_axis(self.losses, moves, 1)
        open_now = np.arange(moves.shape[1]) < counts[:, None]
        return float((np.where(open_now, lost, 0).sum(1) / counts).mean())

    def insertions(
        self, rules: Sequence[CardRule], place: int, tried: Sequence[CardRule], rng: np.random.Generator
    ) -> list[tuple[float, CardRule]]:
        """Return the best of some rules at a place among others, each with the loss of all, the best first.

        Args:
            rules: Those of a card.
            place: Where another comes between them.
            tried: The candidates.
            rng: Draws the decisions in which all candidates are tried before the best are tried in all.
        """
        moves, counts = self.moves_left(rules[:place])
        still_open, after = np.flatnonzero(counts > 1), self.rows(rules[place:])
        if not len(still_open):
            return []
        settled = self.losses[counts == 1, moves[counts == 1, 0]].sum()
        some = rng.choice(still_open, min(SAMPLED, len(still_open)), replace=False)
        for rows in (some, still_open):
            lost = np.empty(len(tried))
            lose_all(self.features, self.hands, self.losses, self.rows(tried), after, rows, moves, counts, lost)
            best = np.argsort(lost)[:KEPT]
            tried, lost = [tried[index] for index in best], lost[best]
        return [((float(value) + settled) / len(counts), written) for value, written in zip(lost, tried, strict=True)]

    def random_rule(self, rng: np.random.Generator, like: CardRule | None = None) -> CardRule:
        """Return a rule drawn at random that is short enough, half of the time with much of another one."""
        while True:
            written = self.bodies[rng.integers(len(self.bodies))]
            if self.conditions and rng.random() < CONDITIONAL:
                when = self.conditions[rng.integers(len(self.conditions))]
                written = written.model_copy(update={"when": when})
            if like is not None and rng.random() < 0.5:
                change = {"when": like.when} if rng.random() < 0.5 else like.model_dump(exclude={"when"})
                written = written.model_copy(update=change)
            if self.fits(written):
                return written


def fitted(sample: Sample, rules: Sequence[CardRule], steps: int, rng: np.random.Generator) -> list[CardRule]:
    """Return rules that lose less in a sample, changed step by step from others.

    Args:
        sample: The decisions by which rules are judged.
        rules: Where the search begins.
        steps: Changes that are tried.
        rng: Draws them.
    """
    rules = list(rules)
    now = sample.loss(rules)
    best, least = rules, now
    for step in range(steps):
        heat = rng.exponential(HEAT * now * (1 - step / steps))
        rest, place, like = change(rules, rng)
        loss, changed = np.inf, rules
        if like is None or rng.random() < 0.9:
            tried = [sample.random_rule(rng, like) for _ in range(TRIED)]
            if insertions := sample.insertions(rest, place, tried, rng):
                loss, written = insertions[0]
                changed = [*rest[:place], written, *rest[place:]]
        else:  # the same rule elsewhere
            place = int(rng.integers(len(rules)))
            changed = [*rest[:place], like, *rest[place:]]
            loss = sample.loss(changed)
        if loss < now + heat:
            rules, now = changed, loss
        index = int(rng.integers(len(rules))) if rules else 0
        without = rules[:index] + rules[index + 1 :]
        if without and (loss := sample.loss(without)) <= now * (1 + NO_BETTER):
            rules, now = without, loss
        if now < least:
            best, least = rules, now
    return best


def change(rules: Sequence[CardRule], rng: np.random.Generator) -> tuple[list[CardRule], int, CardRule | None]:
    """Return rules among which another one may be put, the place for it, and the one that it replaces, if any."""
    if len(rules) < 2 or (len(rules) < MOST_RULES and rng.random() < 0.5):
        return list(rules), int(rng.integers(len(rules) + 1)), None
    index = int(rng.integers(len(rules)))
    place = index if rng.random() < 0.7 else int(rng.integers(len(rules)))
    return [*rules[:index], *rules[index + 1 :]], place, rules[index]


def find_card(game: Game, variant: Variant, budget: Budget = Budget(), seed: int = 0) -> list[CardRule]:
    """Return a card of a variant that has a network, `best`.

    Args:
        budget: How long to search; the same budget and seed find the same card.
    """
    rng = np.random.default_rng(seed)
    best, *others = (make_agent(name, game, **vars(variant)) for name in ("best", "tuned", "greedy"))
    players, shares, batches = [best, *others], [0.5, 0.3, 0.2], []
    rules: list[CardRule] = []
    for number in range(budget.rounds):
        batches.append(sampled(game, variant, players, shares, budget.decisions, derive(seed, number), rng))
        sample = Sample(game, concatenated(batches[-2:]), best)
        rules = fitted(sample, rules, budget.steps, rng)
        players, shares = [CardAgent(game, "card", rules), best, *others], [0.5, 0.2, 0.1, 0.2]
    return [sample.plain(written) for written in rules]


def sampled(
    game: Game,
    variant: Variant,
    players: Sequence[Agent],
    shares: Sequence[float],
    number: int,
    key: int,
    rng: np.random.Generator,
) -> DecisionBatch:
    """Return decisions between several moves, from deals in which every seat draws its player by its share.

    Args:
        game, variant: What is played.
        players: Those that may have a seat.
        shares: The probability of each, which add up to 1.
        number: How many decisions.
        key: The RNG key of the deals.
        rng: Draws who sits where, and which decisions are taken.
    """
    batches, total, deal = [], 0, 0
    while total < number:
        envs = new_lanes(game, variant, lanes := 100)
        envs.reset(seeds=derive_each(key, deal, deal + lanes))
        seating = rng.choice(len(players), (lanes, variant.players), p=shares)
        for step in decisions(envs, players, seating):
            choices = np.flatnonzero(step.batch.masks.sum(1) > 1)
            batches.append(step.batch.at(choices).copy())
            total += len(choices)
        deal += lanes
    batch = concatenated(batches)
    return batch.at(rng.permutation(len(batch.rng_keys))[:number])
