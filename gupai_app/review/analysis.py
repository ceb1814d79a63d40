"""What a review says of a game: the value of every decision, what was lost by which kind of mistake, and luck."""

import functools
from collections.abc import Sequence
from math import hypot
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from gupai_agents.agent import DecisionBatch, concatenated, probabilities
from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.records.games import GameRecord
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.play.decisions import play_out
from gupai_agents.players.search import Values
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import best_heuristic
from gupai_app.play.moves import MoveValue, in_words, move_values, value_texts
from gupai_app.play.reasons import reason
from gupai_app.play.session import Session
from gupai_app.review.page import called
from gupai_app.server.players import adviser
from gupai_env.core.keys import derive_each
from gupai_env.games.guide import Guide, guide_of
from gupai_env.messages import word
from gupai_env.vector import VectorEnv

MOST_DECISIONS = 400  # that are reviewed in a game
MOST_BARS = 8  # actions of a decision that are shown
MOST_LOSSES = 8
AGAIN = 200  # times that a deal is played again to estimate the value of its tiles


class Bar(NamedTuple):
    """An action of a decision: its probability by the agent's policy, and its value, also as people read it."""

    words: str
    probability: float
    value: MoveValue
    chips: str
    played: bool


class Decision(NamedTuple):
    """A decision and what it lost.

    deal: its index in a match. kind: what the action does, such as "discard". preferred: what the agent plays most
    often. bars: the actions by value, the best first. why: what speaks for the best rather than for the one that was
    played or, if that is the best, for the next one; "" if that cannot be said.
    """

    number: int
    seat: int
    deal: int
    words: str
    kind: str
    preferred: str
    bars: list[Bar]
    why: str = ""

    @property
    def loss(self) -> float:
        """Chips by which the action that was played is worse than the best one, in the same deals."""
        return self.played.value.loss

    @property
    def half(self) -> float:
        """Half of the 95% interval of the loss."""
        return self.played.value.half

    @property
    def sure(self) -> bool:
        """True if the loss exceeds what the noise of the search explains."""
        return self.loss > self.half

    @property
    def lost(self) -> str:
        """The loss with half of its interval, as people read it."""
        return figure(self.loss, self.half, signed=False)

    @property
    def played(self) -> Bar:
        return next(bar for bar in self.bars if bar.played)

    @property
    def value_of_preferred(self) -> Bar | None:
        """The action that the agent plays most often, None if it is not among those that are shown."""
        return next((bar for bar in self.bars if bar.words == self.preferred), None)

    @property
    def strips(self) -> list[Markup]:
        """The values of the actions as drawings on one scale, without those that were left out early."""
        bars = [bar for bar in self.bars if not bar.value.dropped]
        drawn = chart.strips([chart.Mean(word(bar.words), bar.value.mean, bar.value.half) for bar in bars])
        return drawn + [Markup()] * (len(self.bars) - len(drawn))


class Luck(NamedTuple):
    """What a seat won, and the value of its tiles, in chips."""

    name: str
    won: float
    value: Estimate


class Mistakes(NamedTuple):
    """What a seat lost by its decisions: chips beyond noise with half their interval, and by kind, the largest first.

    kinds: of each kind its name, how many decisions, and the chips they lost.
    """

    name: str
    decisions: int
    lost: float
    half: float
    kinds: list[tuple[str, int, float]]


# --- decisions ------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)
def decisions(record: GameRecord, agent: Any) -> list[Decision]:
    """Return the decisions of a game in which there was a choice."""
    game, variant = record.game, record.variant
    session = Session.of(record)
    turns: list[tuple[int, int, int, int]] = []
    batches: list[DecisionBatch] = []
    for number, action in enumerate(record.actions, 1):
        batch = session.decision_batch()
        if batch.masks.sum() > 1 and len(turns) < MOST_DECISIONS:
            turns.append((number, session.seat, int(session.state.deal), action))
            batches.append(batch)
        session.play(action)
    if not batches:
        return []
    together = concatenated(batches)
    policy = probabilities(agent, game, variant, together)
    values = adviser(game, variant).compare(together)
    judged = [
        decision(record, turn, together.at(slice(index, index + 1)), policy[index], values.at(index))
        for index, turn in enumerate(turns)
    ]
    return list(map(functools.partial(with_reason, guide_of(game, variant)), judged, together.views))


def decision(
    record: GameRecord, turn: tuple[int, int, int, int], batch: DecisionBatch, policy: np.ndarray, values: Values
) -> Decision:
    """Return a decision, from its number, seat, deal and action, and the values of all actions, of one row.

    Args:
        record: The game.
        turn: The number of the decision, its seat, its deal and the action that was played.
        batch: The decision, a batch of one.
        policy: The probability of each action, float64 [num_actions].
        values: The value of each action, of one row.
    """
    number, seat, deal, action = turn
    legal = np.flatnonzero(batch.masks[0])
    ranked = sorted(move_values(values, 0, [[int(option)] for option in legal]), key=lambda value: value.rank)
    played = next(value for value in ranked if value.action == action)
    options = ranked[:MOST_BARS] if played in ranked[:MOST_BARS] else [*ranked[: MOST_BARS - 1], played]
    view = batch.views[0]

    def name(option: int) -> str:
        return in_words(record.game.move(option, view))

    bars = [
        Bar(name(value.action), float(policy[value.action]), value, chips, value is played)
        for value, chips in zip(options, value_texts(options), strict=True)
    ]
    preferred = name(max(map(int, legal), key=lambda option: policy[option]))
    move = record.game.move(action, view)
    return Decision(number, seat, deal, name(action), move.verb, preferred, bars)


def with_reason(guide: Guide, turn: Decision, view: np.record) -> Decision:
    """Return a decision with what speaks for its best action.

    Args:
        guide: Of the game.
        turn: A decision between two actions or more.
        view: What its seat knew.
    """
    best, second = turn.bars[:2]
    rival = second if best.played else turn.played
    return turn._replace(why=reason(guide, view, best.value.action, rival.value.action))


def largest_losses(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that lost most, the largest first, without those whose loss may be noise."""
    return sorted((decision for decision in decisions if decision.sure), key=lambda decision: -decision.loss)[
        :MOST_LOSSES
    ]


def mistakes(decisions: Sequence[Decision], names: Sequence[str]) -> list[Mistakes]:
    """Return what each seat lost by its decisions; losses within noise are not counted."""
    return [
        _mistakes([decision for decision in decisions if decision.seat == seat], name)
        for seat, name in enumerate(names)
    ]


def _mistakes(decisions: Sequence[Decision], name: str) -> Mistakes:
    lost = [decision for decision in decisions if decision.sure]
    by_kind = {
        kind: [decision.loss for decision in lost if decision.kind == kind]
        for kind in {decision.kind for decision in lost}
    }
    kinds = sorted(
        ((kind, len(losses), sum(losses)) for kind, losses in by_kind.items()), key=lambda losses: -losses[2]
    )
    return Mistakes(
        name,
        len(decisions),
        sum(decision.loss for decision in lost),
        hypot(*(decision.half for decision in lost)),
        kinds,
    )


def expected_result(record: GameRecord, decisions: Sequence[Decision], seat: int) -> Markup:
    """Draw what a seat could expect of a game, in chips, after each of its decisions, with a mark where it fell.

    Returns the chart as SVG, "" if the seat had no choice.

    Args:
        record: The game.
        decisions: Its decisions, in their order.
        seat: Whose chips are drawn.
    """
    own = [decision for decision in decisions if decision.seat == seat]
    if not own:
        return Markup()
    session = Session.of(record)
    ends = [number for number, action in enumerate(record.actions, 1) if session.play(action) is not None]
    won = np.cumsum([0.0, *(payoffs[seat] for payoffs in record.payoffs)])
    points, marks = [], []
    for deal, end in enumerate(ends):
        before = float(won[deal])
        for decision in own:
            if decision.deal != deal:
                continue
            x, shared, value = decision.number, decision.played.value.shared, before + decision.played.value.mean
            if decision.sure:  # the line falls from the best action to the one that was played
                top = value + decision.loss
                points.append(chart.Point(x, top, top - shared, top + shared))
                label = word("Move {0}: {1} loses {2} chips").format(x, word(decision.words), decision.lost)
                marks.append(chart.Mark(x, value, label))
            half = hypot(shared, decision.half)
            points.append(chart.Point(x, value, value - half, value + half))
        points.append(chart.Point(end, *[float(won[deal + 1])] * 3))
    name = word(called(record)[seat])
    return chart.curves({name: points}, word("move"), word("chips"), marks=marks)


# --- the value of the tiles -----------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def luck(record: GameRecord) -> list[Luck]:
    """Return for every seat what it won and what the same tiles bring where all seats play alike.

    Every deal of the game is played AGAIN times from its first decision, by the best heuristic of the game in all
    seats, which draws its actions by their scores. The chips won minus these are due to the play and not to the tiles.
    """
    game, variant, session = record.game, record.variant, Session.of(record)
    heuristic = heuristic_agent(f"{best_heuristic(game)}@1", game, variant)
    envs = VectorEnv(game, AGAIN, observe=False, renew=False, **{**variant.changed(), "deals": 1})
    value = np.zeros((AGAIN, variant.players))
    begins = True
    for action in record.actions:
        if begins:
            envs.states[:] = session.state
            # What players draw differs from one time to another, the deal does not.
            envs.states.seed[:] = derive_each(session.seed, 0, AGAIN)
            envs.states.deal[:] = 0
            envs.refresh()
            play_out(envs, [heuristic])
            value += envs.states.payoff[:, : variant.players]
        begins = session.play(action) is not None
    won = np.sum(record.payoffs, 0)
    return [Luck(name, float(won[seat]), estimate(value[:, seat])) for seat, name in enumerate(called(record))]
