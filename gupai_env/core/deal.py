"""One deal, or a match of several, by the plain rules of its game: nothing is compiled before the first move."""

import copy
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Self

import numpy as np

from gupai_env.core.copying import owned
from gupai_env.core.episode import advance, start
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError, describe_illegal
from gupai_env.core.kernels import kernels
from gupai_env.core.scene import Scene
from gupai_env.core.variant import Variant
from gupai_env.messages.checks import is_whole


class Deal:
    """A deal under way.

    Attributes:
        game: The game.
        variant: The options of its rules.
        rules: The options as the rules functions take them.
        states: The full state, a record array [1]; rules functions take `state`, its only record.
    """

    game: Game
    compiled: bool

    def __init__(
        self, game: Game, variant: Variant, states: np.recarray | None = None, *, compiled: bool = False
    ) -> None:
        """Hold a state.

        Args:
            game: The game.
            variant: The options of its rules.
            states: The state, record array [1], which is not copied. None: the game's empty state, for `start` or for
                setting up a position by hand.
            compiled: Whether views come from the game's compiled loops. These are much faster once they are there.
        """
        self.game, self.compiled = game, compiled
        self.variant: Any = variant  # of the game's own class
        self.rules: Any = variant.as_rules()
        self.states: np.recarray = game.new_states(1) if states is None else states

    @property
    def state(self) -> np.record:
        """The full state; writing to its fields changes the deal."""
        return self.states[0]

    @property
    def terminated(self) -> bool:
        """True if the deal, or the last one of a match, has ended."""
        return bool(self.states["terminated"][0])

    @property
    def seat(self) -> int:
        """The seat to act."""
        return int(self.states["to_act"][0])

    def copy(self) -> Self:
        """Return the same deal, to be played on independently of this one."""
        return copy.copy(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what a copy restores; its state is its own."""
        vars(self).update(owned(state))

    def mask(self) -> np.ndarray:
        """Return the legal actions of the seat to act, bool [num_actions]; none at the end."""
        mask = np.zeros(self.game.num_actions, np.bool_)
        if not self.terminated:
            self.game.legal_actions(self.rules, fields_of(self.state), mask)
        return mask

    def illegal(self, who: str, action: object) -> IllegalActionError:
        """Return the error for an action of the seat to act that is not legal; `who` tried it."""
        action = int(action) if is_whole(action) else action  # type: ignore[call-overload]
        return IllegalActionError(describe_illegal(self.game, who, action, self.mask(), self.view(self.seat)))

    def view(self, seat: int) -> np.record:
        """Return what a seat knows."""
        return self.view_row(seat)[0]

    def view_row(self, seat: int) -> np.recarray:
        """Return what a seat knows as agents and compiled loops take it, a record array [1]."""
        views = np.zeros(1, self.game.view).view(np.recarray)
        # Plain rules first: the first decision of a game must not wait for a compiler.
        if self.compiled:
            kernels(self.game).view_of(self.rules, self.states, seat, views)
        else:
            self.game.information_set(self.rules, fields_of(self.state), seat, Fields(views[0]))
        return views

    def views(self, first: int = 0) -> list[np.record]:
        """Return what each seat knows, from seat `first` on."""
        players = self.variant.players
        return [self.view((first + number) % players) for number in range(players)]

    def scene(self, names: Sequence[str] | None = None, *, first: int = 0) -> Scene:
        """Return the table for `gupai_env.render`, all tiles face up, with the count if the deal is over.

        Args:
            names: The names by seat. None: "Seat 0", "Seat 1", ...
            first: The seat at the near side.
        """
        return self.game.scene(self.variant, self.views(first), names, self.paid() if self.terminated else None)

    def redealt(self, seat: int, key: int) -> Self:
        """Return a copy in which all that a seat cannot know is dealt again, uniformly, by an RNG key."""
        twin, views = self.copy(), self.view_row(seat)
        twin.states = self.game.new_states(1)
        if self.compiled:
            kernels(self.game).determinize(self.rules, views, np.array([key]), twin.states)
        else:
            self.game.determinize(self.rules, fields_of(views[0]), key, Fields(twin.state))
        return twin

    def start(self, key: int, order: Sequence[int] = ()) -> None:
        """Begin an episode.

        Args:
            key: The RNG key from which all random numbers of the episode are derived.
            order: The kinds of tiles as they are dealt, instead of as the key shuffles them.
        """
        state = Fields(self.state)
        start(self.game.module, self.rules, state, key)
        if len(order):
            self.game.deal_from(self.rules, state, np.array(order, np.int8))

    def step(self, action: int) -> None:
        """Play one legal decision of this deal; nothing is paid, and no other deal begins."""
        self.game.step(self.rules, Fields(self.state), action)

    def advance(self, action: int) -> None:
        """Play one legal decision of the episode: at the end of a deal `payoff` is paid and the next deal begins."""
        advance(self.game.module, self.rules, Fields(self.state), action)

    def paid(self) -> list[float]:
        """Return the chips of every seat by the rules, as if the deal were over."""
        chips = np.zeros(self.game.max_seats, np.float32)
        self.game.payoffs(self.rules, Fields(self.state), chips)
        return chips[: self.variant.players].tolist()


class Fields:
    """A record whose fields plain rules read and write; numpy's own attributes take far longer."""

    _record: np.record

    def __init__(self, record: np.record) -> None:
        self.__dict__["_record"] = record  # no field begins with an underscore

    def __getattr__(self, name: str) -> Any:
        # `np.void`, because `np.record` looks up the name twice and wraps what it finds.
        value = np.void.__getitem__(self._record, name)
        if type(value) is np.ndarray:  # a view of the record's memory, which stays the same
            self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            np.void.__setitem__(self._record, name, value)
        except OverflowError:
            raise OverflowError(f"the field {name}, {self._record.dtype[name]}, cannot hold {value}") from None


def fields_of(record: np.record) -> Any:
    """Return a state or view as an object for plain rules, which read its fields many times and write to none."""
    field = np.void.__getitem__
    return SimpleNamespace(**{name: field(record, name) for name in record.dtype.names or ()})
