"""A game by its rules alone, in plain Python: what a compiled rule does not notice is an error here.

Machine code checks nothing. An index outside an array reads or writes memory of others, one below 0 counts from the
end, a number that a field cannot hold loses its upper bits, and nothing says which rule it was.
"""

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from gupai_env.core.compiling import at_once, machine_code
from gupai_env.core.deal import Fields
from gupai_env.core.episode import advance, start
from gupai_env.core.game import Game, no_history
from gupai_env.core.memory import blank, scratch
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import Variant
from gupai_env.testing.games import Snapshot, difference, frozen
from gupai_env.testing.hooks import Place
from gupai_env.testing.report import ConformanceError
from gupai_env.testing.trial import chooser
from gupai_env.vector import VectorEnv

UNSET = 85  # what an array of `scratch` holds
JUDGED = 8  # positions of a game in which all rules are tried, the first and the last among them


class Checked(np.ndarray):
    """An array that refuses an index below 0 or beyond its end, and such an end of a slice."""

    def __getitem__(self, index: Any) -> Any:
        return super().__getitem__(self._inside(index))

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(self._inside(index), value)

    def _inside(self, index: Any) -> Any:
        for part, length in zip(index if isinstance(index, tuple) else (index,), self.shape, strict=False):
            ends = (part.start, part.stop) if isinstance(part, slice) else (part,)
            most = length if isinstance(part, slice) else length - 1
            if any(isinstance(end, int | np.integer) and not 0 <= end <= most for end in ends):
                raise IndexError(f"index {part} into {length} entries")
        return index

    def __array_wrap__(self, result: np.ndarray, context: Any = None, return_scalar: bool = False) -> Any:
        return np.asarray(result)[()]  # what is computed from it is not checked


class CheckedFields(Fields):
    """A record of which the arrays are checked; numbers are by numpy, which refuses what a field cannot hold."""

    def __getattr__(self, name: str) -> Any:
        value = super().__getattr__(name)
        if type(value) is np.ndarray:
            value = self.__dict__[name] = value.view(Checked)
        return value


@contextmanager
def checked_tables(*packages: str) -> Iterator[None]:
    """Within it all modules of some packages find their tables checked and read-only, and `scratch` full of UNSET."""
    plain = blank  # this module's own is replaced as well
    made = {
        scratch: lambda length, dtype: np.full(length, UNSET, dtype).view(Checked),
        blank: lambda length, dtype: (
            plain(length, dtype) if np.dtype(dtype).names else np.zeros(length, dtype).view(Checked)
        ),
    }
    names = [name for name in sys.modules if name.partition(".")[0] in packages]
    before = [(vars(sys.modules[name]), vars(sys.modules[name]).copy()) for name in names]
    try:
        for module, values in before:
            module.update({name: _checked(value, made) for name, value in values.items()})
        yield
    finally:
        for module, values in before:
            module.update(values)


def _checked(value: Any, made: dict[Any, Any]) -> Any:
    """Return a global of a module as rules are to find it."""
    if type(value) is np.ndarray and value.ndim and not value.dtype.names:
        table = value.view(Checked)
        table.flags.writeable = False
        return table
    if type(value) is tuple and value and all(type(part) is np.ndarray for part in value):
        return tuple(_checked(part, made) for part in value)
    return made.get(value, value) if callable(value) else value


def fields(records: np.ndarray) -> Snapshot:
    """Return the fields of a record array [1], to compare."""
    return {name: frozen(records[name]) for name in records.dtype.names or ()}


class PlainGame:
    """The game of one seed, played to its end.

    Attributes:
        turns: Before each move the seat to act, its mask and its observation, as the compiled rules must show them.
        actions: The moves.
        paid: Chips by seat.
        notes: What is worth saying though nothing is wrong.
    """

    def __init__(self, place: Place, game: Game, variant: Variant, seed: int) -> None:
        """Prepare the game of a seed.

        Args:
            place: Called with the place of the game: seed, move and rule.
            game, variant: What is played.
            seed: The RNG key of the episode.
        """
        self.place, self.game, self.variant, self.seed, self.moves = place, game, variant, seed, 0
        self.rules: Any = variant.as_rules()
        self.bound = game.payoff_bound(variant)
        self.deck = np.bincount(game.deck(self.rules), minlength=KINDS)
        self.turns: list[Any] = []
        self.actions: list[int] = []
        self.notes: set[str] = set()

    def fail(self, problem: str) -> NoReturn:
        raise ConformanceError("", self.seed, self.moves, None, problem)

    def require_alike(self, one: Snapshot, other: Snapshot, sentence: str) -> None:
        """Fail if two snapshots differ; the sentence has a place for what differs first."""
        if name := difference(one, other):
            self.fail(sentence.format(name))

    def call(self, name: str, rule: Callable[..., Any], *arguments: Any, keeps: Sequence[np.ndarray] = ()) -> Any:
        """Call a rule, which must leave some record arrays as they are; what it raises is a finding.

        Args:
            name: Of the rule.
            rule: The function.
            arguments: Records among them come as rules functions take them.
            keeps: The record arrays that the rule may only read.
        """
        self.place(self.seed, self.moves, name)
        before = [fields(records) for records in keeps]
        try:
            with np.errstate(over="raise"):
                result = rule(*map(_as_rules_see_it, arguments))
        except Exception as error:
            frame = [item for item in traceback.extract_tb(error.__traceback__) if item.filename not in PASSED_ON][-1]
            where, text = f"{Path(frame.filename).name}:{frame.lineno}", " ".join(str(error).split())
            self.fail(f"{name} raises {type(error).__name__} at {where}: {text}")
        for records, was in zip(keeps, before, strict=True):
            self.require_alike(was, fields(records), f"{name} writes to {{}}, which it may only read")
        return result

    def begun(self, states: np.recarray) -> np.recarray:
        """Begin the episode in states that may have been used; return them."""
        self.call("deal_from", start, self.game.module, self.rules, states, derive(self.seed, 0))
        self.require_tiles(states, "deal_from")
        return states

    def require_tiles(self, states: np.recarray, after: str) -> None:
        """Fail if the hands, where they are tile sets, hold a tile more often than the deck."""
        hands = states[0]["hands"] if "hands" in (states.dtype.names or ()) else np.zeros(1, np.int8)
        if hands.dtype == np.int64 and hands.ndim == 1:
            held = (hands[:, None] >> 3 * np.arange(KINDS) & 7).sum(0)
            if (hands < 0).any() or (held > self.deck).any():
                self.fail(f"after {after} the hands hold tiles that the deck does not have")

    def mask(self, states: np.recarray) -> np.ndarray:
        mask = np.zeros(self.game.num_actions, np.bool_)
        self.call("legal_actions", self.game.legal_actions, self.rules, states, mask, keeps=[states])
        return mask

    def view(self, states: np.recarray, seat: int, views: np.recarray | None = None, history: bool = True) -> Any:
        """Return what a seat knows, a record array [1], in views that may have been used.

        Args:
            states: The full state, a record array [1].
            seat: Who sees it.
            views: Is written, a record array [1]; by default a new one.
            history: Whether the view has the history of the deal.
        """
        views = np.zeros(1, self.game.view).view(np.recarray) if views is None else views
        arguments = self.rules, states, seat, views, history
        self.call("information_set", self.game.information_set, *arguments, keeps=[states])
        return views

    def observation(self, views: np.recarray) -> np.ndarray:
        row = np.zeros(self.game.encoder.layout.size, np.int8)
        self.call("encode", self.game.encode, views, row, keeps=[views])
        return row

    def dealt(self, views: np.recarray, states: np.recarray | None = None) -> np.recarray:
        """Return a deal that a view allows, always by the same key, in states that may have been used."""
        states = self.game.new_states(1) if states is None else states
        key = derive(self.seed, self.moves + 1)
        self.call("determinize", self.game.determinize, self.rules, views, key, states, keeps=[views])
        return states

    def after(self, states: np.recarray, action: int) -> tuple[np.recarray, list[float]]:
        """Return the states after a legal action, with what they pay if the deal is over."""
        states, chips = states.copy(), np.zeros(self.game.max_seats, np.float32)
        self.call("step", self.game.step, self.rules, states, action)
        self.require_tiles(states, f"{self.game.action_names[action]}, which legal_actions offers,")
        if not states["terminated"][0]:
            return states, []
        self.call("payoffs", self.game.payoffs, self.rules, states, chips, keeps=[states])
        if np.abs(chips).max() > self.bound:
            self.fail(f"payoffs gives {np.abs(chips).max():g} chips, but payoff_bound says at most {self.bound:g}")
        return states, chips[: self.variant.players].tolist()

    def judge(self, states: np.recarray, used: np.recarray) -> None:
        """Hold all rules to what they promise in a position: for the seat to act, and for one that is not.

        Args:
            states: The position.
            used: Another one, which must leave no trace where a rule writes over it.
        """
        players, seat = self.variant.players, int(states["to_act"][0])
        for viewer in (seat, (seat + 1 + self.moves % (players - 1)) % players):
            views, other = self.view(states, viewer), self.view(used, (viewer + 1) % players)
            self.require_alike(
                fields(views), fields(self.view(states, viewer, other)), "information_set leaves {} of a view as it was"
            )
            if (self.observation(self.view(states, viewer, other, history=False)) != self.observation(views)).any():
                self.fail("encode reads what information_set leaves out without history")
            dealt = self.dealt(views)
            self.require_alike(
                fields(dealt), fields(self.dealt(views)), "determinize fills {} differently from the same view and key"
            )
            self.require_alike(
                fields(dealt), fields(self.dealt(views, used.copy())), "determinize leaves {} of a state as it was"
            )
            if viewer == seat:
                self.judge_actions(states, views, dealt)
        if self.game.history is not no_history:
            self.judge_history(states)

    def judge_actions(self, states: np.recarray, views: np.recarray, dealt: np.recarray) -> None:
        """Play each action, also in a deal that the seat to act may think of, and in that deal one seat further.

        Args:
            states: The full state, a record array [1].
            views: What the seat to act knows, a record array [1].
            dealt: A state that agrees with its view, a record array [1].
        """
        players, seat, moved = self.variant.players, int(states["to_act"][0]), views.copy()
        moved["seat"] = (seat + 1) % players
        further = self.dealt(moved)
        # Who is asked before others, a view need not tell; and a key may deal otherwise to seats of other numbers.
        alike = dealt["to_act"][0] == seat and self.seen(dealt, 0) == self.seen(further, 1)
        for action in np.flatnonzero(self.mask(states)).tolist():
            (real, _), (one, paid), (other, its) = (self.after(item, action) for item in (states, dealt, further))
            ends = bool(one["terminated"][0])
            turns = [None if ends else int(item["to_act"][0]) for item in (one, other)]
            same_turn = ends or (turns[0] + 1) % players == turns[1]  # type: ignore[operator]
            if alike and not (same_turn and np.roll(paid, 1).tolist() == its) and not self.draws(dealt, action):
                outcome = f"{paid} are paid, {its}" if ends else f"seat {turns[0]} follows, {turns[1]}"
                self.fail(f"the number of a seat decides: after action {action} {outcome} with all seats one further")
            if difference(fields(self.view(real, seat)), fields(self.view(one, seat))):
                self.notes.add("what a move leads to depends on tiles that its seat does not know")

    def seen(self, states: np.recarray, first: int) -> list[Snapshot]:
        """Return what all seats know, from a first one on, apart from their numbers."""
        seats = [(first + number) % self.variant.players for number in range(self.variant.players)]
        return [fields(self.view(states, seat)) | {"seat": 0} for seat in seats]

    def draws(self, states: np.recarray, action: int) -> bool:
        """Return whether an action deals tiles by the key of the episode, which it does by the numbers of seats."""
        other = states.copy()
        other["seed"] = derive(self.seed, 1)
        one, two = (fields(self.after(item, action)[0]) for item in (states, other))
        return difference(one | {"seed": 0}, two | {"seed": 0}) is not None

    def judge_history(self, states: np.recarray) -> None:
        """Deal and play again what `history` says has happened."""
        order, actions = np.zeros(self.deck.sum(), np.int8), np.zeros(self.game.max_decisions, np.int64)
        number = self.call("history", self.game.history, self.rules, states, order, actions, keeps=[states])
        replayed = states.copy()
        self.call("deal_from", self.game.deal_from, self.rules, replayed, order)
        for action in actions[:number].tolist():
            replayed, _ = self.after(replayed, action)
        for seat, (seen, seen_again) in enumerate(zip(self.seen(states, 0), self.seen(replayed, 0), strict=True)):
            self.require_alike(seen, seen_again, f"what history says leads to another {{}} in the view of seat {seat}")

    def play(self) -> None:
        """Play the game with the moves of every other check, then judge positions evenly chosen from it."""
        states, rng = self.begun(self.game.new_states(1)), chooser(self.seed)
        positions = []
        while not states["terminated"][0] and self.moves < self.game.max_decisions * self.variant.deals:
            positions.append(states.copy())
            mask, seat = self.mask(states), int(states["to_act"][0])
            self.turns.append((seat, mask, self.observation(self.view(states, seat, history=False))))
            self.actions.append(int(rng.permutation(np.flatnonzero(mask))[0]))
            self.call("step", advance, self.game.module, self.rules, states, self.actions[-1])
            self.moves += 1
        ended, first = states.copy(), fields(positions[0])
        self.paid = ended["total"][0].tolist()
        self.require_alike(first, fields(self.begun(states)), "deal_from leaves {} of the deal before")
        for action in self.actions:
            self.call("step", advance, self.game.module, self.rules, states, action)
        self.require_alike(
            fields(ended), fields(states), "the same moves lead to another {} when they are played again"
        )
        for self.moves in sorted({*np.linspace(0, len(positions) - 1, JUDGED, dtype=int).tolist()}):
            self.judge(positions[self.moves], positions[-1 - self.moves])

    def play_compiled(self) -> None:
        """Fail where machine code shows or pays something else than plain Python."""
        envs = VectorEnv(self.game, 1, renew=False, **vars(self.variant))
        self.place(self.seed, 0, "machine code of deal_from")
        envs.reset(seeds=np.array([self.seed]))
        paid = np.zeros_like(envs.rewards)
        for number, (turn, action) in enumerate(zip(self.turns, self.actions, strict=True)):
            self.moves = number
            compiled = envs.seats[0], envs.masks[0], envs.observations[0]
            for name, one, other in zip(("seat to act", "mask", "observation"), turn, compiled, strict=True):
                if not np.array_equal(one, other):
                    self.fail(f"the {name} is another in machine code than in plain Python")
            self.place(self.seed, self.moves, f"machine code of step {action}")
            paid += envs.step(np.array([action]))[0]
        if (code := machine_code(self.game.module_name)) and self.game.module_name in code.takers:
            self.notes.add("compiled rules take memory from the heap: slow, and not possible on a GPU; see scratch")
        if not np.allclose(paid[0], self.paid):
            self.fail(f"machine code pays {paid[0].tolist()}, plain Python {self.paid}")


PASSED_ON = (__file__, sys.modules[Fields.__module__].__file__)  # where an error of a rule passes through


def _as_rules_see_it(argument: Any) -> Any:
    """Return an argument of a rule with all that it holds checked."""
    if not isinstance(argument, np.ndarray):
        return argument
    return CheckedFields(argument[0]) if argument.dtype.names else argument.view(Checked)


def play_by_rules(game: Game, options: dict[str, Any], place: Place, seeds: Sequence[int]) -> list[str]:
    """Play the games of some seeds in plain Python, then compiled; return what is worth saying.

    Args:
        game: The game.
        options: Of its rules.
        place: Called with the place of each game: seed, move and rule.
        seeds: Of the episodes.

    Raises:
        ConformanceError: Naming the rule, the seed and the move.
    """
    games = [PlainGame(place, game, game.variant.make(**options), seed) for seed in seeds]
    with checked_tables("gupai_env", game.module_name.partition(".")[0]):
        for plain in games:
            plain.play()
    with at_once():
        for plain in games:
            plain.play_compiled()
    return sorted(set().union(*(plain.notes for plain in games)))
