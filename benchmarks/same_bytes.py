"""Compares what all kinds of code play, to the byte: `python -m benchmarks.same_bytes [GAME ...]`.

The kinds are the machine code that ships, at each level that is there and that this processor has, numba's, and plain
Python. Run `python tools/machine_code.py` first, with `--levels` for more levels than that of this processor. What is
compared: everything that lanes hold while they are played, with views and redeals; scores of a search; true-hand
targets; the actions of `best`, a trained player in most games; and the games that a tournament records.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.registry import make_agent
from gupai_env.core.shipped import LEVELS, SWITCH, shipped
from gupai_env.games import GAMES, get_game
from gupai_env.vector import VectorEnv
from gupai_training.true_hand_targets import chips_in_deals

LANES, STEPS = 20, 60
PLAIN = {"NUMBA_DISABLE_JIT": "1"}


def lanes(name: str, steps: int = STEPS) -> str:
    """Return the digest of all arrays, views and redeals while lanes are played at random."""
    game, digest = get_game(name), hashlib.sha256()
    envs = VectorEnv(game, LANES, seed=3)
    for number in range(steps):
        envs.step(envs.sample(number))
        views, rng_keys = envs.views()
        states = game.new_states(LANES)
        envs.kernels.determinize(envs.rules, views, rng_keys, states)
        for array in (*envs._arrays.values(), envs.observed_by(1), views, rng_keys, states):
            digest.update(array.tobytes())
    envs.play_random(steps, 7)
    digest.update(envs.states.tobytes())
    return digest.hexdigest()


def players(name: str) -> str:
    """Return the digest of a search's scores, of true-hand targets and of what `best` plays, in a few positions."""
    game, digest = get_game(name), hashlib.sha256()
    envs = VectorEnv(game, 2, seed=4)
    envs.play_random(5, 0)
    views, rng_keys = envs.views()
    batch = DecisionBatch(views, envs.masks & (envs.masks.cumsum(1) <= 2), rng_keys)
    for agent in ("search:playouts=2", "best"):
        digest.update(make_agent(agent, game).act(batch).tobytes())
    for array in make_agent("search:playouts=2", game).values(batch):
        digest.update(np.ascontiguousarray(array).tobytes())
    row = game.heuristic(next(iter(game.heuristics)))
    hands = envs.states.copy()
    tables, turns = np.array([[row] * 2]), np.zeros(2, np.int64)
    digest.update(chips_in_deals(game, envs.rules, tables, turns, hands, batch.masks, 1).tobytes())
    return digest.hexdigest()


def tournament(name: str) -> str:
    """Return the digest of the table of games that a tournament writes."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["-m", "gupai_app", "tournament", name, "random", "greedy", "--deals", "6", "--seed", "1"]
        words += ["--out", f"{folder}/games"]
        subprocess.run([sys.executable, *words], check=True, capture_output=True, cwd=folder)
        return hashlib.sha256(Path(folder, "games", "games.csv").read_bytes()).hexdigest()


PARTS = {function.__name__: function for function in (lanes, players, tournament)}


def digests(name: str, environment: dict[str, str]) -> list[str]:
    """Return the digests of all parts of a game, made by a process of its own."""
    words = [sys.executable, "-m", "benchmarks.same_bytes", "--parts", name]
    clean = {key: value for key, value in os.environ.items() if key != SWITCH}
    done = subprocess.run(words, env=clean | environment, capture_output=True, text=True)
    return done.stdout.split() if not done.returncode else sys.exit(f"{name}, {environment}:\n{done.stderr}")


def main() -> None:
    """Print a row for each game; end with an error if two kinds of code play differently."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--parts", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.parts:
        print(*(part(game) for game in options.games for part in PARTS.values()))
        return
    levels = [level for level in LEVELS[: shipped().level + 1] if (shipped().folder / level).exists()]
    if not levels:
        sys.exit("there is no machine code here: python tools/machine_code.py")
    ways = {level: {SWITCH: level} for level in levels} | {"numba": {SWITCH: "numba"}, "plain Python": PLAIN}
    print(f"{'':16}{'  '.join(PARTS)}   by {', '.join(ways)}")
    different = False
    for name in options.games:
        columns = list(zip(*(digests(name, environment) for environment in ways.values()), strict=True))
        words = [" != ".join(sorted({text[:8] for text in column})) for column in columns]
        print(f"{name:16}{'  '.join(words)}", flush=True)
        different |= any(len(set(column)) > 1 for column in columns)
    if different:
        sys.exit("what they play differs")


if __name__ == "__main__":
    main()
