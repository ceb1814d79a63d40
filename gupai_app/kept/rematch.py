"""Deals of kept games played again: the deal of the day, by `best` at the seat of the person, and as puzzles."""

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.records.games import GameRecord
from gupai_agents.shipped import levels
from gupai_app.play.address import Address
from gupai_app.play.gestures import Drawing, drawn
from gupai_app.play.session import Session
from gupai_app.play.table import Line, WebGame
from gupai_app.review.analysis import Decision, decisions
from gupai_app.review.page import PERSON, called, near_of
from gupai_app.server.players import NAMED, strongest
from gupai_env.messages import say
from gupai_env.messages.checks import refused


def day_seed(day: date) -> int:
    """Return the seed of the deal of a day, 20261127, which is the same for everybody."""
    return int(day.strftime("%Y%m%d"))


class Duplicate(NamedTuple):
    """A game and the same deal with another player at the seat of the person.

    seat: of the person. player: who played instead. rows: of each seat its name, and its chips in both games.
    """

    record: GameRecord
    rerun: GameRecord
    seat: int
    player: str
    rows: list[tuple[str, float, float]]

    @property
    def difference(self) -> float:
        """Chips by which the person did better."""
        return self.rows[self.seat][1] - self.rows[self.seat][2]


def duplicate(record: GameRecord, agent_of: Callable[[str], Agent]) -> Duplicate:
    """Play a deal again with the strongest player at the seat of the person; the others play as they did.

    Args:
        record: The game.
        agent_of: Returns the player of a name; it is asked for the other seats, but not for another person.

    Raises:
        ValueError: Of `agent_of`.
    """
    seat, player = near_of(record), strongest(record.game, record.variant)
    names = [player.name if name == PERSON or place == seat else name for place, name in enumerate(record.agents)]
    agents = {name: player if name == player.name else agent_of(name) for name in names}
    session = Session.of(record)
    while not session.terminated:
        session.play(session.answer(agents[names[session.seat]]))
    rerun = session.record(names)
    won = [np.sum(game.payoffs, 0).tolist() for game in (record, rerun)]
    return Duplicate(record, rerun, seat, player.name, list(zip(called(record), *won, strict=True)))


CLEAR = 2.0  # times the 95% interval of the difference by which the best action leads, for it was picked from many


def puzzles_in(record: GameRecord) -> list[Decision]:
    """Return the decisions of all seats that are puzzles: the best action is clear, and somebody misses it.

    It was missed in the game, or the second level would miss it, who plays about as people do.
    """
    second = [level.name for level in levels(record.game)[1:2]]
    agent: Any = strongest(record.game, record.variant)
    if second:
        agent = NAMED.agent(second[0], record.game, record.variant)
    return [turn for turn in decisions(record, agent) if _is_puzzle(turn)]


def _is_puzzle(turn: Decision) -> bool:
    best, *others = turn.bars
    clear = all(bar.value.dropped or bar.value.loss > CLEAR * bar.value.half for bar in others)
    return clear and not (best.played and best.words == turn.preferred)


class Puzzle:
    """A puzzle as a page shows it.

    address: the table at the decision. lines: the moves under their headings, with their values once one is chosen.
    chosen: the move that the person chose, None before. why: what speaks for the best move then, "" if that cannot be
    said.
    """

    def __init__(self, address: Address, action: int | None) -> None:
        """Show the decision, or the answer. Raises: ValueError for a table with no decision, or an illegal action."""
        seating = WebGame(address)
        if seating.terminated:
            raise ValueError("the game is over; a puzzle is a decision")
        self.address, self.names, self.task = seating.address, seating.names, seating.task
        self.drawing: Drawing = drawn([seating.frames[-1].scene])
        self.lines = seating.lines() if action is None else seating.valued_lines()
        self.chosen: Line | None = None
        self.why = ""
        if action is not None:
            listed = [line for lines in self.lines.values() for line in lines]
            chosen = [line for line in listed if any(choice.action == action for choice in line.choices)]
            if not chosen:
                raise refused("play", str(action), say("choose one of the moves that are listed"))
            self.chosen, self.why = chosen[0], seating.why_best(action)
