"""`check_env`: all checks on one environment, and a report in which nothing is skipped in silence."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from gymnasium.spaces import Discrete
from pettingzoo import AECEnv

from gupai_env.testing import mask_checks, payoff_checks, purity_checks, refusal_checks, secrecy_checks, seed_checks  # noqa: F401, each registers its checks
from gupai_env.testing.hooks import Hooks
from gupai_env.testing.report import ConformanceError, NotRun, Report, Result
from gupai_env.testing.trial import CHECKS, Check, MakeEnv, Stopwatch, Trial, next_deal_repeats

APART = ("plain-rules", "no-crash")  # they run in another process, and nothing runs in this one where they fail
PLAYED = 4  # times that a check plays each of its games, more or less


def check_env(
    make_env: MakeEnv,
    hooks: Hooks | None = None,
    *,
    games: int = 5,
    seed: int = 0,
    checks: Sequence[str] | None = None,
    budget: float | None = None,
) -> Report:
    """Hold an environment to every check and report what passed, what failed and what could not be judged.

    Args:
        make_env: makes an AEC environment with Discrete actions; called as `make_env()`, and with
            `render_mode=...` where it takes that.
        hooks: what is known of the game; see `Hooks`.
        games: games of random legal moves that each check plays.
        seed: their seeds are seed, seed + 1 and so on.
        checks: names of the checks to run; all of `CHECKS` if None.
        budget: seconds for all of them together, for a game with thousands of actions or long games. Fewer games
            are played then, evenly chosen positions looked at and random actions tried; the report says how
            many. It may take longer: each check plays one game at least.

    Returns:
        A Report; `str()` of it is for reading, `raise_for_failures()` for a test.

    Raises:
        ValueError: For an unknown check, a number of games below 1, or an environment that is not AEC with Discrete
            actions.
    """
    ordered = _ordered(checks, games, budget)
    hooks = hooks or Hooks()
    results: dict[str, Result] = {}
    apart = [name for name in ordered if name in APART]
    with _quiet_pettingzoo():
        for name in apart:  # what may end a process does so before anything is made in this one
            seeds = range(seed, seed + (games if budget is None else 1))
            results[name] = _judge(CHECKS[name], Trial(name, make_env, hooks, seeds), results)
        unsafe = any(result.status == "failed" for result in results.values())
        env: Any = getattr(make_env, "func", make_env).__name__ if unsafe else make_env()
        if not unsafe:
            _require_discrete_aec(env)
            next_deal_repeats(make_env, seed)  # here, as it may not be asked while a game is under way
        played, playing, ends = games, 0.0, monotonic()
        if budget is not None and not unsafe:
            ends += budget
            game_takes = PLAYED * _seconds_of_a_game(Trial("", make_env, hooks, [seed]))
            played = max(1, min(games, int(budget / 2 / len(ordered) / game_takes)))
            playing = played * game_takes
        for number, name in enumerate(ordered[len(apart) :], len(apart)):
            share = max(0.0, ends - monotonic()) / (len(ordered) - number)
            stopwatch = Stopwatch(None if budget is None else max(share - playing, share / 2))
            trial = Trial(name, make_env, hooks, range(seed, seed + played), stopwatch)
            results[name] = _judge(CHECKS[name], trial, results)
    return Report(str(env), tuple(results.values()), f"{played} of {games} games" if played < games else "")


def _ordered(checks: Sequence[str] | None, games: int, budget: float | None) -> list[str]:
    """The checks to run, each after those on which it rests; raises ValueError for what `check_env` cannot do."""
    chosen = list(CHECKS) if checks is None else list(checks)
    if unknown := [name for name in chosen if name not in CHECKS]:
        raise ValueError(f"no check is called {', '.join(unknown)}; there are {', '.join(CHECKS)}")
    if games < 1:
        raise ValueError(f"games is a whole number from 1, not {games!r}")
    if budget is not None and not 0 < budget < float("inf"):
        raise ValueError(f"budget is a number of seconds above 0, or None, not {budget!r}")
    return [name for name in _foundations_first() if name in chosen]


def _seconds_of_a_game(trial: Trial) -> float:
    """How long the first game takes, every seat observed at every move; never 0."""
    begun = monotonic()
    with suppress(Exception):  # what is wrong is for the checks to say
        trial.transcript(trial.fresh(trial.seeds[0]))
    return monotonic() - begun + 1e-6


def _foundations_first() -> list[str]:
    """The names of all checks, each after those on which it rests."""
    ordered: dict[str, None] = {}

    def place(name: str) -> None:
        for ground in CHECKS[name].rests_on:
            place(ground)
        ordered[name] = None

    for name in CHECKS:
        place(name)
    return list(ordered)


def _judge(check: Check, trial: Trial, earlier: dict[str, Result]) -> Result:
    missing = [hook for hook in check.needs if getattr(trial.hooks, hook) is None]
    if missing:
        return Result(check.name, "not run", reason=f"missing hook: {', '.join(missing)}")
    if broken := _broken_ground(check, earlier):
        return Result(check.name, "not run", reason=f"rests on {broken}, which failed")
    try:
        check.given(trial)
        check.run(trial, *(getattr(trial.hooks, hook) for hook in check.needs))
    except NotRun as why:
        return Result(check.name, "not run", reason=str(why))
    except ConformanceError as finding:
        return Result(check.name, "failed", finding)
    except Exception as accident:
        error = trial.error(f"the environment or a hook raised {type(accident).__name__}: {accident}")
        error.__cause__ = accident
        return Result(check.name, "failed", error)
    return Result(check.name, "passed", notes=(*trial.notes, *filter(None, [str(trial.stopwatch)])))


def _broken_ground(check: Check, earlier: dict[str, Result]) -> str | None:
    """The failed check, if any, on which this one rests, directly or through others."""
    for name in check.rests_on:
        if name in earlier and earlier[name].status == "failed":
            return name
        if broken := _broken_ground(CHECKS[name], earlier):
            return broken
    return None


def _require_discrete_aec(env: Any) -> None:
    if not isinstance(env, AECEnv):
        raise ValueError(f"make_env makes a {type(env).__name__}, not a pettingzoo AECEnv")
    for agent in env.possible_agents:
        if not isinstance(env.action_space(agent), Discrete):
            raise ValueError(f"the action space of {agent} is {env.action_space(agent)}, not Discrete")


@contextmanager
def _quiet_pettingzoo() -> Iterator[None]:
    """PettingZoo logs a line for every illegal move; the kit makes thousands on purpose."""
    logger = logging.getLogger("pettingzoo.utils.env_logger")
    was_disabled, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = was_disabled
