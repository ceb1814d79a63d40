"""What a review says of a game: the value of every decision, what was lost by which kind of mistake, and luck."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch, concatenated
from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.records.games import GameRecord
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.play.decisions import play_out
from gupai_agents.players.search import Values
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import best_heuristic
from gupai_app.play.moves import MoveValue, move_values
from gupai_app.play.reasons import reason
from gupai_app.play.seats import called
from gupai_app.play.session import Session
from gupai_app.server.players import adviser
from gupai_env.core.hints import Hints
from gupai_env.core.keys import derive_each
from gupai_env.games.guide import guide_of
from gupai_env.vector import VectorEnv

MOST_DECISIONS = 400  # that are reviewed in a game
MOST_LOSSES = 8
AGAIN = 200  # times that a deal is played again to estimate the value of its tiles


class Decision(NamedTuple):
    """A decision in which there was a choice.

    deal: its index in a match. kind: what the action does in a word, such as "discard". view: what its seat knew.
    played: the value of the action that was played. ranked: those of all actions, the best first.
    """

    number: int
    seat: int
    deal: int
    kind: str
    view: np.record
    played: MoveValue
    ranked: list[MoveValue]

    @property
    def sure(self) -> bool:
        """True if the action that was played loses more than the noise of the search explains."""
        return self.played.loss > self.played.half

    @property
    def lost(self) -> str:
        """The loss with half of its interval, as people read it."""
        return figure(self.played.loss, self.played.half, signed=False)


class Judged(NamedTuple):
    """The decisions of a game, and the same as agents take them, row by row; None where there are none."""

    decisions: list[Decision]
    batch: DecisionBatch | None


class Luck(NamedTuple):
    """What a seat won, and the value of its tiles where one player sits at all seats, in chips."""

    name: str
    won: float
    value: Estimate
    player: str


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
def judged(record: GameRecord) -> Judged:
    """Return the decisions of a game in which there was a choice, up to MOST_DECISIONS of them, and what they lost."""
    hints, session = record.game.hints(record.game, record.variant), Session.of(record)
    turns: list[tuple[int, int, int, int]] = []
    batches: list[DecisionBatch] = []
    for number, action in enumerate(record.actions, 1):
        batch = session.decision_batch()
        if len(np.flatnonzero(batch.masks[0])) > 1 and len(turns) < MOST_DECISIONS:
            turns.append((number, session.seat, int(session.state.deal), action))
            batches.append(batch)
        session.play(action)
    if not batches:
        return Judged([], None)
    together = concatenated(batches)
    values = adviser(record.game, record.variant).compare(together)
    return Judged([decision(hints, turn, together, values, row) for row, turn in enumerate(turns)], together)


def decision(hints: Hints, turn: tuple[int, int, int, int], batch: DecisionBatch, values: Values, row: int) -> Decision:
    """Return a decision.

    Args:
        hints: Of the game.
        turn: Its number, its seat, its deal and the action that was played.
        batch, values: It and the values of its actions, in a row of several.
    """
    number, seat, deal, action = turn
    options = [[int(option)] for option in np.flatnonzero(batch.masks[row])]
    ranked = sorted(move_values(values, row, options), key=lambda value: value.rank)
    played = next(value for value in ranked if value.action == action)
    view = batch.views[row]
    return Decision(number, seat, deal, hints.sort_of(view, action), view, played, ranked)


def why(record: GameRecord, turn: Decision) -> str:
    """Return what speaks for the best action of a decision rather than for the one that was played or, if that is the
    best, for the next one; "" if that cannot be said.
    """
    best, second = turn.ranked[:2]
    rival = second if best is turn.played else turn.played
    return reason(guide_of(record.game, record.variant), turn.view, best.action, rival.action)


def largest_losses(decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that lost most, the largest first, without those whose loss may be noise."""
    return sorted((turn for turn in decisions if turn.sure), key=lambda turn: -turn.played.loss)[:MOST_LOSSES]


def mistakes(decisions: Sequence[Decision], name: str) -> Mistakes:
    """Return what the decisions of a seat lost; losses within noise are not counted."""
    lost = [turn for turn in decisions if turn.sure]
    by_kind = {
        kind: [turn.played.loss for turn in lost if turn.kind == kind]
        for kind in dict.fromkeys(turn.kind for turn in lost)
    }
    return Mistakes(
        name,
        len(decisions),
        sum(turn.played.loss for turn in lost),
        sum(turn.played.half**2 for turn in lost) ** 0.5,
        sorted(((kind, len(losses), sum(losses)) for kind, losses in by_kind.items()), key=lambda kind: -kind[2]),
    )


def expected(record: GameRecord, decisions: Sequence[Decision]) -> list[list[float]]:
    """Return what a seat could expect of a game: number of the move, chips, and half of their 95% interval, in points.

    A decision that loses more than noise has two points, before and after it; the end of a deal has one.

    Args:
        record: The game.
        decisions: Those of the seat, in their order.
    """
    if not decisions:
        return []
    session, seat, points, before = Session.of(record), decisions[0].seat, [], 0.0
    remaining = list(decisions)
    for number, action in enumerate(record.actions, 1):
        if remaining and remaining[0].number == number:
            turn = remaining.pop(0)
            value = turn.played
            if turn.sure:
                points.append([number, before + value.mean + value.loss, value.shared])
            points.append([number, before + value.mean, (value.shared**2 + value.half**2) ** 0.5])
        if (paid := session.play(action)) is not None:
            before += paid[seat]
            points.append([number, before, 0.0])
    return points


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
    return [
        Luck(name, float(won[seat]), estimate(value[:, seat]), best_heuristic(game))
        for seat, name in enumerate(called(record))
    ]
