"""Another process, with another hash seed, in which games are played first: `serve` is that process.

Lines of JSON go both ways. Parent to child: {"id": number, "path": sys.path, "job": (function, arguments), pickled, in
base64}. Child to parent, each with the id of its job: {"at": [seed, move, what is done next]} any number of times, so
that the parent knows where a child has died, then {"answer": ...}, {"finding": [seed, move, seat, what differs]} or
{"error": one sentence}. One child serves the session, with the modules that it imported first.
"""

import atexit
import base64
import contextlib
import functools
import hashlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np

from gupai_env.core.compiling import at_once
from gupai_env.testing.games import Game, Snapshot, snapshot
from gupai_env.testing.hooks import Hooks, Place
from gupai_env.testing.report import ConformanceError, NotRun
from gupai_env.testing.trial import MakeEnv, Trial, next_deal_repeats

_numbers = itertools.count(1)
CHECKED = "with NUMBA_BOUNDSCHECK=1 in its environment a compiled rule says which index is outside an array"


def play_games(make_env: MakeEnv, hooks: Hooks, place: Place, seeds: Sequence[int]) -> list[list[Any]]:
    """The turns of some games, one list for each seed, with a fingerprint in place of each thing that they show.

    Args:
        make_env: makes the environment.
        hooks: `max_moves`, and perhaps `redeal`: then a turn also has what the seats see once what each cannot know is
            dealt again.
        place: takes the seed, the moves made and what is done next.
        seeds: of the games.
    """
    trial, games = Trial("", make_env, hooks, seeds), []
    next_deal_repeats(make_env, seeds[0])  # here, as it may not be asked while a game is under way
    for seed in seeds:
        place(seed, 0, "reset")
        dealt: list[Snapshot] = []

        def look(game: Game, dealt: list[Snapshot] = dealt) -> None:
            dealt.append({})
            for agent in game.env.agents if hooks.redeal else ():
                place(game.seed, len(game.moves), f"dealing again what {agent} cannot know")
                rng = np.random.default_rng([game.seed, len(game.moves), 5])
                other = snapshot(hooks.redeal(game.env, agent, rng))  # type: ignore[misc]
                dealt[-1] |= {f"{name}, dealt again for {agent} by the same numbers,": other[name] for name in other}
            place(game.seed, len(game.moves), f"observing and the move of {game.env.agent_selection}")

        turns = trial.transcript(trial.fresh(seed), poke=look)
        for turn, seen in zip(turns, dealt, strict=False):
            turn.shown.update(seen)
        games.append([[turn.move, {name: _digest(turn.shown[name]) for name in turn.shown}, turn.of] for turn in turns])
    return games


def _digest(value: object) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


def job_of(trial: Trial) -> tuple[Any, ...]:
    """The job of playing the games of a trial; a hook that cannot be sent is left out."""
    hooks = Hooks(max_moves=trial.hooks.max_moves, redeal=trial.hooks.redeal)
    try:
        ForkingPickler.dumps(hooks)
    except Exception:
        hooks = replace(hooks, redeal=None)
    return play_games, trial.make_env, hooks


def reply_of(trial: Trial, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Call a function in the other process, with what takes its place and with the seeds; return its last line.

    Raises:
        ConformanceError: The process has died, and where.
        NotRun: It cannot be sent there.
    """
    try:
        job = bytes(ForkingPickler.dumps((function, arguments, list(trial.seeds))))
    except Exception:
        raise NotRun("make_env cannot be sent to a second process: make it an importable function") from None
    if b"__main__" in job:
        raise NotRun("make_env lives in the main script: move it to a module for a second process to import")
    reply = _ask(job)
    if "died" in reply:
        raise ConformanceError(trial.check, *reply["died"])
    return reply


def answer_of(trial: Trial, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns in the other process; raises as `reply_of`, and what it found or raised."""
    reply = reply_of(trial, function, *arguments)
    if "finding" in reply:
        raise ConformanceError(trial.check, *reply["finding"])
    if "error" in reply:
        trial.fail(f"the second process could not play: {reply['error']}")
    return reply["answer"]


@functools.lru_cache(1)  # two checks ask for the same games
def _ask(job: bytes) -> dict[str, Any]:
    """Return the last line that answers a job, or where the process has died meanwhile."""
    child, number = _child(), next(_numbers)
    assert child.stdin
    assert child.stdout
    question = {"id": number, "path": sys.path, "job": base64.b64encode(job).decode()}
    place = [None, None, "the beginning"]
    with contextlib.suppress(BrokenPipeError):
        child.stdin.write(json.dumps(question).encode() + b"\n")
        child.stdin.flush()
    while line := child.stdout.readline():
        reply: dict[str, Any] = json.loads(line)
        if reply["id"] != number:
            continue  # of a job that was interrupted here
        if "at" not in reply:
            return reply
        place = reply["at"]
    _child.cache_clear()
    status = child.wait()
    how = signal.Signals(-status).name if status < 0 else f"exit status {status}"
    return {"died": [*place[:2], None, f"its process died ({how}) during {place[2]}; {CHECKED}"]}


@functools.cache
def _child() -> subprocess.Popen[bytes]:
    hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", f"from {__name__} import serve; serve()"]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    atexit.register(_end, child)
    return child


def _end(child: subprocess.Popen[bytes]) -> None:
    child.communicate()


def serve() -> None:
    """Do the jobs that the lines of standard input bring, until it closes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever an environment prints must not get between the answers
    for line in sys.stdin.buffer:
        question = json.loads(line)

        def tell(number: int = question["id"], **reply: Any) -> None:
            print(json.dumps({"id": number, **reply}), file=answers, flush=True)

        try:
            sys.path[:] = question["path"]
            function, arguments, seeds = ForkingPickler.loads(base64.b64decode(question["job"]))
            with at_once():
                tell(answer=function(*arguments, lambda *place, tell=tell: tell(at=place), seeds))
        except ConformanceError as finding:
            tell(finding=[finding.seed, finding.move, finding.seat, finding.what])
        except Exception as error:
            tell(error=f"{type(error).__name__}: {' '.join(str(error).split())[:500]}")
