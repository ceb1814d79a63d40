"""Checks of seeds: what repeats, what must not, and in which process and which lane."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from pettingzoo import AECEnv

from gupai_env.testing.games import Game, difference, frozen, mask_of, snapshot
from gupai_env.testing.hooks import LaneGame
from gupai_env.testing.report import NotRun
from gupai_env.testing.second_process import answer_of, job_of, reply_of
from gupai_env.testing.trial import Trial, Turn, check

DEALS = 8  # to compare where the question is whether they differ at all


def require_chance(trial: Trial) -> None:
    if not trial.hooks.chance:
        raise NotRun("the game has no chance (Hooks.chance is False)")


@check(needs=("rules",), rests_on=())
def plain_rules(trial: Trial, rules: Callable[..., Sequence[str]]) -> None:
    """Every rule stays within its arrays, and writes to all that it has to fill and to nothing else."""
    trial.notes += answer_of(trial, rules)


@check(rests_on=("plain-rules",))
def no_crash(trial: Trial) -> None:
    """Random games do not end the process that plays them; what else goes wrong is for the other checks to say."""
    reply_of(trial, *job_of(trial))


@check()
def global_rng(trial: Trial) -> None:
    """Playing neither uses nor moves the global generators of `random` and `numpy.random`."""
    first = trial.seeds[0]
    seen: list[list[Turn]] = []
    for number in (1, 1, 2):
        with _global_generators_seeded(number):
            before = random.getstate(), frozen(np.random.get_state())
            seen.append(trial.transcript(trial.fresh(first)))
            after = random.getstate(), frozen(np.random.get_state())
            for name, one, other in zip(("random", "numpy.random"), before, after, strict=True):
                trial.fail_if(one != other, f"the game moves the global generator of {name}", move=0)
    if seen[0] == seen[1]:  # else the game does not repeat anyhow, which is for other checks to say
        trial.compare(seen[1], seen[2], "when the global generators are seeded differently")


@contextmanager
def _global_generators_seeded(number: int) -> Iterator[None]:
    """Seed the global generators, and afterwards put them back as they were."""
    states = random.getstate(), np.random.get_state()
    random.seed(number)
    np.random.seed(number)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])


@check()
def seed_repeats(trial: Trial) -> None:
    """`reset(seed)` gives the same deal every time, in a new environment as in a used one, seed 0 too."""
    used = trial.make_env()
    used.reset(seed=trial.seeds[-1] + 1)
    for seed in dict.fromkeys((0, *trial.seeds)):
        trial.play_out(Game(used, seed))  # to leave behind whatever a game leaves behind
        for name, other in (("another new", trial.make_env()), ("a used", used)):
            dealt = snapshot(trial.fresh(seed).env)
            other.reset(seed=seed)
            if mismatch := difference(dealt, snapshot(other)):
                trial.fail(f"{mismatch} differs in {name} environment that is reset with the same seed")


@check(rests_on=("seed-repeats",))
def replay_round_trip(trial: Trial) -> None:
    """The same seed and the same moves give the same game, also in an environment that has played before."""
    used = trial.play_out(trial.fresh(trial.seeds[-1] + 1))
    for seed in trial.seeds:
        game = trial.fresh(seed)
        seen = trial.transcript(game)
        used.env.reset(seed=seed)
        trial.require_same(seen, Game(used.env, seed), game.actions, "when the same moves are played again")


@check(rests_on=("replay-round-trip",))
def second_process(trial: Trial) -> None:
    """The same seed gives the same game, and what is dealt again is the same, where strings hash differently."""
    play, *arguments = job_of(trial)
    games = zip(*(answer_of(trial, play, *arguments), play(*arguments, lambda *_: None, trial.seeds)), strict=True)
    for seed, (there, here) in zip(trial.seeds, games, strict=True):
        trial.fresh(seed)
        trial.compare([Turn(*turn) for turn in here], [Turn(*turn) for turn in there], "in a second process")


@check(rests_on=("seed-repeats",))
def episodes_repeat(trial: Trial) -> None:
    """After `reset(seed)` the episodes that follow by `reset()` are the same every time."""
    for seed in trial.seeds:
        seen, repeat = _next_deals(trial, seed), _next_deals(trial, seed)
        trial.compare(seen, repeat, "when the seed is used again")


def _next_deals(trial: Trial, seed: int) -> list[Turn]:
    """The deals that follow a game with this seed, each but the last played out."""
    env, deals = trial.fresh(seed).env, []
    for episode in (2, 3, 4):
        trial.play_out(Game(env, seed))
        env.reset()
        deals.append(Turn(0, snapshot(env), f" in episode {episode}"))
    return deals


@check(rests_on=("seed-repeats",))
def seeds_differ(trial: Trial) -> None:
    """Different seeds give different games."""
    require_chance(trial)
    moves_seed, games = trial.seeds[0], []
    for seed in range(trial.seeds[0], trial.seeds[0] + DEALS):
        game = trial.fresh(seed)
        game.seed = moves_seed  # choose alike, so that only the deal can make a difference
        games.append([frozen(turn.shown) for turn in trial.transcript(game)])
    if all(game == games[0] for game in games):
        trial.fail(f"{DEALS} seeds from {trial.seeds[0]} on all give the same game", move=0)


@check(rests_on=("seeds-differ",))
def episodes_differ(trial: Trial) -> None:
    """`reset()` without a seed moves on to another game."""
    require_chance(trial)
    game = trial.fresh(trial.seeds[0])
    deals = []
    for _ in range(DEALS):
        deals.append(frozen(snapshot(game.env)))
        game.env.reset()
    trial.fail_if(all(deal == deals[0] for deal in deals), f"{DEALS} episodes in a row are dealt alike", move=0)


@check(needs=("lane_games",), rests_on=("replay-round-trip",))
def lanes_equal_single(trial: Trial, lane_games: Callable[..., Sequence[LaneGame]]) -> None:
    """A lane of a batch shows and pays what the single environment does with the lane's seed and moves."""
    games = [trial.fresh(seed) for seed in trial.seeds]
    singles = [[_turn(game.env) for _ in trial.play(game)][: len(game.moves)] for game in games]
    envs = lane_games(list(trial.seeds), [game.actions for game in games])
    for game, single, lane in zip(games, singles, envs, strict=True):
        trial.game = game
        trial.fail_if(len(single) != len(lane.turns), f"its lane has {len(lane.turns)} turns, not {len(single)}")
        for move, (one, other) in enumerate(zip(single, lane.turns, strict=True)):
            for name, here, there in zip(("seat to act", "observation", "mask"), one, other, strict=True):
                if not np.array_equal(here, there):
                    trial.fail(f"the {name} in its lane differs from the single environment's", one[0], move)
        if game.seat_to_act() is None:
            trial.require_equal(trial.payoffs(game), lane.payoffs, "it is paid {}, but {} in its lane")


def _turn(env: AECEnv) -> tuple[str, Any, np.ndarray]:
    """The seat to act, its observation without the mask, and its mask."""
    agent = env.agent_selection
    observation = env.observe(agent)
    if isinstance(observation, Mapping) and "observation" in observation:
        observation = observation["observation"]
    return agent, np.copy(observation), np.array(mask_of(env, agent))
