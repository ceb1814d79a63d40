"""Finding a card: rules that choose as a strong player does.

In decisions from play, a network's values say what every legal move is worth. A list of rules is judged by how much
less the moves that it leaves are worth on average than the best one, and changed at random, a rule at a time (simulated
annealing). The card found plays in the next sample of decisions, so that the rules fit the positions they lead to.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, concatenated, observations_of
from gupai_agents.card import MOST_RULES, NEAR, CardAgent, CardRule, When, hand_start, is_yes_or_no, keep_highest
from gupai_agents.decisions import decisions, new_lanes
from gupai_agents.heuristics import scores_of
from gupai_agents.registry import make_agent
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.rule import rule
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant

NONE = -1  # for no condition, and no second feature
UNBOUNDED = 1e9
WEIGHTS = (1, 1, 2, 2, 3, 4, 5, 6, 8, 10)  # of one feature next to another one of weight 1, as often as they are tried
CONDITIONAL, TWO_FEATURES, TOLERANT = 0.7, 0.5, 0.35  # shares of the rules tried
SAMPLED = 500  # decisions on which rules are compared first
TRIED, KEPT = 200, 5  # rules at a time, and those compared on all decisions
HEAT = 0.004  # of the annealing at its start, as a share of what the rules lose
NO_BETTER = 2e-3  # share of the loss that a rule must save to stay


class Line(NamedTuple):
    """A rule as the search changes it; numbers of quantities and features, or NONE."""

    quantity: int = NONE
    low: float = -UNBOUNDED
    high: float = UNBOUNDED
    first: int = 0
    first_weight: float = 1.0
    second: int = NONE
    second_weight: float = 0.0
    within: float = 0.0


@dataclass(frozen=True)
class Budget:
    """How long the search takes: rounds, and in each the decisions sampled and the changes tried."""

    decisions: int = 6000
    rounds: int = 3
    steps: int = 400


@rule
def narrow(features, quantities, row, line, values, moves, count):
    """Put those of the first `count` moves of a decision that a rule keeps before the others; return how many they are.

    values: scratch, float64 [moves].
    """
    quantity, first, second = int(line[0]), int(line[3]), int(line[5])
    if quantity >= 0 and not line[1] <= quantities[row, quantity] <= line[2]:
        return count
    for place in range(count):
        values[place] = line[4] * features[row, moves[place], first]
        if second >= 0:
            values[place] += line[6] * features[row, moves[place], second]
    return keep_highest(values, line[7] + NEAR, moves, count)


def _narrow_all(features, quantities, lines, moves, counts):
    values = np.empty(moves.shape[1])
    for row in range(len(counts)):
        for line in range(len(lines)):
            if counts[row] > 1:
                counts[row] = narrow(features, quantities, row, lines[line], values, moves[row], counts[row])


def _lose_all(features, quantities, losses, tried, after, rows, moves, counts, out):
    values, remaining = np.empty(moves.shape[1]), np.empty(moves.shape[1], np.int64)
    for number in range(len(tried)):
        total = 0.0
        for row in rows:
            count = counts[row]
            for place in range(count):
                remaining[place] = moves[row, place]
            count = narrow(features, quantities, row, tried[number], values, remaining, count)
            for line in range(len(after)):
                if count > 1:
                    count = narrow(features, quantities, row, after[line], values, remaining, count)
            lost = 0.0
            for place in range(count):
                lost += losses[row, remaining[place]]
            total += lost / count
        out[number] = total


narrow_all = compiled(_narrow_all)
lose_all = compiled(_lose_all)


class Sample:
    """Decisions, with what their legal moves are worth.

    features: float64 [N, moves, features]. counts: int64 [N], of legal moves. losses: float64 [N, moves], how much less
    each is worth than the best. quantities: float64 [N, quantities], what conditions may be about, by `named`. bounds:
    by quantity, the conditions to try.
    """

    def __init__(self, game: Game, batch: DecisionBatch, strong: Any, countable: Sequence[str]) -> None:
        self.game = game
        masks, self.counts = batch.masks, batch.masks.sum(1)
        actions = np.argsort(~masks, 1, kind="stable")[:, : self.counts.max()]
        legal = np.arange(actions.shape[1]) < self.counts[:, None]
        values = np.take_along_axis(strong.scores(batch).astype(np.float64), actions, 1)
        self.losses = np.where(legal, np.where(legal, values, -np.inf).max(1, keepdims=True) - values, 0)
        rows = np.eye(len(game.features) + 1)[:-1]
        scored = [np.take_along_axis(scores_of(game, row, batch), actions, 1) for row in rows]
        self.features = np.where(legal[:, :, None], np.stack(scored, 2), 0)
        hand = observations_of(game, batch.views)[:, hand_start(game) :][:, :KINDS].sum(1)
        counted = {When(number="moves", at_least=0): self.counts, When(number="hand", at_least=0): hand}
        self.active = []
        for index, feature in enumerate(game.features):
            if feature.name in countable:
                most = np.where(legal, scored[index], -np.inf).max(1)
                fewest = np.where(legal, scored[index], np.inf).min(1)
                counted[When(most=feature.name, at_least=0)] = most
                counted[When(fewest=feature.name, at_least=0)] = fewest
                if (most != fewest).any():
                    self.active.append(index)
        self.named = list(counted)
        self.quantities = np.stack(list(counted.values()), 1).astype(np.float64)
        self.bounds = [_bounds(column) for column in self.quantities.T]
        self.spreads = [float(column[legal].std()) for column in np.moveaxis(self.features, 2, 0)]
        self.whole = [bool((column == np.round(column)).all()) for column in np.moveaxis(self.features, 2, 0)]

    def lines_left(self, lines: Sequence[Line]) -> tuple[np.ndarray, np.ndarray]:
        """Return the moves that rules leave, int64 [N, moves], and how many they are, int64 [N]."""
        moves, counts = np.tile(np.arange(self.features.shape[1]), (len(self.counts), 1)), self.counts.astype(np.int64)
        narrow_all(self.features, self.quantities, _array(lines), moves, counts)
        return moves, counts

    def loss(self, lines: Sequence[Line]) -> float:
        """Return by how much less a move is worth that rules leave than the best, the mean over decisions."""
        moves, counts = self.lines_left(lines)
        lost = np.take_along_axis(self.losses, moves, 1)
        open_now = np.arange(moves.shape[1]) < counts[:, None]
        return float((np.where(open_now, lost, 0).sum(1) / counts).mean())

    def insertions(
        self, lines: Sequence[Line], place: int, tried: Sequence[Line], rng: np.random.Generator
    ) -> list[tuple[float, Line]]:
        """Return the best of some rules at a place among others, each with the loss of all, the best first."""
        moves, counts = self.lines_left(lines[:place])
        still_open, after = np.flatnonzero(counts > 1), _array(lines[place:])
        if not len(still_open):
            return []
        settled = self.losses[counts == 1, moves[counts == 1, 0]].sum()
        some = rng.choice(still_open, min(SAMPLED, len(still_open)), replace=False)
        for rows in (some, still_open):
            lost = np.empty(len(tried))
            lose_all(self.features, self.quantities, self.losses, _array(tried), after, rows, moves, counts, lost)
            best = np.argsort(lost)[:KEPT]
            tried, lost = [tried[index] for index in best], lost[best]
        return [((float(value) + settled) / len(counts), line) for value, line in zip(lost, tried, strict=True)]

    def random_line(self, rng: np.random.Generator, like: Line | None = None) -> Line:
        """Return a rule drawn at random, half of the time with much of another one."""
        if like is not None and rng.random() < 0.5:
            drawn, part = self.random_line(rng), rng.integers(3)
            if part == 0:
                return like._replace(quantity=drawn.quantity, low=drawn.low, high=drawn.high)
            if part == 1:
                return drawn._replace(quantity=like.quantity, low=like.low, high=like.high)
            return like._replace(within=drawn.within if like.first == drawn.first else 0.0)
        quantity, (low, high) = NONE, (-UNBOUNDED, UNBOUNDED)
        if rng.random() < CONDITIONAL:
            quantity = int(rng.choice([index for index, bounds in enumerate(self.bounds) if bounds]))
            low, high = self.bounds[quantity][rng.integers(len(self.bounds[quantity]))]
        first, second = (int(index) for index in (*rng.permutation(self.active), NONE)[:2])
        first_weight, second_weight = (float(sign) for sign in rng.choice([-1.0, 1.0], 2))
        if second == NONE or rng.random() >= TWO_FEATURES:
            second, second_weight = NONE, 0.0
        elif is_yes_or_no(self.game.features[second]) or rng.random() < 0.5:
            second_weight *= float(rng.choice(WEIGHTS))
        else:
            first_weight *= float(rng.choice(WEIGHTS))
        within = 0.0
        if not is_yes_or_no(self.game.features[first]) and rng.random() < TOLERANT:
            steps = float(rng.integers(1, 4))
            unit = 1.0 if self.whole[first] else round(self.spreads[first] / 3, 1) or 0.1
            within = abs(first_weight) * steps * unit
        return Line(quantity, low, high, first, first_weight, second, second_weight, within)

    def card(self, lines: Sequence[Line]) -> list[CardRule]:
        """Return rules as a card holds them."""
        names = [feature.name for feature in self.game.features]
        rules = []
        for line in lines:
            keep = {names[line.first]: line.first_weight}
            if line.second != NONE:
                keep[names[line.second]] = line.second_weight
            when = None
            if line.quantity != NONE:
                least = line.low > -UNBOUNDED
                bound = (
                    {"at_least": _plain(line.low), "at_most": None}
                    if least
                    else {"at_least": None, "at_most": _plain(line.high)}
                )
                when = self.named[line.quantity].model_copy(update=bound)
            plain = {name: _plain(weight) for name, weight in keep.items()}
            rules.append(CardRule(keep=plain, within=_plain(line.within), when=when))
        return rules


def _array(lines: Sequence[Line]) -> np.ndarray:
    return np.array(lines, np.float64).reshape(-1, len(Line._fields))


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else round(float(number), 2)


def _bounds(values: np.ndarray) -> list[tuple[float, float]]:
    """Return the bounds of a quantity to try, lower ones and upper ones; none if it is always the same."""
    steps = np.unique(values)
    if len(steps) > 8:
        steps = np.unique(np.round(np.quantile(values, np.arange(1, 10) / 10, method="nearest"), 2))
    lower = [(float(step), UNBOUNDED) for step in steps[1:]]
    return lower + [(-UNBOUNDED, float(step)) for step in steps[:-1]]


def fitted(sample: Sample, lines: Sequence[Line], steps: int, rng: np.random.Generator) -> list[Line]:
    """Return rules that lose less in a sample, changed step by step from others."""
    lines = list(lines)
    now = sample.loss(lines)
    best, least = lines, now
    for step in range(steps):
        heat = rng.exponential(HEAT * now * (1 - step / steps))
        rest, place, like = change(lines, rng)
        loss, changed = np.inf, lines
        if like is None or rng.random() < 0.9:
            tried = [sample.random_line(rng, like) for _ in range(TRIED)]
            if insertions := sample.insertions(rest, place, tried, rng):
                loss, line = insertions[0]
                changed = [*rest[:place], line, *rest[place:]]
        else:  # the same rule elsewhere
            place = int(rng.integers(len(lines)))
            changed = [*rest[:place], like, *rest[place:]]
            loss = sample.loss(changed)
        if loss < now + heat:
            lines, now = changed, loss
        index = int(rng.integers(len(lines))) if lines else 0
        without = lines[:index] + lines[index + 1 :]
        if without and (loss := sample.loss(without)) <= now * (1 + NO_BETTER):
            lines, now = without, loss
        if now < least:
            best, least = lines, now
    return best


def change(lines: Sequence[Line], rng: np.random.Generator) -> tuple[list[Line], int, Line | None]:
    """Return rules among which another one may be put, the place for it, and the one that it replaces, if any."""
    if len(lines) < 2 or (len(lines) < MOST_RULES and rng.random() < 0.5):
        return list(lines), int(rng.integers(len(lines) + 1)), None
    index = int(rng.integers(len(lines)))
    place = index if rng.random() < 0.7 else int(rng.integers(len(lines)))
    return [*lines[:index], *lines[index + 1 :]], place, lines[index]


def find_card(
    game: Game, variant: Variant, countable: Sequence[str], budget: Budget = Budget(), seed: int = 0
) -> list[CardRule]:
    """Return a card of a variant that has a network, `best`.

    Args:
        countable: Names of the features that rules may be about.
        budget: How long to search; the same budget and seed find the same card.
    """
    rng = np.random.default_rng(seed)
    best, *others = (make_agent(name, game, **vars(variant)) for name in ("best", "tuned", "greedy"))
    players, shares, batches = [best, *others], [0.5, 0.3, 0.2], []
    lines: list[Line] = []
    for number in range(budget.rounds):
        batches.append(sampled(game, variant, players, shares, budget.decisions, derive(seed, number), rng))
        sample = Sample(game, concatenated(batches[-2:]), best, countable)
        lines = fitted(sample, lines, budget.steps, rng)
        players, shares = [CardAgent(game, "card", sample.card(lines)), best, *others], [0.5, 0.2, 0.1, 0.2]
    return sample.card(lines)


def sampled(
    game: Game,
    variant: Variant,
    players: Sequence[Agent],
    shares: Sequence[float],
    number: int,
    key: int,
    rng: np.random.Generator,
) -> DecisionBatch:
    """Return decisions between several moves, from deals in which every seat draws its player by its share."""
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
