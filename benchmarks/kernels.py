"""Whether the networks that ship decide alike on other processors, whose matrix products differ in their last digits.

    python -m benchmarks.kernels

Each of them answers in the same positions, of `--deals` deals of random play, under several kernels of OpenBLAS.
"""

import argparse
import json
import os
import subprocess
import sys

from gupai_agents import make_agent
from gupai_agents.agent import ask
from gupai_agents.networks.checkpoint import read_header, variant_of
from gupai_agents.play.decisions import decisions, new_lanes
from gupai_agents.shipped import NETWORKS

KERNELS = "Nehalem", "Sandybridge", "Haswell", "SkylakeX"


def main() -> None:
    """Print how many decisions differ under each kernel from those under the first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=256, help="deals for each network")
    parser.add_argument("--kernels", nargs="+", default=KERNELS, metavar="KERNEL")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.answer:
        print(json.dumps(answers(chosen.deals)))
        return
    words = [sys.executable, "-m", "benchmarks.kernels", "--answer", "--deals", str(chosen.deals)]
    answers_by_kernel = {}
    for kernel in chosen.kernels:
        ran = subprocess.run(words, env={**os.environ, "OPENBLAS_CORETYPE": kernel}, stdout=subprocess.PIPE, check=True)
        answers_by_kernel[kernel] = json.loads(ran.stdout)
    first, *others = answers_by_kernel.values()
    for kernel, other in zip(chosen.kernels[1:], others, strict=True):
        differ = sum(a != b for a, b in zip(first, other, strict=True))
        print(f"{kernel}: {differ:,} of {len(first):,} decisions differ from those under {chosen.kernels[0]}")


def answers(deals: int) -> list[int]:
    """Return the actions of all networks that ship where they have a choice, in deals that are played at random."""
    chosen: list[int] = []
    for path in sorted(NETWORKS.glob("*.safetensors")):
        game, variant = variant_of(path, read_header(path))
        agent, envs = make_agent(f"checkpoint:{path}", game, **variant.changed()), new_lanes(game, variant, deals)
        envs.reset(seeds=range(deals))
        for move, (rows, batch, actions) in enumerate(decisions(envs, [])):
            some = batch.at(batch.masks.sum(1) > 1)
            if len(some.rng_keys):
                chosen += ask(agent, game, variant, some).tolist()
            actions[:] = envs.sample(move)[rows]
    return chosen


if __name__ == "__main__":
    main()
