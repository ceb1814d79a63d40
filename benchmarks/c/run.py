"""`python benchmarks/c/run.py`: Jie Long in our engine and in plain C, the same deals, measured in turns.

First both play the same random actions and every mask, observation and payoff is compared; then both are timed.
"""

import argparse
import ctypes
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from gupai_agents.play.workers import machine
from gupai_env.vector import VectorEnv

SOURCE = Path(__file__).with_name("jie_long.c")
COMPILE = [os.environ.get("CC", "gcc"), "-O3", "-march=native", "-std=gnu11", "-shared", "-fPIC"]
STEPS = 32  # actions a lane in a call of `play_random`, and in a round of the check
ARRAYS = ("seats", "masks", "observations", "rewards", "terminated")  # what a step writes, in both
WAYS = ("step(sample(key))", "play_random")


def build(folder: Path) -> ctypes.CDLL:
    """Compile the yardstick into `folder` and load it. Raises: SystemExit if the compiler is missing or fails."""
    library = folder / "jie_long.so"
    try:
        subprocess.run([*COMPILE, "-o", str(library), str(SOURCE)], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise SystemExit(f"the yardstick needs a C compiler: {error}") from None
    yardstick = ctypes.CDLL(str(library))
    yardstick.deal_size.restype = yardstick.step.restype = ctypes.c_int64
    yardstick.make_tables()
    return yardstick


class Table(ctypes.Structure):
    """`Table` of jie_long.c."""

    _fields_ = [("lanes", ctypes.c_int64)] + [
        (name, ctypes.c_void_p) for name in ("deals", "seeds", "episodes", *ARRAYS)
    ]


class Yardstick:
    """The deals of `VectorEnv("jie-long", num_envs, seed=seed)`, played in C; the same arrays and calls."""

    def __init__(self, library: ctypes.CDLL, num_envs: int, seed: int) -> None:
        ours = VectorEnv("jie-long", num_envs, seed=seed)
        self.seeds, self.episodes = ours.seeds.copy(), np.zeros(num_envs, np.int64)
        self.deals = np.zeros((num_envs, library.deal_size()), np.int8)
        for name in ARRAYS:
            setattr(self, name, np.zeros_like(getattr(ours, name)))
        self._actions = np.zeros(num_envs, np.int16)
        arrays = {name: getattr(self, name).ctypes.data for name in ("deals", "seeds", "episodes", *ARRAYS)}
        self._table = ctypes.byref(Table(num_envs, **arrays))
        self._library = library
        library.begin(self._table)

    def sample(self, key: int) -> np.ndarray:
        """Return one random legal action per lane, int16 [B], drawn from `key`."""
        self._library.sample(self._table, ctypes.c_int64(key), ctypes.c_void_p(self._actions.ctypes.data))
        return self._actions

    def step(self, actions: np.ndarray) -> None:
        """Play one action, int16, in every lane. Raises: ValueError for an illegal one, with nothing changed."""
        lane = self._library.step(self._table, ctypes.c_void_p(actions.ctypes.data))
        if lane >= 0:
            raise ValueError(f"lane {lane}: action {actions[lane]} is illegal")

    def play_random(self, steps: int, key: int) -> None:
        """Play `steps` random legal actions in every lane."""
        self._library.play_random(self._table, ctypes.c_int64(steps), ctypes.c_int64(key))


def compare(yardstick: Yardstick, ours: VectorEnv, rounds: int) -> int:
    """Play both tables in both ways and compare all that they write; return the decisions compared.

    Raises:
        ValueError: Naming the array and the first lane that differ.
    """

    def equal(when: str) -> None:
        for name in ARRAYS:
            differ = (getattr(yardstick, name) != getattr(ours, name)).reshape(ours.num_envs, -1).any(1)
            if differ.any():
                raise ValueError(f"{when}: {name} differ, first in lane {differ.argmax()}")

    equal("at the beginning")
    for key in range(rounds * STEPS):
        actions = ours.sample(key)
        if (actions != yardstick.sample(key)).any():
            raise ValueError(f"step {key}: the actions drawn differ")
        ours.step(actions)
        yardstick.step(actions.astype(np.int16))
        equal(f"after step {key}")
    for key in range(rounds):
        ours.play_random(STEPS, key)
        yardstick.play_random(STEPS, key)
        equal(f"after play_random {key}")
    return 2 * rounds * STEPS * ours.num_envs


def runs(table: VectorEnv | Yardstick) -> list[Callable[[int], None]]:
    """Return the two WAYS of playing STEPS actions a lane."""

    def step(call: int) -> None:
        for key in range(call * STEPS, (call + 1) * STEPS):
            table.step(table.sample(key))

    return [step, lambda call: table.play_random(STEPS, call)]


def rate(run: Callable[[int], None], num_envs: int, seconds: float) -> float:
    """Return decisions per second of processor time."""
    calls, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < seconds:
        run(calls)
        calls += 1
    return calls * STEPS * num_envs / spent


def measure(yardstick: Yardstick, ours: VectorEnv, rounds: int, seconds: float) -> list[dict]:
    """Return the median rates of both for each of the WAYS, taken in turns, and their median ratio."""
    rows = []
    for way, run, run_ours in zip(WAYS, runs(yardstick), runs(ours), strict=True):
        rates = [[rate(step, ours.num_envs, seconds) for step in (run, run_ours)] for _ in range(rounds)]
        rows.append(
            {
                "way": way,
                "c": statistics.median(c for c, _ in rates),
                "gupai": statistics.median(gupai for _, gupai in rates),
                "ratio": statistics.median(c / gupai for c, gupai in rates),
                "rounds": rates,
            }
        )
    return rows


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks/c/run.py", description=__doc__.partition(": ")[2])
    parser.add_argument("--lanes", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=7, help="measurements of each row; the median counts")
    parser.add_argument("--seconds", type=float, default=0.5, help="processor time of a measurement, at least")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    chosen = parser.parse_args()
    if chosen.lanes < 1 or chosen.rounds < 1:
        parser.error("there must be at least one lane and one round")
    return chosen


def main() -> None:
    """Build, compare, measure, print."""
    chosen = options()
    with tempfile.TemporaryDirectory() as folder:
        library = build(Path(folder))
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    yardstick = Yardstick(library, chosen.lanes, seed=1)
    ours = VectorEnv("jie-long", chosen.lanes, seed=1)
    try:
        compared = compare(yardstick, ours, rounds=4)
    except ValueError as error:
        raise SystemExit(f"C and the engine do not play the same game: {error}") from None
    print(f"{compared:,} decisions compared: the same masks, observations, payoffs and ends, byte for byte.")
    rows = measure(yardstick, ours, chosen.rounds, chosen.seconds)
    where = machine() | {"cores": f"1 of {os.cpu_count()}", "compiler": " ".join(COMPILE[:3])}
    print(f"{', '.join(f'{key} {value}' for key, value in where.items())};")
    print(f"{chosen.lanes:,} lanes, medians of {chosen.rounds} rounds of {chosen.seconds:g} s of processor time.\n")
    print("| decisions per second | C | gupai | C ÷ gupai |\n| --- | --- | --- | --- |")
    for row in rows:
        print(
            f"| {row['way']} | {row['c'] / 1e6:.2f} million | {row['gupai'] / 1e6:.2f} million | {row['ratio']:.2f} |"
        )
    if chosen.json:
        chosen.json.write_text(json.dumps({"machine": where, "compared": compared, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
