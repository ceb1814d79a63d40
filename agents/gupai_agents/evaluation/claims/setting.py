"""Playing for claims: deals of a population from the same beginning with different players, and forked positions.

`Setting` is what all designs are given.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask
from gupai_agents.evaluation.claims.features import action_pips, actions_with, meets
from gupai_agents.evaluation.claims.players import player
from gupai_agents.evaluation.claims.sampling import Sampler, stream_of
from gupai_agents.evaluation.claims.schema import Condition, Player
from gupai_agents.evaluation.matches.match import ENVS, chunks
from gupai_agents.evaluation.records.games import Log, action_types_of
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_agents.play.decisions import chips_won, decisions, new_lanes, play_out, resume_lanes
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_env.core.game import Game
from gupai_env.core.rng import KEYS, derive, draw
from gupai_env.core.streams import FIELD_STREAM, PREFER_STREAM, UNIFORM_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games.claims import Metric, Outcome, Positions
from gupai_env.vector import VectorEnv

NEAR = 1  # pips by which matched actions may differ
PILOT = 500  # deals whose spread, not their mean, says how many are needed
# Numbers of streams of deals; below them, those of the panel.
DOSE_STREAMS, ITEM_STREAMS, MASTER_STREAMS = 100, 1000, 100_000
Progress = Callable[[float, str], Any]  # called with the share of a claim that is done, and what is being done


class Block(NamedTuple):
    """Some deals as they were dealt, record array [N], and the seats in question, int64 [N, roles]."""

    states: np.recarray
    seats: np.ndarray


def side_seats(game: Game, players: int, seats: np.ndarray) -> np.ndarray:
    """Return which seats play for the sides of those in question, int [N, roles] to bool [N, players].

    Args:
        game: The game.
        players: How many sit at the table.
        seats: Seats in question, int [N, roles].
    """
    sides = game.sides(players)
    return (sides == sides[seats][..., None]).any(1)


@dataclass(frozen=True)
class DealSource:
    """Deals of a population, from a stream of keys."""

    sampler: Sampler
    stream: int

    def deal(self, first: int, deals: int) -> tuple[VectorEnv, Block]:
        """Return lanes in which deals from number `first` on have just begun, and these deals."""
        game, variant = self.sampler.game, self.sampler.variant
        envs = new_lanes(game, variant, deals)
        first_seats = self.sampler.deal(envs, self.stream, first)
        seats = (first_seats[:, None] + np.array(self.sampler.away)) % variant.players
        return envs, Block(envs.states.copy(), seats)

    def blocks(self, first: int, deals: int) -> Iterator[Block]:
        """Yield deals from number `first` on, some at a time."""
        for start, some in chunks(deals, ENVS):
            yield self.deal(first + start, some)[1]

    def resume(self, states: np.recarray) -> VectorEnv:
        """Return lanes that stand as these states do, of deals under way."""
        return resume_lanes(self.sampler.game, self.sampler.variant, states)

    def play(self, block: Block, agents: Sequence[Agent], seating: np.ndarray, acted: bool = False) -> Outcome:
        """Play deals to their end.

        Args:
            block: The deals.
            agents: The players.
            seating: Which of them sits where, int [N, players].
            acted: Whether to count what each seat does.
        """
        envs = self.resume(block.states)
        log = Log(envs) if acted else None
        play_out(envs, agents, seating, log.note if log else None)
        counts = log.action_types(action_types_of(self.sampler.game)[1]) if log else None
        return Outcome(self.sampler.variant, envs.states, block.seats, seating, counts)

    def play_with(self, block: Block, other: Agent, hero: Agent, acted: bool = False) -> Outcome:
        """Play deals with `hero` at the seats in question, and their partners', and `other` at all others.

        Args:
            block: The deals, and the seats in question.
            other: The agent at all other seats.
            hero: The agent at the seats in question.
            acted: Whether it is noted which action types each seat played.
        """
        seating = side_seats(self.sampler.game, self.sampler.variant.players, block.seats).astype(int)
        return self.play(block, [other, hero], seating, acted)


class Meter:
    """Shows how much of a claim is done: of its figures, each of a weight that says how long it takes."""

    weights: list[float]
    total: float
    progress: Progress | None
    done: float
    now: float
    what: str

    def __init__(self, weights: Sequence[float], progress: Progress | None = None) -> None:
        self.weights, self.total, self.progress = list(weights), sum(weights) or 1.0, progress
        self.done, self.now, self.what = 0.0, 0.0, ""

    def begin(self, task: str) -> None:
        """Begin the next figure."""
        self.done += self.now
        self.now, self.what = self.weights.pop(0) if self.weights else 0.0, task
        self.reach(0.0)

    def reach(self, share: float) -> None:
        """Say that this share of the figure is done."""
        if self.progress:
            self.progress(min(1.0, (self.done + min(share, 1.0) * self.now) / self.total), self.what)


class Setting(NamedTuple):
    """What all designs are given.

    deals: instead of those a reading asks for. masters: whether the strong are asked. given: players that were handed
    over, by name.
    """

    game: Game
    variant: Variant
    seed: int
    deals: int | None
    meter: Meter
    masters: bool = False
    given: Mapping[str, Agent] = MappingProxyType({})

    def player(self, spec: Player, same: str = "", baseline: str = "") -> Agent:
        """Return a player of the claim, see `players.player`.

        Args:
            spec: As the file of a claim has it.
            same, baseline: As of `players.player`.
        """
        return player(spec, self.game, self.variant, same, baseline, self.given)

    def source(self, sampler: Sampler, number: int) -> DealSource:
        """Return the deals of a stream."""
        return DealSource(sampler, stream_of(self.seed, number))

    def blocks(
        self, source: DealSource, first: int, deals: int, total: int | None = None, before: int = 0
    ) -> Iterator[Block]:
        """Yield deals of a source, and say after each block how many of the figure's `total` are done.

        Args:
            before: Those that were done before number 0 of this source.
        """
        done = before + first
        for block in source.blocks(first, deals):
            yield block
            done += len(block.states)
            self.meter.reach(done / (total or deals))


def measured(
    setting: Setting,
    blocks: Iterable[Block],
    source: DealSource,
    metric: tuple[Metric, int | None],
    seated: Sequence[str],
    hero: Player | None,
) -> np.ndarray:
    """Return the values of a metric, with its number, of deals of one player, or of several.

    Args:
        setting: What the design was given, of the variant of the source.
        blocks: The deals.
        source: The deals.
        metric: What is measured, and the number that it asks for.
        seated: The player at all seats; of several, every seat draws one.
        hero: Who sits at the seats in question instead.
    """
    measure, number = metric
    if measure.drawn:
        field = [setting.player(spec) for spec in seated]
        ends = (source.play(block, field, _drawn(source, block, len(field))) for block in blocks)
    else:
        (member,) = seated
        everyone = setting.player(member)
        other = everyone if hero is None else setting.player(hero, member, member)
        ends = (source.play_with(block, everyone, other, measure.acted) for block in blocks)
    return np.concatenate([measure.of(end, number) for end in ends])


def _drawn(source: DealSource, block: Block, players: int) -> np.ndarray:
    """Return which of so many players every seat draws, int [N, seats]."""
    rng_keys = [derive(int(seed), FIELD_STREAM) for seed in block.states.seed]
    return np.array([[draw(key, seat, players) for seat in range(source.sampler.variant.players)] for key in rng_keys])


def differ(states: np.recarray, others: np.recarray) -> np.ndarray:
    """Return which states of two arrays are not the same, bool [N]."""
    changed = np.zeros(len(states), bool)
    for name in states.dtype.names or ():  # not the bytes, for those between the fields mean nothing
        changed |= (states[name] != others[name]).reshape(len(states), -1).any(1)
    return changed


# The claimed action and the one that it is compared with, int [N], -1 where there is none; all that are claimed, and
# all that they could be compared with, bool [N, num_actions].
Sides = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass
class Forks:
    """Positions, record array [F], with two actions to take in each; deals: int [F], the deal of each."""

    states: np.recarray
    actions: np.ndarray
    others: np.ndarray
    deals: np.ndarray


class Choice(NamedTuple):
    """What is asked of a position: the conditions, the action, and what it is compared with."""

    position: Sequence[Condition]
    action: Sequence[Condition]
    instead: Sequence[Condition]
    comparator: str

    def sides(self, positions: Positions, agent: Agent, batch: DecisionBatch, chosen: np.ndarray) -> Sides:
        """Return what is compared; nothing is claimed where the position is not among those asked about.

        Args:
            positions: Where something is to be chosen.
            agent: The player whose preferences decide between several actions.
            batch: What it is asked there, N decisions.
            chosen: Its answers, int [N].
        """
        has = actions_with(positions, self.action)
        wanted, allowed = has & meets(positions, self.position)[:, None], positions.masks & ~has
        if self.instead:
            allowed &= actions_with(positions, self.instead)
        scores, others = preferences(agent, batch, chosen), allowed
        one = _best(scores, wanted)
        if self.comparator == "pip_matched":
            pips = action_pips(positions.game)
            others = allowed & (np.abs(pips[None, :] - pips[one][:, None]) <= NEAR)
        if self.comparator == "uniform":
            scores = drawn_scores(batch, UNIFORM_STREAM)
        return one, _best(scores, others), wanted, allowed


class Pair(NamedTuple):
    """Two players of whom the first has a trait: where they part, its action is the claimed one."""

    treated: Agent
    baseline: Agent

    def sides(self, positions: Positions, agent: Agent, batch: DecisionBatch, chosen: np.ndarray) -> Sides:
        """Return what is compared.

        Args:
            positions: Where something is to be chosen.
            agent: The player at all seats.
            batch: What both players are asked, N decisions.
            chosen: The answers of the player at all seats.
        """
        one, other = (ask(player, positions.game, positions.variant, batch).astype(int) for player in self)
        actions = np.arange(positions.masks.shape[1])
        return one, other, one[:, None] == actions, other[:, None] == actions


def means_by_deal(values: np.ndarray, deals: np.ndarray) -> np.ndarray:
    """Return the mean of the values of every deal, [N] by the number of the deal of each, int [N]."""
    _, which = np.unique(deals, return_inverse=True)
    return np.bincount(which, values) / np.bincount(which) if len(values) else np.zeros(0)


class Openings(NamedTuple):
    """Decisions of one agent, with the number of the deal of each, int [N]; in those `taken` there are two sides."""

    deals: np.ndarray
    states: np.recarray
    batch: DecisionBatch
    chosen: np.ndarray
    sides: Sides
    taken: np.ndarray


def openings(
    source: DealSource, agent: Agent, claimed: Choice | Pair, first: int, deals: int
) -> Iterator[Iterator[Openings]]:
    """Yield decisions in deals of one agent at all seats, some deals at a time, and of these step by step.

    Where the population is one of hands, or the sides are those of a pair, only the seats in question are looked at.

    Args:
        source: Deals of a population.
        agent: It has all seats.
        claimed: What is compared.
        first: The number of the first deal.
        deals: How many.
    """

    def steps(block: Block, start: int) -> Iterator[Openings]:
        envs = source.resume(block.states)
        for rows, batch, actions in decisions(envs, [agent]):
            has_choice = batch.masks.sum(1) > 1
            if source.sampler.conditional or isinstance(claimed, Pair):
                has_choice &= (envs.seats[rows, None] == block.seats[rows]).any(1)
            some = np.flatnonzero(has_choice)
            if len(some):
                states = envs.states[rows[some]].view(np.recarray)
                positions = Positions(source.sampler.game, source.sampler.variant, states, batch.masks[some])
                few, chosen = batch.at(some), actions[some]
                one, other, wanted, allowed = claimed.sides(positions, agent, few, chosen)
                taken = np.flatnonzero((one >= 0) & (other >= 0) & (one != other))
                yield Openings(start + rows[some], states, few, chosen, (one, other, wanted, allowed), taken)

    for block in source.blocks(first, deals):
        yield steps(block, first)
        first += len(block.states)


def forks(source: DealSource, agent: Agent, choice: Choice, first: int, deals: int) -> Iterator[Forks]:
    """Yield the positions that meet a choice in deals of one agent at all seats, some deals at a time.

    Args:
        source: Deals of a population.
        agent: It has all seats.
        choice: What is compared.
        first: The number of the first deal.
        deals: How many.
    """
    for steps in openings(source, agent, choice, first, deals):
        parts = [tuple(array[step.taken] for array in (step.states, *step.sides[:2], step.deals)) for step in steps]
        if parts:
            states, *rest = map(np.concatenate, zip(*parts, strict=True))
            yield Forks(states.view(np.recarray), *rest)


def _best(scores: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    actions = np.where(allowed, scores, -np.inf).argmax(1)
    return np.where(allowed.any(1), actions, -1)


def preferences(agent: Agent, batch: DecisionBatch, chosen: np.ndarray) -> np.ndarray:
    """Return what actions are worth to a player, float64 [N, num_actions]: a heuristic or a network gives it; of any
    other what it has chosen, int [N], comes first, and the rest are drawn.

    Args:
        agent: Any player.
        batch: What it is asked, N decisions.
        chosen: Its answers, int [N].
    """
    if isinstance(agent, HeuristicAgent | ObservationAgent):
        return agent.scores(batch)
    scores = drawn_scores(batch, PREFER_STREAM)
    scores[np.arange(len(scores)), chosen.astype(int)] = 2.0
    return scores


def drawn_scores(batch: DecisionBatch, stream: int) -> np.ndarray:
    """Return numbers drawn from the keys of decisions, float64 [N, num_actions] from 0 to 1."""
    actions = range(batch.masks.shape[1])
    drawn = [[derive(derive(int(key), stream), action) for action in actions] for key in batch.rng_keys]
    return np.array(drawn, np.float64).reshape(batch.masks.shape) / KEYS


def gains(source: DealSource, agent: Agent, branches: Forks) -> np.ndarray:
    """Return chips by which the action was better for the seat that took it than the other one, float64 [F].

    Args:
        source: Where the positions are from.
        agent: It plays on, at all seats.
        branches: Positions, with two actions for each.
    """
    rows = np.arange(len(branches.states))
    chips = []
    for actions in (branches.actions, branches.others):
        envs = source.resume(branches.states)
        envs.step(actions.astype(np.int64))
        play_out(envs, [agent])
        chips.append(chips_won(envs)[rows, branches.states.to_act])
    return chips[0] - chips[1]
