"""Compares the machine code that ships with numba's, cold and warm: `python -m benchmarks.shipped [GAME ...]`.

Run `python tools/machine_code.py` first. Cold: processor seconds of whole commands, with what they wait for, by code
that ships, by numba with its files on disk, and by numba with nothing compiled. Warm: decisions per second of processor
time in 4,096 lanes, in one lane, and in an AEC game, in alternation, the median of ROUNDS; and the ratio of the two.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping

from gupai_env.core.shipped import SWITCH, shipped
from gupai_env.games import GAMES

ROUNDS = 5
NUMBA = {SWITCH: "numba"}
COMMANDS = {
    "import": ("-c", "import gupai_env"),
    "a lane's first step": ("-c", "from gupai_env import VectorEnv; e = VectorEnv('{game}', 1); e.step(e.sample(0))"),
    "to the first question of a game": ("-m", "gupai_app", "play", "{game}", "--seed", "1"),
    "a first hint": ("-m", "gupai_app", "play", "{game}", "--seed", "1"),
    "a tournament": ("-m", "gupai_app", "tournament", "{game}", "random", "greedy", "--deals", "1000"),
}
TYPED = {"to the first question of a game": "q\n", "a first hint": "!\nq\n"}
WARM = """
import time
from gupai_env.core import compiling
compiling.PLAIN_SECONDS = 0
from gupai_env import VectorEnv
from gupai_env.aec import GupaiEnv
def rate(run, decisions):
    run()
    best = 0
    for _ in range(3):
        start, made = time.process_time(), 0
        while (spent := time.process_time() - start) < 0.25:
            run()
            made += decisions
        best = max(best, made / spent)
    return best
lanes, lane = VectorEnv("{game}", 4096), VectorEnv("{game}", 1)
env = GupaiEnv("{game}")
def steps():
    for key in range(200):
        lane.step(lane.sample(key))
def game():
    env.reset(seed=0)
    for turn in env.agent_iter():
        observation, _, over, cut, _ = env.last()
        env.step(None if over or cut else int(observation["action_mask"].argmax()))
env.reset(seed=0)
decisions = 0
for turn in env.agent_iter():
    observation, _, over, cut, _ = env.last()
    decisions += not (over or cut)
    env.step(None if over or cut else int(observation["action_mask"].argmax()))
print(rate(lambda: lanes.play_random(16, 1), 16 * 4096), rate(steps, 200), rate(game, decisions))
"""


def seconds(words: tuple[str, ...], typed: str, environment: Mapping[str, str]) -> float:
    """Return the processor seconds of a command and of the processes that it has waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *words], input=typed, env=os.environ | environment, capture_output=True, text=True
    )
    if done.returncode not in (0, 130):
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rates(game: str, environment: Mapping[str, str]) -> list[float]:
    """Return decisions per second in 4,096 lanes, one lane and an AEC game, in a process of its own."""
    words = [sys.executable, "-c", WARM.replace("{game}", game)]
    done = subprocess.run(words, env=os.environ | environment, capture_output=True, text=True, check=True)
    return [float(number) for number in done.stdout.split()]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    games = parser.parse_args().games
    if not shipped().calling:
        sys.exit("there is no machine code here: python tools/machine_code.py")
    with tempfile.TemporaryDirectory() as cache:
        print(f"{'':34}{'ships':>8}{'numba':>8}{'nothing compiled':>18}   processor seconds, {games[0]}")
        for name, command in COMMANDS.items():
            words = tuple(word.replace("{game}", games[0]) for word in command)
            with tempfile.TemporaryDirectory() as empty:
                cold = seconds(words, TYPED.get(name, ""), NUMBA | {"NUMBA_CACHE_DIR": empty})
            ways = ({}, NUMBA | {"NUMBA_CACHE_DIR": cache})
            times = [[seconds(words, TYPED.get(name, ""), way) for way in ways] for _ in range(ROUNDS)]
            ships, numba = (statistics.median(column) for column in zip(*times, strict=True))
            print(f"{name:34}{ships:8.2f}{numba:8.2f}{cold:18.2f}", flush=True)
    print(f"\n{'decisions per second':18}{'4,096 lanes':>26}{'one lane':>26}{'AEC':>26}   ships, numba, ratio")
    for game in games:
        both = [[rates(game, way) for way in ({}, NUMBA)] for _ in range(ROUNDS)]
        columns = zip(*(zip(*pair, strict=True) for pair in both), strict=True)
        medians = [[statistics.median(side) for side in zip(*column, strict=True)] for column in columns]
        print(f"{game:18}" + "".join(f"{a:12,.0f}{b:12,.0f}{a / b:6.2f}" for a, b in medians), flush=True)


if __name__ == "__main__":
    main()
