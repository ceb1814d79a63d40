"""Deals played again: that of the day, and those of kept games by `best` at the seat of the person."""

from collections.abc import Callable
from datetime import date
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent
from gupai_agents.evaluation.records.games import GameRecord
from gupai_app.play.seats import PERSON, called, near_of
from gupai_app.play.session import Session
from gupai_app.server.players import strongest
from gupai_env.games.phrases import chips
from gupai_env.messages import say


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

    @property
    def sentence(self) -> str:
        """By how much the person did better."""
        return say("Difference: {chips}.", chips=chips(self.difference))


def duplicate(record: GameRecord, agent_of: Callable[[str], Agent], player: Agent | None = None) -> Duplicate:
    """Play a deal again with a player at the seat of the person; the others play as they did.

    Args:
        record: The game.
        agent_of: Returns the player of a name; it is asked for the other seats, but not for another person.
        player: Who takes the person's seat, and that of any other person; None for the strongest.

    Raises:
        ValueError: Of `agent_of`.
    """
    seat, player = near_of(record), player or strongest(record.game, record.variant)
    names = [player.name if name == PERSON or place == seat else name for place, name in enumerate(record.agents)]
    agents = {name: player if name == player.name else agent_of(name) for name in names}
    session = Session.of(record)
    while not session.terminated:
        session.play(session.answer(agents[names[session.seat]]))
    rerun = session.record(names)
    won = [np.sum(game.payoffs, 0).tolist() for game in (record, rerun)]
    return Duplicate(record, rerun, seat, player.name, list(zip(called(record), *won, strict=True)))
