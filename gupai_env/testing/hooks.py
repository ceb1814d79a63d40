"""What the kit may ask about a game that PettingZoo's API does not show."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pettingzoo import AECEnv

Place = Callable[[int, int, str], None]  # is told the seed, the moves made and what is done next
REFUSALS = ("raise", "end", "ignore")  # what a step may do with an illegal action, see `Hooks.illegal`


@dataclass(frozen=True)
class Record:
    """One finished game, for the `score` hook.

    Attributes:
        seed: the seed of its reset.
        start: an environment just after that reset, before the first move.
        moves: (agent, action) pairs in order of play.
        end: the environment after the last move, before the finished seats are stepped away.
    """

    seed: int
    start: AECEnv
    moves: Sequence[tuple[str, int]]
    end: AECEnv


@dataclass(frozen=True)
class LaneGame:
    """One lane's game, from the `lane_games` hook.

    Attributes:
        turns: before each move the seat to act, its observation and its action mask.
        payoffs: by seat, at the end of the game.
    """

    turns: Sequence[tuple[str, Any, Any]]
    payoffs: Mapping[str, float]


@dataclass(frozen=True)
class Hooks:
    """Facts and functions of one game; everything is optional.

    Facts
        max_moves: moves after which a game must be over.
        expected_sum: what the payoffs of a game add up to; None if the game promises no sum.
        chance: False for a game without chance, where every deal is the same.
        deck: how often each tile exists, for `tiles`.
        illegal: what `step` may do with an action that is not legal: "raise" (raises one of `refusals`,
            nothing changes), "end" (the game is over and the mover's reward is negative, as with PettingZoo's
            TerminateIllegalWrapper), "ignore" (returns, nothing changes). Empty: it promises nothing.
        refusals: exceptions that count as a refusal, with a text of one line; any other is an accident
            (OverflowError is numpy's for a number that it cannot hold). Where nobody is to act, before the first
            reset and after the end, RuntimeError counts as well.
        render_modes: those to try; None for all in the metadata but "human", which may open a window.

    Functions; they never change the environment that they are given
        redeal(env, agent, rng): a copy in which all that `agent` cannot know is dealt again, at random and
            consistently with what it does know; its infos are made again as the environment makes them.
        hidden(env, agent): the tiles that `agent` cannot know, by the place where they lie, such as a seat's hand;
            asked as a game begins, without tiles that the seat can infer even then.
        sample(env, rng): a random legal action of the seat to act, as the environment draws it.
        shown(env, agent): whatever else the environment shows to that seat: its text table, its log; several things
            by name as a mapping.
        public(env): all that lies open, hashable. Two positions that differ in it must look different.
        rotate(env, k): the same freshly dealt game with the seats renamed: what was seat i is seat i + k.
        tiles(env): all tiles wherever they lie, as a Counter or an iterable.
        score(record): the payoffs by seat of a finished game, counted without the environment's own code.
        payoffs(env): the payoffs by seat as the finished environment itself states them.
        legal_actions(env): the legal actions by an independent reading of the rules.
        rules_accept(env, action): whether the rules allow an action, for rules that judge one at a time.
        lane_games(seeds, actions): play the i-th list of actions in the i-th lane of one batch, dealt from
            the i-th seed; returns a LaneGame for each.
        rules(place, seeds): play the games of the seeds by the rules alone, every index checked, and say by
            place(seed, move, rule) what is called next; return a list of what is worth saying, or raise a
            ConformanceError. It is called in another process.
        clone(env): an exact, independent copy. Without it the kit plays the same moves again from the seed.
    """

    max_moves: int = 1000
    expected_sum: float | None = 0.0
    chance: bool = True
    deck: Mapping[Any, int] | None = None
    illegal: tuple[str, ...] = REFUSALS
    refusals: tuple[type[Exception], ...] = field(default=(ValueError, TypeError, AssertionError, OverflowError))
    render_modes: tuple[str, ...] | None = None

    redeal: Callable[[AECEnv, str, np.random.Generator], AECEnv] | None = None
    hidden: Callable[[AECEnv, str], Mapping[str, Iterable[Any]]] | None = None
    sample: Callable[[AECEnv, np.random.Generator], int] | None = None
    shown: Callable[[AECEnv, str], Any] | None = None
    public: Callable[[AECEnv], Hashable] | None = None
    rotate: Callable[[AECEnv, int], AECEnv] | None = None
    tiles: Callable[[AECEnv], Iterable[Any]] | None = None
    score: Callable[[Record], Mapping[str, float]] | None = None
    payoffs: Callable[[AECEnv], Mapping[str, float]] | None = None
    legal_actions: Callable[[AECEnv], Iterable[int]] | None = None
    rules_accept: Callable[[AECEnv, int], bool] | None = None
    lane_games: Callable[[Sequence[int], Sequence[Sequence[int]]], Sequence[LaneGame]] | None = None
    rules: Callable[[Place, Sequence[int]], Sequence[str]] | None = None
    clone: Callable[[AECEnv], AECEnv] | None = None

    def __post_init__(self) -> None:
        unknown = [behaviour for behaviour in self.illegal if behaviour not in REFUSALS]
        if unknown or isinstance(self.illegal, str):
            raise ValueError(f"illegal is a tuple of {REFUSALS}, not {self.illegal!r}")
        if self.max_moves < 1:
            raise ValueError(f"max_moves is a whole number from 1, not {self.max_moves!r}")
