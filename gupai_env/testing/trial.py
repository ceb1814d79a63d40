"""The setting of one check on one environment: its random games, its time, its findings; and the list of checks."""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isclose
from time import monotonic
from typing import Any, NoReturn, TypeVar

import numpy as np
from pettingzoo import AECEnv

from gupai_env.testing.games import Game, Poke, Snapshot, difference, snapshot
from gupai_env.testing.hooks import Hooks
from gupai_env.testing.report import ConformanceError, NotRun

PORTION = 10  # one position takes no more than this part of the time
T = TypeVar("T")


@dataclass
class Stopwatch:
    """The time that one check has for looking at positions; None has no end, and then nothing is left out.

    The first position of every game is looked at and one action tried there, whatever the time.
    """

    seconds: float | None = None
    spent: float = 0.0
    looked: int = 0
    passed_over: int = 0
    tried: int = 0
    left_out: int = 0

    def looks(self, progress: float, first: bool) -> bool:
        """Whether to look at a position, the first of its game or one after this part of all, 0 to 1."""
        late = self.seconds is not None and self.spent > self.seconds * progress
        if late and not first:
            self.passed_over += 1
            return False
        self.looked += 1
        return True

    @contextmanager
    def looking(self) -> Iterator[None]:
        """What is done in it counts as looking at a position."""
        begun = monotonic()
        yield
        self.spent += monotonic() - begun

    def some(self, items: Iterable[T], rng: np.random.Generator) -> Iterator[T]:
        """The items, of one position: in random order until the position has had its portion of the time."""
        if self.seconds is None:
            yield from items
            return
        choices = list(items)
        until = monotonic() + self.seconds / PORTION
        for number, index in enumerate(rng.permutation(len(choices)).tolist()):
            if number and monotonic() > until:
                self.left_out += len(choices) - number
                return
            self.tried += 1
            yield choices[index]

    def __str__(self) -> str:
        parts = []
        if self.passed_over:
            parts.append(f"{self.looked} of {self.looked + self.passed_over} positions")
        if self.left_out:
            parts.append(f"{self.tried} of {self.tried + self.left_out} actions")
        return f"in its time: {', '.join(parts)}" if parts else ""


MakeEnv = Callable[..., AECEnv]
TOLERANCE = 1e-6  # payoffs may be float32


def chooser(seed: int) -> np.random.Generator:
    """The random stream that chooses the moves of the game with this seed."""
    return np.random.default_rng([seed, 1])


@functools.lru_cache(1)  # every check asks
def next_deal_repeats(make_env: MakeEnv, seed: int) -> bool:
    """Whether `reset()` after `reset(seed)` depends on the seed alone, so that next deals can be compared."""
    deals = []
    for _ in range(2):
        env = make_env()
        env.reset(seed=seed)
        env.reset()
        deals.append(snapshot(env))
    return deals[0] == deals[1]


@dataclass(frozen=True)
class Turn:
    """What a game showed after so many moves; `of` names the next deal where it was that one."""

    move: int
    shown: Snapshot
    of: str = ""


@dataclass
class Trial:
    """One check at work.

    Attributes:
        check: its name.
        make_env: makes an environment; may take `render_mode`.
        hooks: what is known of the game.
        seeds: of the games to play.
        stopwatch: keeps the check to its time.
        notes: what the check found worth saying though it passed.
        game: the game being looked at, which gives a finding its place.
    """

    check: str
    make_env: MakeEnv
    hooks: Hooks
    seeds: Sequence[int]
    stopwatch: Stopwatch = field(default_factory=Stopwatch)
    notes: list[str] = field(default_factory=list)
    game: Game | None = None

    # Findings

    def error(self, problem: str, seat: str | None = None, move: int | None = None) -> ConformanceError:
        """Return the error for a problem, at the place where the trial is.

        Args:
            problem: In one line.
            seat: Whom it concerns, None for nobody.
            move: Actions that were played before, None for all of the game.
        """
        if self.game is None:
            return ConformanceError(self.check, None, None, seat, problem)
        move = len(self.game.moves) if move is None else move
        return ConformanceError(self.check, self.game.seed, move, seat, problem)

    def fail(self, problem: str, seat: str | None = None, move: int | None = None) -> NoReturn:
        """Fail with a problem.

        Args:
            problem, seat, move: As of `error`.
        """
        raise self.error(problem, seat, move)

    def fail_if(self, wrong: object, problem: str, seat: str | None = None, move: int | None = None) -> None:
        """Fail with a problem, which is put into words in any case, if something is wrong.

        Args:
            wrong: Whether something is wrong.
            problem, seat, move: As of `error`.
        """
        if wrong:
            self.fail(problem, seat, move)

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    def require_equal(self, one: Mapping[str, float], other: Mapping[str, float], sentence: str) -> None:
        """Fail at the first seat for which two sums differ; `sentence` has a place for each.

        Args:
            one, other: Sums by seat.
            sentence: A template of the problem.
        """
        for seat in one:
            mine, its = float(one[seat]), float(other.get(seat, 0.0))
            if not isclose(mine, its, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                self.fail(sentence.format(f"{mine:g}", f"{its:g}"), seat)

    # Games

    def fresh(self, seed: int, **options: str) -> Game:
        """A game just dealt, in an environment of its own."""
        self.game = Game(self.make_env(**options), seed)
        self.game.env.reset(seed=seed)
        return self.game

    def copy(self, game: Game) -> Game:
        """The same position in an environment of its own; a finding keeps its place in `game`."""
        if self.hooks.clone:
            env = self.hooks.clone(game.env)
            return Game(env, game.seed, list(game.moves), dict(game.announced), dict(game.delivered))
        other = self.fresh(game.seed)
        for action in game.actions:
            other.seat_to_act()
            other.take(action)
        other.seat_to_act()
        self.game = game
        return other

    def positions(self) -> Iterator[Game]:
        """Every position with a seat to act, in random games from all seeds, or as many as there is time for."""
        for number, seed in enumerate(self.seeds):
            moves = None if self.stopwatch.seconds is None else self.moves_of(seed)
            for position in self.play(self.fresh(seed), moves):
                if self.looks(number, position, moves):
                    with self.stopwatch.looking():
                        yield position

    def moves_of(self, seed: int) -> list[int]:
        """The actions of the random game from a seed."""
        return self.play_out(self.fresh(seed)).actions

    def looks(self, number: int, game: Game, moves: Sequence[int] | None) -> bool:
        """Whether there is time to look at this position of game `number`, whose moves will be these.

        Args:
            number: Of the game, from 0.
            game: The position.
            moves: All that will be played in it, None where that is not known.
        """
        done = (number + len(game.moves) / max(1, len(moves or ()))) / len(self.seeds)
        return self.stopwatch.looks(done, first=not game.moves)

    def some(self, game: Game, actions: Iterable[Any]) -> Iterator[Any]:
        """The actions, or as many of them as there is time for in this position."""
        return self.stopwatch.some(actions, np.random.default_rng([game.seed, len(game.moves), 2]))

    def play(self, game: Game, moves: Sequence[int] | None = None) -> Iterator[Game]:
        """Play on with the rest of `moves`, or at random; stops before each decision, and at `max_moves`."""
        rng = chooser(game.seed)
        while game.seat_to_act() and len(game.moves) < self.hooks.max_moves:
            self.game = game
            yield game
            legal = game.legal()  # looked at in both cases, so that both observe equally often
            if moves is None:
                if not game.take_any(rng, legal):
                    return
            elif len(game.moves) < len(moves):
                game.take(moves[len(game.moves)])
            else:
                return

    def play_out(self, game: Game) -> Game:
        """Play a game on at random to its end, or to `max_moves`; return it."""
        for _ in self.play(game):
            pass
        return game

    def payoffs(self, game: Game) -> Mapping[str, float]:
        """What the environment says that a finished game pays: by the hook `payoffs`, else by its rewards."""
        return self.hooks.payoffs(game.env) if self.hooks.payoffs else game.announced

    def finished_games(self) -> Iterator[Game]:
        """The random games that come to an end, with their finished seats still at the table."""
        finished = 0
        for seed in self.seeds:
            game = self.play_out(self.fresh(seed))
            if game.seat_to_act() is None:
                finished += 1
                yield game
        if not finished:
            raise NotRun("no game came to an end, as bounded-length or non-empty-mask should say")

    # Comparing whole games

    def transcript(self, game: Game, moves: Sequence[int] | None = None, poke: Poke | None = None) -> list[Turn]:
        """Play a game on: what is seen before each move, at the end and, if it repeats, in the next deal.

        `poke` is called before each move, or as often as there is time for; it may do anything that must not
        change the game.

        Args:
            game: A game under way.
            moves: What is played, None to draw it.
            poke: Called with the position.
        """
        turns = []
        number = self.seeds.index(game.seed) if poke else 0
        for position in self.play(game, moves):
            if poke and self.looks(number, position, moves):
                with self.stopwatch.looking():
                    poke(position)
            turns.append(Turn(len(game.moves), snapshot(game.env)))
        turns.append(Turn(len(game.moves), snapshot(game.env)))
        if next_deal_repeats(self.make_env, self.seeds[0]):
            game.env.reset()
            turns.append(Turn(len(game.moves), snapshot(game.env), " of the next deal"))
        return turns

    def compare(self, expected: Sequence[Turn], got: Sequence[Turn], when: str) -> None:
        """Fail at the first turn in which two transcripts of the game differ.

        Args:
            expected: What was seen first.
            got: What was seen later.
            when: Ends the sentence, "when ...".
        """
        for one, other in zip(expected, got, strict=False):
            if mismatch := difference(one.shown, other.shown):
                self.fail(f"{mismatch}{one.of} differs {when}", move=one.move)
        if len(expected) != len(got):
            self.fail(f"the game is {len(got)} turns long instead of {len(expected)} {when}")

    def require_same(
        self, expected: Sequence[Turn], game: Game, moves: Sequence[int], when: str, poke: Poke | None = None
    ) -> None:
        """Play `game` on with the rest of `moves`, and fail where it differs from what is expected.

        Args:
            expected: What was seen first.
            game: A game under way.
            moves: All that is played, also before.
            when: Ends the sentence, "when ...".
            poke: As of `transcript`.
        """
        try:
            repeat = self.transcript(game, moves, poke)
        except ConformanceError:
            raise
        except Exception as error:
            raise self.error(f"the game breaks off {when}: {type(error).__name__}, {error}") from error
        self.compare(expected, repeat, when)

    def same_game(self, poke: Poke, when: str) -> None:
        """Every game must continue, move by move and into the next deal, as if nobody had poked it."""
        for seed in self.seeds:
            game = self.fresh(seed)
            expected = self.transcript(game)
            self.require_same(expected, self.fresh(seed), game.actions, when, poke)


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: its kebab-case name.
        run: judges a trial, given the hooks that it needs; raises ConformanceError, or NotRun if it cannot judge. Its
            docstring is the promise.
        needs: the hooks without which it is not run.
        rests_on: checks that it takes for granted; where one of them failed, it would only repeat that.
        given: raises NotRun before it runs where it cannot judge.
    """

    name: str
    run: Callable[..., None]
    needs: tuple[str, ...]
    rests_on: tuple[str, ...]
    given: Callable[[Trial], None]


Run = Callable[..., None]
CHECKS: dict[str, Check] = {}


def check(
    *, needs: tuple[str, ...] = (), rests_on: tuple[str, ...] = ("no-crash",), given: Run = lambda trial: None
) -> Callable[[Run], Run]:
    """Register a function under its own name, `mask_soundness` as "mask-soundness".

    By default a check takes for granted that nothing crashes.

    Args:
        needs: Hooks without which the check cannot run.
        rests_on: Checks without whose success it says nothing.
        given: Raises NotRun where the check cannot judge a trial.
    """

    def register(run: Run) -> Run:
        name = run.__name__.replace("_", "-")
        CHECKS[name] = Check(name, run, needs, rests_on, given)
        return run

    return register
