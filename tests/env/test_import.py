"""What `import gupai_env` brings along, and what learns of the games later."""

import subprocess
import sys

import pytest

HEAVY = ("gymnasium", "llvmlite", "numba", "pettingzoo", "scipy", "torch")


def printed(code: str) -> str:
    """Run code in a process of its own; return what it prints."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_import_brings_no_compiler_and_no_registry():
    code = "import sys, gupai_env, gupai_env.game, gupai_env.render"
    assert printed(f"{code}; print([name for name in {HEAVY} if name in sys.modules])") == "[]"


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
