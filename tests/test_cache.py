"""Machine code is compiled once for a machine, and never again until a rules file changes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PLAY = """
import json

from gupai_env import Lanes

lanes = Lanes("jie-long", 20, seed=1, renew=False)
while not lanes.over.all():
    lanes.step(lanes.sample(int(lanes.states.moves[0])))
used = [kernel for kernel in lanes.kernels if kernel.signatures]
print(sum(sum(kernel.stats.cache_hits.values()) for kernel in used))
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in used))
print(json.dumps(lanes.states.payoff.tolist()))
"""


@pytest.fixture
def copy(tmp_path) -> Path:
    """A copy of the package that nobody has compiled."""
    shutil.copytree(ROOT / "gupai_env", tmp_path / "gupai_env", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def play(folder: Path) -> tuple[int, int, list]:
    """Play with the package in a folder in a process of its own: loops found, loops compiled, and payoffs."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        cwd=folder,
        env={**env, "PYTHONPATH": str(folder), "NUMBA_CACHE_DIR": str(folder / "cache")},
        check=True,
        capture_output=True,
        text=True,
    )
    found, compiled, payoffs = done.stdout.splitlines()
    return int(found), int(compiled), json.loads(payoffs)


def test_the_second_process_compiles_nothing_and_an_edited_rule_is_compiled_anew(copy):
    found, compiled, payoffs = play(copy)
    assert (found, compiled) == (0, 3)  # begin, show and play
    assert play(copy) == (3, 0, payoffs)

    rules = copy / "gupai_env" / "games" / "connecting" / "rules.py"
    rule = "out[seat] += state.points[other] - state.points[seat]"
    before = rules.read_text()
    assert before.count(rule) == 1
    rules.write_text(before.replace(rule, "out[seat] -= state.points[other] - state.points[seat]"))
    found, compiled, reversed_payoffs = play(copy)
    assert compiled == 3  # all loops of the game
    assert reversed_payoffs == [[-chips for chips in row] for row in payoffs]

    rules.write_text(before)
    assert play(copy) == (3, 0, payoffs)  # what was compiled first is still there
