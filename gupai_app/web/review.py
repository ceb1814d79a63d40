"""Looking back at a game: what an agent would have played, what a search says, and where most was lost."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Turns, probabilities
from gupai_agents.evaluation.records import GameRecord, game_of_line
from gupai_agents.search import SearchAgent
from gupai_app.moves import ADVISER, WIDE
from gupai_app.session import Session
from gupai_app.web.address import agent_called

MOST_DECISIONS = 400  # that are looked at in a game
MOST_BARS = 8  # actions of a decision that are shown
MOST_LOSSES = 8


class Bar(NamedTuple):
    """An action of a decision. chance: with which the agent plays it. mean, half: its chips and their 95% interval."""

    words: str
    chance: float
    mean: float
    half: float
    played: bool


class Decision(NamedTuple):
    """A decision, and what it lost: chips, and half the width of their interval."""

    number: int
    seat: int
    words: str
    bars: list[Bar]
    loss: float
    half: float


@functools.lru_cache(maxsize=32)
def read_line(line: str) -> GameRecord:
    """Return the game of a line. Raises: RecordError."""
    return game_of_line(line.encode())


def line_in(text: str, number: int = 1) -> str:
    """Return a line of what was sent. Raises: ValueError."""
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    if not lines:
        raise ValueError("nothing was sent; paste a game, a line that begins with {")
    if not 1 <= number <= len(lines):
        raise ValueError(f"there is no game {number}; these are games 1 to {len(lines)}")
    return lines[number - 1] + "\n"


def decisions(record: GameRecord, name: str) -> list[Decision]:
    """Return the decisions of a game in which there was a choice. Raises: ValueError for a name that plays here not."""
    game, variant = record.game, record.variant
    agent, adviser = agent_called(name, game, variant), agent_called(ADVISER, game, variant)
    assert isinstance(adviser, SearchAgent)
    session = Session.of(record)
    asked: list[tuple[int, int, int]] = []
    turns: list[Turns] = []
    for number, action in enumerate(record.actions, 1):
        turn = session.turns()
        if turn.masks.sum() > 1 and len(asked) < MOST_DECISIONS:
            asked.append((number, session.seat, action))
            turns.append(turn)
        session.play(action)
    if not turns:
        return []
    together = Turns(
        np.concatenate([turn.views for turn in turns]).view(np.recarray),
        np.concatenate([turn.masks for turn in turns]),
        np.concatenate([turn.keys for turn in turns]),
    )
    chances = probabilities(agent, game, variant, together)
    values = adviser.values(together, halving=False)
    return [
        _decision(
            record, each, together.at(slice(at, at + 1)), chances[at], values.means[at], values.errors[at]
        )
        for at, each in enumerate(asked)
    ]


def _decision(
    record: GameRecord,
    asked: tuple[int, int, int],
    turn: Turns,
    chances: np.ndarray,
    means: np.ndarray,
    errors: np.ndarray,
) -> Decision:
    number, seat, action = asked
    legal = np.flatnonzero(turn.masks[0])
    ranked = sorted(map(int, legal), key=lambda each: -means[each])
    shown = ranked[:MOST_BARS] if action in ranked[:MOST_BARS] else [*ranked[: MOST_BARS - 1], action]
    view, best = turn.views[0], ranked[0]
    bars = [
        Bar(
            record.game.action_name(each, view),
            float(chances[each]),
            float(means[each]),
            WIDE * float(errors[each]),
            each == action,
        )
        for each in shown
    ]
    loss = float(means[best] - means[action])
    half = WIDE * float(np.hypot(errors[best], errors[action])) if best != action else 0.0
    return Decision(number, seat, record.game.action_name(action, view), bars, loss, half)


def largest_losses(found: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that lost most, the largest first."""
    return sorted((each for each in found if each.loss > 0), key=lambda each: -each.loss)[:MOST_LOSSES]
