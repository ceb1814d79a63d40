"""The opponent pool: past selves and rule-based players, and which of them the learner meets at each table."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_agents.agent import Agent

MEMORY = 2000  # deals over which a member's record is averaged
LEARNER = -1


def vacate(seating: Any, member: int) -> None:
    """Give the seats of a member that left the pool to the learner, and renumber those after it.

    Args:
        seating: Line-ups, an array or a tensor of integers, changed in place.
        member: Its number.
    """
    seating[seating == member] = LEARNER
    seating[seating > member] -= 1


@dataclass
class Member:
    """A player of the pool, and the average share of deals in which it lost chips; ties count half."""

    agent: Agent
    born: int  # update at which it joined; 0 for rule-based players
    scripted: bool
    beaten: float = 0.5
    deals: int = 0


class OpponentPool:
    """Draws the line-up of each table as its episode begins.

    With probability `self_share` the current self takes all seats. Otherwise one member takes at least one and all
    except one of the seats (in a game of teams, of the sides). Half of these tables choose the member uniformly, half
    by the squared share of deals that it did not lose, so that hard opponents are met more often. Every rule-based
    member gets at least `rule_share`, if the shares allow it.
    """

    def __init__(
        self,
        seats: int,
        rng: np.random.Generator,
        self_share: float,
        size: int,
        rule_share: float,
        sides: np.ndarray | None = None,
    ) -> None:
        """Make an empty pool.

        Args:
            seats: At every table.
            rng: Draws line-ups.
            self_share: The share of tables with the current self in every seat.
            size: The number of past selves that it holds.
            rule_share: The smallest share of the other tables for each rule-based member.
            sides: The side of every seat, see `Game.sides`; without it every seat plays for itself.
        """
        self.seats: int = seats
        self.rng = rng
        self.sides: np.ndarray = np.arange(seats) if sides is None else sides
        self.num_sides: int = len(np.unique(self.sides))
        self.self_share: float = self_share
        self.size: int = size
        self.rule_share: float = rule_share
        self.members: list[Member] = []

    @property
    def agents(self) -> list[Agent]:
        """The members' agents, in the order of the numbers that `line_ups` uses."""
        return [member.agent for member in self.members]

    def weights(self) -> np.ndarray:
        """Return the probability of each member at a table that is not all self, float64 [members]."""
        hard = np.array([(1 - member.beaten) ** 2 for member in self.members]) + 1e-6
        weights = 0.5 / len(self.members) + 0.5 * hard / hard.sum()
        scripted = np.array([member.scripted for member in self.members])
        weights[scripted] = np.maximum(weights[scripted], self.rule_share)
        remaining = 1 - weights[scripted].sum()
        if remaining > 0 and not scripted.all():
            weights[~scripted] *= remaining / weights[~scripted].sum()
        return weights / weights.sum()

    def line_ups(self, tables: int) -> np.ndarray:
        """Draw who sits where, int16 [tables, seats]: LEARNER or the number of a member."""
        seating = np.full((tables, self.seats), LEARNER, np.int16)
        if not self.members or self.self_share >= 1:
            return seating
        mixed = np.flatnonzero(self.rng.random(tables) >= self.self_share)
        chosen = self.rng.choice(len(self.members), len(mixed), p=self.weights())
        frozen = self.rng.integers(1, self.num_sides, len(mixed))  # how many sides the member takes
        order = self.rng.permuted(np.tile(np.arange(self.num_sides), (len(mixed), 1)), axis=1)[:, self.sides]
        seating[mixed] = np.where(order < frozen[:, None], chosen[:, None], LEARNER)
        return seating

    def record(self, seating: np.ndarray, payoffs: np.ndarray) -> None:
        """Note finished episodes: line-ups [N, seats] and payoffs, float32 [N, seats]."""
        for number in np.unique(seating[seating != LEARNER]):
            lost = payoffs[seating == number]
            member = self.members[number]
            share = float((lost < 0).mean() + 0.5 * (lost == 0).mean())
            rate = min(1.0, len(lost) / min(MEMORY, member.deals + len(lost)))
            member.beaten += rate * (share - member.beaten)
            member.deals += len(lost)

    def add(self, agent: Agent, born: int, scripted: bool = False) -> int | None:
        """Add a player; return the number of the past self that is dropped for it, or None.

        With more than `size` past selves the one closest in age to its neighbours is dropped, but never the first, the
        newest or the one that loses least. The numbers of the members after it decrease by one.

        Args:
            agent: The player.
            born: The update at which it joins.
            scripted: Whether it is rule-based, and so never leaves.
        """
        self.members.append(Member(agent, born, scripted))
        past = [number for number, member in enumerate(self.members) if not member.scripted]
        if len(past) <= self.size:
            return None
        best = min(past, key=lambda number: self.members[number].beaten)
        inner = [index for index in range(1, len(past) - 1) if past[index] != best]
        born_at = [self.members[number].born for number in past]
        leaving = past[min(inner, key=lambda index: born_at[index + 1] - born_at[index - 1])]
        del self.members[leaving]
        return leaving
