"""How fast the engine is on this machine, on one core; medians of several runs."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gupai_env.aec import GupaiEnv
from gupai_env.core.game import Game
from gupai_env.core.rng import derive, draw
from gupai_env.encoders import encoder_of
from gupai_env.vector import Lanes

LANES = (1, 256, 4096)
FIGURES = 2 * len(LANES) + 2  # measurements of a game
RUNS = 5
RUN_SECONDS = 0.2  # at least, a run
FRESH_RUNS = 3
COUNTED = (
    "A decision is one action of one seat: choosing a random legal one, playing it, dealing anew where a "
    "deal ends, and the next mask (and observation); seconds are the processor's. AEC counts PettingZoo's "
    "agent_iter, last and step, observation and mask included. The first step is a new process from its "
    "start through import and deal to one step, compiled code from the disk cache; seconds on the clock."
)
FIRST_STEP = """
import numpy as np
from gupai_env import lanes
table = lanes({game!r}, 4096)
table.step(table.sample(0))
"""


class Figure(NamedTuple):
    """One measurement: the median of all runs, and the target it should reach (None: there is none)."""

    game: str
    what: str
    value: float
    unit: str  # "decisions/s", where more is better, or "s", where less is
    target: float | None = None

    @property
    def reached(self) -> bool | None:
        """True if the target is reached."""
        if self.target is None:
            return None
        return self.value <= self.target if self.unit == "s" else self.value >= self.target


TARGETS = {
    ("jie-long", "4096 lanes, observation and mask"): 3e6,
    ("jie-long", "4096 lanes, mask"): 5e6,
    ("jie-long", "AEC, agent_iter"): 60e3,
    ("jie-long", "first step in a new process"): 2.0,
}


def machine() -> dict[str, str]:
    """Return what the figures depend on: processor and versions."""
    import numba

    cpu = platform.processor() or platform.machine()
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((line.partition(": ")[2] for line in lines if line.startswith("model name")), cpu)
    return {
        "cpu": cpu,
        "cores": f"1 used of {os.cpu_count()}",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
    }


def median_rate(run: Callable[[int], int]) -> float:
    """Return decisions a second, the median of RUNS runs; `run(call)` plays some and returns how many."""
    run(0)  # compiles what is not yet compiled
    rates = []
    for _ in range(RUNS):
        decisions, call, begin = 0, 0, time.process_time()
        while (seconds := time.process_time() - begin) < RUN_SECONDS:
            call += 1
            decisions += run(call)
        rates.append(decisions / seconds)
    return statistics.median(rates)


def lanes_rate(game: Game, num_lanes: int, observe: bool) -> float:
    """Return the decisions a second of a batch of lanes."""
    table = Lanes(game, num_lanes, observe=observe)
    steps = max(1, 4096 // num_lanes)  # so that reading the clock does not count

    def run(call: int) -> int:
        for step in range(steps):
            table.step(table.sample(call * steps + step))
        return steps * num_lanes

    return median_rate(run)


def aec_rate(game: Game) -> float:
    """Return the decisions a second of one PettingZoo game after another."""
    env = GupaiEnv(game, encoder_of(game))

    def run(call: int) -> int:
        env.reset(seed=call)
        decisions = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[draw(derive(call, decisions), 0, len(legal))])
            decisions += 1
        return decisions

    return median_rate(run)


def first_step_seconds(game: Game) -> float:
    """Return the seconds that a new process takes from its start to the end of its first step."""
    code = FIRST_STEP.format(game=game.id)
    seconds = []
    for _ in range(1 + FRESH_RUNS):
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[1:])  # the first run fills the disk cache if it must


def figures(game: Game) -> Iterator[Figure]:
    """Measure a game, one figure after another."""
    for num_lanes in LANES:
        for observe in (True, False):
            what = f"{num_lanes} lane{'s' * (num_lanes > 1)}, {'observation and ' * observe}mask"
            yield _figure(game, what, lanes_rate(game, num_lanes, observe), "decisions/s")
    yield _figure(game, "AEC, agent_iter", aec_rate(game), "decisions/s")
    yield _figure(game, "first step in a new process", first_step_seconds(game), "s")


def _figure(game: Game, what: str, value: float, unit: str) -> Figure:
    return Figure(game.id, what, value, unit, TARGETS.get((game.id, what)))
