"""What a GPU plays and how fast: digests of play beside those of the processor, rates, and a minute of training.

    python -m benchmarks.device --out results/device.json

In under six minutes, compiling included. A decision counts when its action is drawn, played, and its mask and
observation are there. Without a GPU, numba's simulator plays a few lanes, each thread as plain Python:

    NUMBA_ENABLE_CUDASIM=1 python -m benchmarks.device --device cpu --lanes 3 --steps 6 --only-digests
"""

import argparse
import hashlib
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gupai_env import GAMES, VectorEnv
from gupai_env.cuda_vector import CudaVectorEnv
from gupai_training import train

SEED = 3
ARRAYS = "seats", "masks", "observations", "rewards", "terminated", "seeds", "episodes", "states"
FAST = 1 << 18  # lanes whose rate is measured
SECONDS = 3.0


def main() -> None:
    """Print digests, rates and the pace of training, and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--lanes", type=int, nargs="+", default=[1, 1000, 65536], help="of which digests are compared")
    parser.add_argument("--steps", type=int, default=100, help="decisions of a lane in a digest")
    parser.add_argument("--only-digests", action="store_true")
    parser.add_argument("--out", type=Path, help="JSON file")
    chosen = parser.parse_args()
    results: dict[str, Any] = {"digests": {}, "rates": {}}
    for game in chosen.games:
        digests = [
            digest(CudaVectorEnv(game, lanes, seed=SEED, device=chosen.device), chosen.steps) for lanes in chosen.lanes
        ]
        results["digests"][game] = digests
        if not chosen.only_digests:
            same = digests == [digest(VectorEnv(game, lanes, seed=SEED), chosen.steps) for lanes in chosen.lanes]
            results["rates"][game] = {"same_as_the_processor": same, **rates(game, chosen.device)}
            print(game, results["rates"][game], flush=True)
    if not chosen.only_digests:
        results |= {"gpu": torch.cuda.get_device_name(), "lanes": chosen.lanes, "steps": chosen.steps}
        results["training"] = training(chosen.device)
    text = json.dumps(results, indent=1)
    if chosen.out:
        chosen.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)


def digest(envs: Any, steps: int) -> str:
    """Return a digest of all that lanes of the processor or a GPU show in random play, views and redeals included."""
    hashed = hashlib.sha256()

    def show(array: Any) -> None:
        hashed.update((array if isinstance(array, np.ndarray) else array.cpu().numpy()).tobytes())

    for number in range(steps):
        actions = envs.sample(number)
        views, rng_keys = envs.views()
        if isinstance(envs, VectorEnv):
            states = envs.game.new_states(envs.num_envs)
            envs.kernels.determinize(envs.rules, views, rng_keys, states)
        else:
            states = envs.determinize(views, rng_keys).cpu().numpy().view(envs.game.state)
        for array in (actions, views, rng_keys, envs.observed_by(1), *(getattr(envs, name) for name in ARRAYS)):
            show(array)
        for name in states.dtype.names:  # not the bytes between fields, which nothing writes
            show(np.ascontiguousarray(states[name]))
        envs.step(actions)
    envs.play_random(3, SEED)
    for name in ARRAYS:
        show(getattr(envs, name))
    return hashed.hexdigest()


def rates(game: str, device: str) -> dict[str, float]:
    """Measure millions of decisions per second, step by step and in one call, and the seconds of compiling."""
    begun = time.monotonic()
    envs = CudaVectorEnv(game, FAST, seed=SEED, device=device)
    envs.step(envs.sample(0))
    envs.play_random(1, 0)
    compiling, steps, number = time.monotonic() - begun, 0, 1
    begun = time.monotonic()
    while time.monotonic() - begun < SECONDS:
        envs.step(envs.sample(number))  # which waits for the GPU
        number += 1
    stepped = number / (time.monotonic() - begun)
    begun = time.monotonic()
    while time.monotonic() - begun < SECONDS:
        envs.play_random(100, steps)
        torch.cuda.synchronize()
        steps += 100
    within = steps / (time.monotonic() - begun)
    millions = {"by_steps": stepped * FAST / 1e6, "in_one_call": within * FAST / 1e6}
    return {"compiling_seconds": round(compiling, 1), **{name: round(rate, 1) for name, rate in millions.items()}}


def training(device: str) -> dict[str, float]:
    """Train by self-play for a minute, with the rules on the processor and the network on the GPU; return the rate."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"game": "jie-long", "decisions": 10**12, "device": device, "max_minutes": 1.0}
        row = train(settings, runs=folder).metrics()[-1]
    return {"decisions_a_second": row["decisions"] / row["seconds"]}


if __name__ == "__main__":
    main()
