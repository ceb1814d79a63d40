"""How fast the engine is on this machine; medians of several runs.

python -m benchmarks.speed jie-long         # --json: one JSON object
python -m benchmarks.speed --all            # every game
"""

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.gymnasium_envs import SeatVectorEnv
from gupai_agents.play.playouts import playouts
from gupai_agents.play.workers import cores, machine
from gupai_agents.players.heuristics import RANDOM
from gupai_app.shell.screen import put, table_of
from gupai_env.aec import GupaiEnv
from gupai_env.core.compiling import at_once
from gupai_env.core.game import Game
from gupai_env.core.kernels import blank_arrays
from gupai_env.core.rng import derive, draw
from gupai_env.games import GAMES, get_game
from gupai_env.vector import VectorEnv

ENVS = (1, 256, 4096, 65536)
SHARED = (256, 4096, 65536)  # lanes that several threads share out
RUNS = 5
RUN_SECONDS = 0.2  # at least, a run
FRESH_RUNS = 3
STEPS = 32  # actions a lane in one call of `play_random`, at least,
CALL = 65536  # and decisions in all
COUNTED = (
    "A decision is one action of one seat: choosing a random legal one, playing it, dealing again where a deal ends, "
    "and writing the next mask (and observation). Lanes are stepped from Python, envs.step(envs.sample(key)), "
    f"but for `play_random`, which plays {STEPS} actions a lane or more in one call, {CALL:,} in all. Playouts are "
    "`greedy` in all seats inside the compiled loop, masks and views only. Learner decisions are those of one random "
    "seat against `greedy` in gymnasium.make_vec, 4,096 lanes; the decisions of the others come on top. AEC counts "
    "PettingZoo's agent_iter, last and step, observation and mask included. Seconds are the processor's; threads are "
    "compared on the clock, in turns. The first step is a new process from its start through import and deal to one "
    "step, compiled code from the disk cache; the first move of an AEC game is plain Python. Memory is the most that "
    "this process had, on Linux, and that of all arrays of a lane."
)
FIRST_STEP = """
import numpy as np
from gupai_env import make_vec
table = make_vec({game!r}, 4096)
table.step(table.sample(0))
"""


FIRST_MOVE = """
import pathlib, time
from gupai_env.aec import GupaiEnv
imported = time.process_time()
env = GupaiEnv({game!r})
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
seconds = time.process_time() - imported
status = pathlib.Path("/proc/self/status")  # of Linux alone
peaks = [line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line] if status.exists() else [0]
print(imported, seconds, 1024 * int(peaks[0]))
"""


class Figure(NamedTuple):
    """One measurement, the median of all runs."""

    game: str
    what: str
    value: float
    unit: str  # "decisions/s" or "x", where more is better; "s" or "bytes", where less is


def rate(run: Callable[[int], int], clock: Callable[[], float] = time.process_time) -> float:
    """Return decisions per second of one run; `run(call)` plays some and returns how many."""
    decisions, call, begin = 0, 0, clock()
    while (seconds := clock() - begin) < RUN_SECONDS:
        call += 1
        decisions += run(call)
    return decisions / seconds


def median_rate(run: Callable[[int], int]) -> float:
    """Return decisions per second of the processor, the median of RUNS runs."""
    with at_once():
        run(0)  # compiles
    return statistics.median(rate(run) for _ in range(RUNS))


def stepping(game: Game, num_envs: int, observe: bool = True, threads: int = 1) -> Callable[[int], int]:
    """Return a run of a batch of lanes stepped from Python."""
    table = VectorEnv(game, num_envs, observe=observe, threads=threads)
    steps = max(1, 4096 // num_envs)  # so that reading the clock does not matter

    def run(call: int) -> int:
        for step in range(steps):
            table.step(table.sample(call * steps + step))
        return steps * num_envs

    return run


def playing(game: Game, num_envs: int, threads: int = 1) -> Callable[[int], int]:
    """Return a run of `play_random`."""
    table = VectorEnv(game, num_envs, threads=threads)
    steps = max(STEPS, CALL // num_envs)

    def run(call: int) -> int:
        table.play_random(steps, call)
        return steps * num_envs

    return run


def speedup(one: Callable[[int], int], all_threads: Callable[[int], int]) -> float:
    """Return how many times as fast the second run is, on the clock; the median of pairs of runs in turns."""
    with at_once():
        one(0)
        all_threads(0)
    return statistics.median(
        rate(all_threads, time.perf_counter) / rate(one, time.perf_counter) for _ in range(2 * RUNS)
    )


def playing_out(game: Game, num_envs: int = 4096) -> Callable[[int], int]:
    """Return a run that deals and plays all lanes out in the compiled loop, `greedy` in all seats."""
    envs = VectorEnv(game, num_envs, observe=False)
    line_ups = np.full((num_envs, game.max_seats), RANDOM + 1, np.int16)
    heuristics = game.heuristic("greedy")[None]

    def run(call: int) -> int:
        envs.episodes[:] = call
        envs.begin()
        return playouts(game).finish(envs.rules, heuristics, envs.states, line_ups)

    return run


def learner_rate(game: Game, num_envs: int = 4096) -> float:
    """Return the learner's decisions per second against `greedy` in a native vector environment."""
    env = SeatVectorEnv(game, num_envs, opponents="greedy")
    env.reset(seed=1)

    def run(call: int) -> int:
        env.step(env.action_space.sample())
        return num_envs

    return median_rate(run)


def search_rate(game: Game, num_envs: int = 64) -> float:
    """Return the decisions per second of a search with 200 playouts, of those in random play that are a choice."""
    agent, envs = make_agent("search:playouts=200,threads=1", game), VectorEnv(game, num_envs)

    def run(call: int) -> int:
        envs.play_random(1 + call, call)
        choices = envs.masks.sum(1) > 1
        views, rng_keys = envs.views(choices)
        agent.act(DecisionBatch(views, envs.masks[choices], rng_keys))
        return len(rng_keys)

    return median_rate(run)


def aec_rate(game: Game) -> float:
    """Return the decisions per second of one PettingZoo game after another."""
    env = GupaiEnv(game)

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


def first_move(game: Game) -> tuple[float, float, float]:
    """Return the processor's seconds of a new process up to the import of an AEC game and for its first move, and the
    most memory that it had, bytes (0 on systems other than Linux).
    """
    code = FIRST_MOVE.format(game=game.id)
    runs = (
        subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
        for _ in range(FRESH_RUNS)
    )
    imports, moves, memory = zip(*(map(float, run.stdout.split()) for run in runs), strict=True)
    return statistics.median(imports), statistics.median(moves), statistics.median(memory)


def figures(game: Game) -> Iterator[Figure]:
    """Measure a game, one figure after another."""
    for num_envs in ENVS:
        for observe in (True, False):
            seen = "observation and mask" if observe else "mask"
            label = f"{num_envs} lane{'s' * (num_envs > 1)}, {seen}"
            yield Figure(game.id, label, median_rate(stepping(game, num_envs, observe)), "decisions/s")
    for num_envs in SHARED:
        rate = median_rate(playing(game, num_envs))
        yield Figure(game.id, f"play_random, {num_envs} lanes", rate, "decisions/s")
        for how, make in (("play_random", playing), ("stepped", stepping)):
            times = speedup(make(game, num_envs), make(game, num_envs, threads=cores()))
            yield Figure(game.id, f"{how}, {num_envs} lanes, {cores()} threads against 1", times, "x")
    for label, measure in {
        "playouts, greedy": lambda: median_rate(playing_out(game)),
        "learner decisions, make_vec against greedy": lambda: learner_rate(game),
        "search:playouts=200, one thread": lambda: search_rate(game),
        "AEC, agent_iter": lambda: aec_rate(game),
    }.items():
        yield Figure(game.id, label, measure(), "decisions/s")
    yield Figure(game.id, "first step in a new process", first_step_seconds(game), "s")
    imported, moved, memory = first_move(game)
    yield Figure(game.id, "start of a process and import of an AEC game", imported, "s")
    yield Figure(game.id, "first move of an AEC game after import", moved, "s")
    if memory:
        yield Figure(game.id, "memory of that process", memory, "bytes")
    lane = sum(array.nbytes for array in blank_arrays(game, 1).values())
    yield Figure(game.id, "memory of a lane", lane, "bytes")


def show(measured: Sequence[Figure]) -> None:
    """Print what was measured, and on which machine."""
    table = table_of("game", "what", "decisions/s")
    formats = {"decisions/s": "{:,.0f}", "x": "{:.2f} x", "s": "{:,.2f} s", "bytes": "{:,.0f} bytes"}
    for figure in measured:
        table.add_row(figure.game, figure.what, formats[figure.unit].format(figure.value))
    here = "; ".join(f"{name} {value}" for name, value in machine().items())
    put(table, f"{here}.", f"Medians of {RUNS} runs. {COUNTED}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=["jie-long"], type=get_game, metavar="GAME")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    games = GAMES.values() if options.all else [get_game(game) for game in options.games]
    measured = [figure for game in games for figure in figures(game)]
    if options.json:
        content = {"machine": machine(), "counted": COUNTED, "runs": RUNS}
        print(json.dumps(content | {"figures": [figure._asdict() for figure in measured]}, indent=2))
    else:
        show(measured)


if __name__ == "__main__":
    main()
