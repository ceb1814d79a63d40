"""Checks that looking changes nothing, and that a copy is a copy."""

import copy
import inspect
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout
from multiprocessing.reduction import ForkingPickler  # what sends environments to worker processes
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from gupai_env.testing.games import Game, frozen
from gupai_env.testing.report import NotRun
from gupai_env.testing.trial import Trial, check


@check(rests_on=("replay-round-trip",))
def observe_purity(trial: Trial) -> None:
    """However often any seat is observed, the game and the next deal are the same."""

    def observe_seat(game: Game) -> None:
        for _ in range(2):
            for agent in game.env.agents:
                game.env.observe(agent)
            game.env.last()

    trial.same_game(observe_seat, "when the seats are observed more often")


@check(rests_on=("replay-round-trip", "observe-purity"))
def observation_alias(trial: Trial) -> None:
    """Observations are the caller's to keep: scribbling on one changes nothing, playing on changes none."""
    held: list[tuple[str, Any, Any]] = []

    def scribble(game: Game) -> None:
        if not game.moves:
            held.clear()
        for agent, observation, was in held:
            trial.fail_if(
                frozen(observation) != was, "an observation handed out earlier changed when the game continued", agent
            )
        held.clear()
        for agent in game.env.agents:
            for array in arrays(game.env.observe(agent)):
                if array.flags.writeable:
                    array[...] = array == 0
        for agent in game.env.agents:
            observation = game.env.observe(agent)
            held.append((agent, observation, frozen(observation)))

    trial.same_game(scribble, "after scribbling on returned observations")


def arrays(observation: Any) -> Iterator[np.ndarray]:
    """The arrays in an observation, however deep."""
    if isinstance(observation, np.ndarray):
        yield observation
    elif isinstance(observation, Mapping):
        for part in observation.values():
            yield from arrays(part)


@check(rests_on=("replay-round-trip",))
def render_purity(trial: Trial) -> None:
    """Rendering, in each mode, changes nothing: a game watched is the game played unwatched."""
    declared = tuple(trial.make_env().metadata.get("render_modes", ()))
    modes = trial.hooks.render_modes
    if modes is None:
        modes = tuple(mode for mode in declared if mode != "human")
    if left_out := [mode for mode in declared if mode not in modes]:
        trial.note(f"left out: render mode {', '.join(left_out)}")
    if not modes:
        raise NotRun("no render mode to try: metadata['render_modes'] names none except 'human'")
    try:
        inspect.signature(trial.make_env).bind(render_mode=modes[0])
    except TypeError:
        raise NotRun("make_env takes no render_mode") from None
    for mode in modes:
        for seed in trial.seeds:
            game = trial.fresh(seed)
            seen = trial.transcript(game)
            watched = trial.fresh(seed, render_mode=mode)
            trial.require_same(seen, watched, game.actions, f"when it is rendered as {mode}", _render)


def _render(game: Game) -> None:
    with redirect_stdout(io.StringIO()):
        game.env.render()


def _play_copies(trial: Trial, seed: int, duplicate: Callable[[AECEnv], AECEnv], way: str) -> None:
    """From every position a copy must play the rest of the game as recorded, and the original after it."""
    game = trial.fresh(seed)
    seen = trial.transcript(game)

    def play_a_copy(original: Game) -> None:
        twin = Game(duplicate(original.env), seed, list(original.moves))
        trial.require_same(seen[len(original.moves) :], twin, game.actions, f"in a copy by {way}")
        trial.game = original

    trial.require_same(seen, trial.fresh(seed), game.actions, f"once a copy by {way} was played", play_a_copy)


@check(rests_on=("replay-round-trip", "global-rng"))
def deepcopy_round_trip(trial: Trial) -> None:
    """A copy by `copy.deepcopy` plays on like the original and shares nothing with it."""
    for seed in trial.seeds:
        _play_copies(trial, seed, copy.deepcopy, "copy.deepcopy")


@check(rests_on=("replay-round-trip", "global-rng"))
def pickle_round_trip(trial: Trial) -> None:
    """A copy by pickle, as worker processes get it, plays on like the original."""
    for seed in trial.seeds:
        _play_copies(trial, seed, lambda env: ForkingPickler.loads(ForkingPickler.dumps(env)), "pickle")
