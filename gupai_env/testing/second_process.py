"""The same games in another process, with another hash seed: `serve` is that process.

Lines of JSON go both ways. Parent to child: {"path": sys.path, "job": (make_env, seeds, max_moves,
next_deal_repeats), pickled, in base64}. Child to parent: {"games": for each seed the digests of its turns} or
{"error": one sentence}. One child serves the session, with the modules that it imported first.
"""

import atexit
import base64
import functools
import hashlib
import json
import os
import subprocess
import sys
from multiprocessing.reduction import ForkingPickler

from gupai_env.testing.games import Snapshot
from gupai_env.testing.hooks import Hooks
from gupai_env.testing.report import NotRun
from gupai_env.testing.trial import Trial, Turn


def digests(turn: Turn) -> Snapshot:
    """A turn with a fingerprint in place of each thing that it shows."""
    return {name: hashlib.sha256(repr(value).encode()).hexdigest() for name, value in turn.shown.items()}


def games_in_second_process(trial: Trial) -> list[list[Snapshot]]:
    """The digests of all turns of the trial's games, one list for each seed, as another process sees them."""
    job = (trial.make_env, list(trial.seeds), trial.hooks.max_moves, trial.next_deal_repeats)
    try:
        pickled = bytes(ForkingPickler.dumps(job))
    except Exception:
        raise NotRun("make_env cannot be sent to a second process: make it an importable function") from None
    if b"__main__" in pickled:
        raise NotRun("make_env lives in the main script: move it to a module for a second process to import")
    child = _child()
    assert child.stdin
    assert child.stdout
    question = {"path": sys.path, "job": base64.b64encode(pickled).decode()}
    child.stdin.write(json.dumps(question).encode() + b"\n")
    child.stdin.flush()
    line = child.stdout.readline()
    if not line:
        _child.cache_clear()
        trial.fail("the second process died while it played")
    answer = json.loads(line)
    if "error" in answer:
        trial.fail(f"the second process could not play: {answer['error']}")
    return answer["games"]


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
    """Play the games that the lines of standard input ask for, until it closes."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever an environment prints must not get between the answers
    for line in sys.stdin.buffer:
        try:
            question = json.loads(line)
            sys.path[:] = question["path"]
            make_env, seeds, max_moves, repeats = ForkingPickler.loads(base64.b64decode(question["job"]))
            trial = Trial("second-process", make_env, Hooks(max_moves=max_moves), seeds, repeats)
            games = [[digests(turn) for turn in trial.transcript(trial.fresh(seed))] for seed in seeds]
            answer: dict[str, object] = {"games": games}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
