"""How fast searches decide, compare moves and value them: python -m benchmarks.search [GAME ...] --against CHECKOUT.

Decisions per second of processor time with PLAYOUTS playouts in one thread, of the decisions in random play that are a
choice: what a player does (`act`), what hints and reviews do (`compare`), and what puzzles and search targets do
(`values` without halving). With another checkout of gupai, both are measured in alternation, one process each: printed
are the medians of ROUNDS, the median of the ratios, and in how many decisions both play the same or find the same best.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

from gupai_agents.play.workers import machine
from gupai_env.games import GAMES

PLAYOUTS, ROUNDS, DECISIONS = 200, 3, 24
WAYS = ("act", "compare", "values")
HERE = Path(__file__).parents[1]
# Answers a line of input, the name of a game and a way, by the seconds and what was found.
WORKER = """
import json, sys, time
import numpy as np
from gupai_agents import DecisionBatch, make_agent
from gupai_agents.agent import concatenated
from gupai_env.core import compiling
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
compiling.PLAIN_SECONDS = 0
playouts, decisions = map(int, sys.argv[1:])
prepared = {}
def prepare(name):
    game = get_game(name)
    envs, batches, remaining = VectorEnv(game, 64), [], decisions
    while remaining:
        envs.play_random(3, len(batches) + 1)
        choices = np.flatnonzero(envs.masks.sum(1) > 1)[: min(16, remaining)]
        views, rng_keys = envs.views(choices)
        batches.append(DecisionBatch(views.copy(), envs.masks[choices].copy(), rng_keys.copy()))
        remaining -= len(choices)
    return make_agent(f"search:playouts={playouts},threads=1", game), concatenated(batches)
for line in sys.stdin:
    name, way = line.split()
    if name not in prepared:
        prepared[name] = prepare(name)
        prepared[name][0].act(prepared[name][1].at(np.arange(1)))  # compiles
    agent, batch = prepared[name]
    start = time.process_time()
    if way == "act":
        found = agent.act(batch)
    else:
        values = agent.compare(batch) if way == "compare" else agent.values(batch, halving=False)
        found = np.where(values.deals == values.deals.max(1, keepdims=True), values.means, -np.inf).argmax(1)
    print(json.dumps([time.process_time() - start, found.tolist()]), flush=True)
"""


class Worker:
    """A process that searches with the code of a checkout."""

    def __init__(self, checkout: Path) -> None:
        paths = os.pathsep.join(str(checkout / part) for part in ("", "agents", "training"))
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(PLAYOUTS), str(DECISIONS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=checkout,
            env=os.environ | {"PYTHONPATH": paths},
        )

    def search(self, game: str, way: str) -> tuple[float, list[int]]:
        """Return decisions per second of processor time, and the action of each."""
        assert self.process.stdin is not None and self.process.stdout is not None
        print(game, way, file=self.process.stdin, flush=True)
        seconds, actions = json.loads(self.process.stdout.readline())
        return len(actions) / seconds, actions


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES), metavar="GAME")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="CHECKOUT", help="may be repeated")
    options = parser.parse_args()
    workers = [Worker(checkout.resolve()) for checkout in (*options.against, HERE)]
    print("; ".join(f"{name} {value}" for name, value in machine().items()))
    for game in options.games:
        for way in WAYS:
            rounds = [[worker.search(game, way) for worker in workers] for _ in range(ROUNDS + 1)][1:]
            rates = [[rate for rate, _ in answers] for answers in rounds]
            medians = [statistics.median(column) for column in zip(*rates, strict=True)]
            ratios = [statistics.median(own[-1] / own[index] for own in rates) for index in range(len(workers) - 1)]
            same = [sum(map(int.__eq__, rounds[0][-1][1], other)) for _, other in rounds[0][:-1]]
            print(
                f"{game:14}{way:9}"
                + "".join(f"{median:10,.1f}" for median in medians)
                + "".join(f"{ratio:7.2f} x" for ratio in ratios)
                + "".join(f"{count:6} of {DECISIONS} the same" for count in same),
                flush=True,
            )


if __name__ == "__main__":
    main()
