"""A game played move by move, for people to follow; the end of every deal of a match is kept."""

import copy
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, Self

import numpy as np

from gupai_agents.agent import Agent, Turns, ask
from gupai_agents.evaluation.records import GameRecord
from gupai_env.core.episode import advance, noise_key, start
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key, derive
from gupai_env.core.scene import Scene
from gupai_env.core.variant import Variant


class Step(NamedTuple):
    """A move and what a spectator is told of it.

    number: of the move in its game, from 1. words: the action's name. news: a note on the table that is new. payoffs:
    chips by seat if it ended a deal. scene: the table after it, all tiles face up.
    """

    number: int
    seat: int
    words: str
    news: str
    payoffs: list[float] | None
    scene: Scene


class Mark(NamedTuple):
    """Where a game stood: after so many moves and paid deals, in this state."""

    moves: int
    deals: int
    states: np.recarray
    finished: np.record | None


class Session:
    """One episode under way: that of an environment after `reset(seed)` and `episode` more resets.

    Attributes: state: the full state, for spectators. finished: the state in which the last finished deal
        ended, its `payoff` and the new `total` included; None before. actions, movers, payoffs: what was
        played by whom and, for every finished deal, paid.
    """

    def __init__(
        self, game: Game, variant: Variant, seed: int, episode: int = 0, order: Sequence[int] = ()
    ) -> None:
        """Args: order: the tiles as they are dealt, instead of as the seed shuffles them.

        Raises: ValueError for a bad seed.
        """
        self.game, self.variant = game, variant
        self.rules = variant.as_rules(game.rules_type)
        self._states = game.new_states(1)
        self.state = self._states[0]
        self.finished: np.record | None = None
        self.seed, self.episode = as_key(seed), episode
        self.actions: list[int] = []
        self.movers: list[int] = []
        self.payoffs: list[tuple[float, ...]] = []
        self.order = tuple(order)
        start(game, self.rules, self.state, derive(self.seed, episode))
        if order:
            game.room.deal_from(self.rules, self.state, np.array(order, np.int8))

    @classmethod
    def of(cls, record: GameRecord) -> Self:
        """Return the beginning of a recorded game."""
        return cls(record.game, record.variant, record.seed, record.episode, record.order)

    def mark(self) -> "Mark":
        """Return where the game stands, for `since`."""
        return Mark(len(self.actions), len(self.payoffs), self._states.copy(), self.finished)

    def since(self, mark: "Mark") -> Self:
        """Return this game as it stood at a mark, to be played on by itself."""
        found = copy.copy(self)
        found._states, found.finished = mark.states.copy(), mark.finished
        found.state = found._states[0]
        found.actions, found.movers = self.actions[: mark.moves], self.movers[: mark.moves]
        found.payoffs = self.payoffs[: mark.deals]
        return found

    @property
    def over(self) -> bool:
        """True at the end of the episode."""
        return bool(self.state.over)

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.state.to_act)

    def mask(self) -> np.ndarray:
        """Return the legal actions of the seat to act, bool [num_actions]; none at the end."""
        mask = np.zeros(self.game.num_actions, np.bool_)
        if not self.over:
            self.game.legal_actions(self.rules, reading(self.state), mask)
        return mask

    def view(self, seat: int, state: np.record | None = None) -> np.record:
        """Return what a seat knows, now or in another state of this game."""
        view = self.game.new_view()
        self.game.information_set(self.rules, reading(self.state) if state is None else state, seat, view)
        return view

    def views(self, first: int = 0, state: np.record | None = None) -> list[np.record]:
        """Return what each seat knows, from seat `first` on."""
        players = self.variant.players
        return [self.view((first + place) % players, state) for place in range(players)]

    def turns(self) -> Turns:
        """Return the decision to be made, as agents take it; by plain rules, for which nobody waits for a compiler."""
        views = np.zeros(1, self.game.view).view(np.recarray)
        self.game.information_set(self.rules, reading(self.state), self.seat, views[0])
        return Turns(views, self.mask()[None], np.array([noise_key(self.state)], np.int64))

    def answer(self, agent: Agent) -> int:
        """Return what an agent plays for the seat to act. Raises: ValueError as `ask`."""
        return int(ask(agent, self.game, self.variant, self.turns())[0])

    def play(self, action: int) -> list[float] | None:
        """Play a legal action; return the chips by seat if it ended a deal, else None."""
        game, before = self.game, self._states.copy()[0]
        self.movers.append(self.seat)
        self.actions.append(action)
        advance(game, self.rules, self.state, action)
        if not self.state.settled:
            return None
        game.step(self.rules, before, action)  # once more, for in a match the next deal has begun
        before.deal, before.total, before.payoff = self.state.deal, self.state.total, self.state.payoff
        self.finished = before
        paid = [float(chips) for chips in self.state.payoff[: self.variant.players]]
        self.payoffs.append(tuple(paid))
        return paid

    def take(self, action: int, names: Sequence[str], told: Sequence[str] = (), first: int = 0) -> Step:
        """Play a legal action; names: of the seats. told: notes that are no news. first: the seat at the near side."""
        seat = self.seat
        words = self.game.action_name(action, self.view(seat))
        payoffs = self.play(action)
        scene = table_of(self, names, payoffs, first=first)
        news = next((note for note in scene.notes[:1] if note not in told), "")
        return Step(int(self.state.moves), seat, words, news, payoffs, scene)

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


def reading(record: np.record) -> Any:
    """Return a state or view to be read by plain rules: getting a field of numpy's records takes far longer."""
    field = np.void.__getitem__
    return SimpleNamespace(**{name: field(record, name) for name in record.dtype.names or ()})


def table_of(
    session: Session,
    names: Sequence[str],
    payoffs: Sequence[float] | None = None,
    *,
    first: int = 0,
    without: int | None = None,
) -> Scene:
    """Return the table as it is or, with the `payoffs` of a deal that has just ended, as it was then.

    Args: first: the seat at the near side. without: the one seat whose tiles are not open; None: all are.
    """
    views = session.views(first, session.finished if payoffs is not None else None)
    views = [view for view in views if view.seat != without]
    return session.game.scene(session.variant, views, names, payoffs)
