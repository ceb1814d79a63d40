"""Deals of kept games played again: the deal of the day, by `best` at the seat of the person, and as puzzles."""

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.records.games import GameRecord
from gupai_agents.shipped import levels
from gupai_app.play.address import Address
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame, heading, state
from gupai_app.review.analysis import Decision, decisions
from gupai_app.review.page import PERSON, called, near_of
from gupai_app.server.players import NAMED, strongest
from gupai_env.messages import say, word
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


HOW_FOUND = (
    "Chips that each move brings on average by a search that sees what you see; ± is half of the 95% interval of the "
    "difference from the best move."
)
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


def puzzle(address: Address, action: int | None) -> dict[str, Any]:
    """Return a decision as `document` returns a table: with the values of its moves once one is chosen.

    Args:
        address: The table at the decision.
        action: What the person chose, None before.

    Raises:
        ValueError: For a table with no decision, or an action that is not legal.
    """
    seating = WebGame(address)
    if seating.terminated:
        raise ValueError("the game is over; a puzzle is a decision")
    table, notes, links = heading(seating) | state(seating), [], [[word("Puzzles"), "/kept/puzzles"]]
    sentences = [word("One move is worth much more than the others. Which?")]
    if action is not None:
        chosen = [index for index, entry in enumerate(seating.entries) if action in entry.actions]
        if not chosen:
            raise refused("play", str(action), say("choose one of the moves that are listed"))
        advice = seating.advice()
        notes, why = seating.notes(advice), seating.why_best(advice, action)
        best = notes[chosen[0]][1]
        sentences = [word("Right: no other move is worth as much." if best else "The marked move is worth more.")]
        sentences += [word("{0}.").format(word(why))] if why else []
        sentences.append(word(HOW_FOUND))
        notes[chosen[0]] = (f"{word(notes[chosen[0]][0])} {word('(played)')}", best)
        links.insert(0, [word("Try again from here"), f"/table?{address.query}"])
    aside: dict[str, Any] = {
        "practice": False,
        "coach": False,
        "undo": None,
        "lessons": [],
        "marked": [],
        "hint": None,
        "mistake": [],
    }
    moves = {"moves": seating.moves(notes), "frames": table["frames"][-1:], "coach_waits": "", "unseen": None}
    return table | aside | moves | {"puzzle": sentences, "links": links}
