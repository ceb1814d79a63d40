"""What `import gupai_env` brings along, and what learns of the games later."""

import subprocess
import sys

import pytest

from gupai_env import GAMES
from gupai_env.games import OURS

HEAVY = ("gymnasium", "llvmlite", "numba", "pettingzoo", "scipy", "torch")


def printed(code: str) -> str:
    """Run code in a process of its own; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_import_brings_no_compiler_and_no_registry():
    code = "import sys, gupai_env, gupai_env.game, gupai_env.render"
    assert printed(f"{code}; print([name for name in {HEAVY} if name in sys.modules])") == "[]"


def test_games_are_imported_when_they_are_asked_for():
    code = "import sys, gupai_env; gupai_env.VectorEnv('tiu-u', 1); 'pai-gow' in gupai_env.GAMES"
    assert (
        printed(f"{code}; print([name for name in {list(OURS)} if 'gupai_env.games.' + name in sys.modules])")
        == "['tiu_u']"
    )


def test_versions_known_before_games_are_imported_are_theirs():
    assert {name: GAMES[name.replace("_", "-")].version for name in OURS} == OURS


@pytest.mark.parametrize(
    "packages",
    ["gupai_env, gymnasium, pettingzoo", "gymnasium, gupai_env, pettingzoo", "pettingzoo, gupai_env", "gupai_env.aec"],
)
def test_registries_know_the_games_whichever_package_is_imported_first(packages):
    code = f"""
import {packages}
from gymnasium import registry
from pettingzoo import aec_registry
print(sum(name.startswith("gupai/") for name in registry), sum(name.startswith("gupai/") for name in aec_registry))
"""
    assert printed(code) == "10 10"
