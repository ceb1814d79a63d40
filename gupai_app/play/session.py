"""A game played move by move, for people to follow; the end of every deal of a match is kept."""

import secrets
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, Memories
from gupai_agents.evaluation.records.games import GameRecord
from gupai_env.core.deal import Deal, Fields
from gupai_env.core.episode import next_deal, noise_key, step
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.scene import Scene
from gupai_env.core.variant import Variant


def drawn_seed() -> int:
    """Return a random seed: a short one, which is easily typed again."""
    return secrets.randbelow(1_000_000)


class Step(NamedTuple):
    """A move and what a spectator sees of it.

    number: of the move in its game, from 1. words: the action's name. news: a note of the table that was not there
    before. payoffs: chips by seat if it ended a deal. scene: the table after it, all tiles face up.
    """

    number: int
    seat: int
    words: str
    news: str
    payoffs: list[float] | None
    scene: Scene


class Session(Deal):
    """One episode under way: that of an environment after `reset(seed)` and `episode` more resets.

    Attributes:
        finished: The session at the end of the last finished deal, `payoff` and the new `total` included;
            None before.
        actions, movers: The actions played, and who played them.
        payoffs: The chips by seat of every finished deal.
        marks: The game before the last move of each of the people, by seat, never played on; tiles that are discarded
            together are one move.
    """

    def __init__(
        self,
        game: Game,
        variant: Variant,
        seed: int,
        episode: int = 0,
        order: Sequence[int] = (),
        people: Sequence[int] = (),
    ) -> None:
        """Deal.

        Args:
            order: The tiles as they are dealt, instead of as the seed shuffles them.
            people: The seats whose last moves can be taken back.

        Raises:
            ValueError: For a bad seed.
        """
        super().__init__(game, variant)
        self.finished: Session | None = None
        self._memories = Memories(1, variant.players)
        self.seed, self.episode = as_key(seed), episode
        self.actions: list[int] = []
        self.movers: list[int] = []
        self.payoffs: list[tuple[float, ...]] = []
        self.order, self.people = tuple(order), tuple(people)
        self.marks: dict[int, Session] = {}
        self.start(derive(self.seed, episode), self.order)

    @classmethod
    def of(cls, record: GameRecord, people: Sequence[int] = ()) -> Self:
        """Return the beginning of a recorded game."""
        return cls(record.game, record.variant, record.seed, record.episode, record.order, people)

    def copy(self) -> Self:
        """Return the same game, to be played on independently of this one."""
        twin = super().copy()
        twin.actions, twin.movers = self.actions[:], self.movers[:]
        twin.payoffs, twin._memories = self.payoffs[:], Memories(1, self.variant.players)
        return twin

    def decision_batch(self) -> DecisionBatch:
        """Return the decision to be made, as agents take it; by the plain rules, without waiting for a compiler."""
        return DecisionBatch(self.view_row(self.seat), self.mask()[None], np.array([noise_key(self.state)], np.int64))

    def answer(self, agent: Agent) -> int:
        """Return what an agent plays for the seat to act. Raises: ValueError as `ask`."""
        batch, lane = self.decision_batch(), np.zeros(1, int)
        return int(self._memories.ask(self.seat, agent, self.game, self.variant, batch, self.states, lane)[0])

    def play(self, action: int) -> list[float] | None:
        """Play a legal action; return the chips by seat if it ended a deal, else None."""
        if self.seat in self.people and not self._discards_more():
            self.marks = {**self.marks, self.seat: self.copy()}
        self.movers.append(self.seat)
        self.actions.append(action)
        state = Fields(self.state)
        step(self.game.module, self.rules, state, action)
        if not state.settled:
            return None
        self.finished = self.copy()
        paid: list[float] = self.state.payoff[: self.variant.players].tolist()
        self.payoffs.append(tuple(paid))
        next_deal(self.game.module, self.rules, state)
        return paid

    def _discards_more(self) -> bool:
        """Return whether the seat to act is about to discard another of several tiles together."""
        mark = self.marks.get(self.seat, self)
        since = len(mark.actions)
        if set(self.movers[since:]) != {self.seat} or not self.game.move(self.actions[since]).discards:
            return False
        return len(self.actions) - since < self.game.hints(self.game, self.variant).discards(mark.view(self.seat))

    def take(self, action: int, names: Sequence[str], known: Sequence[str] = (), first: int = 0) -> Step:
        """Play a legal action.

        Args:
            action: The action.
            names: The names of the seats.
            known: Notes that are already known, so that they are no news.
            first: The seat at the near side.
        """
        seat = self.seat
        words = self.game.action_name(action, self.view(seat))
        payoffs = self.play(action)
        scene = self.as_paid(payoffs).scene(names, first=first)
        news = next((note for note in scene.notes[:1] if note not in known), "")
        return Step(int(self.state.moves), seat, words, news, payoffs, scene)

    def as_paid(self, payoffs: Sequence[float] | None) -> "Session":
        """Return the game as it is or, with the payoffs of a deal that has just ended, as it was then."""
        return self if payoffs is None or self.finished is None else self.finished

    def record(self, agents: Sequence[str]) -> GameRecord:
        """Return the game, which is over, as files keep it; agents: who sat at each seat."""
        return GameRecord(
            self.game,
            self.variant,
            tuple(agents),
            self.seed,
            self.episode,
            tuple(self.actions),
            tuple(self.payoffs),
            tuple(self.movers),
            self.order,
        )
