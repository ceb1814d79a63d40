"""What a GPU plays and how fast: digests of play beside those of the processor, rates, targets and training.

    python -m benchmarks.device --out results/device.json

Meant to take less than six minutes on 16 cores (no GPU has run it yet), compiling included, which each game does in a
process of its own. A decision counts when its action is drawn, played, and its mask and observation are there. Without
a GPU, the processor runs a few lanes of the same kernels (`ptx.py`); its rates mean nothing, but every line runs:

    python -m benchmarks.device jie-long --device cpu --tiny          # everything
    python -m benchmarks.device --device cpu --tiny --only-digests    # 1,015 decisions of every game
"""

import argparse
import functools
import hashlib
import inspect
import itertools
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from benchmarks import ptx
from gupai_agents import make_agent
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.play.workers import cores
from gupai_env import GAMES, VectorEnv
from gupai_env.core import cuda
from gupai_env.core.game import Game
from gupai_env.cuda_vector import CudaVectorEnv
from gupai_training import train
from gupai_training.config import parse
from gupai_training.learner import SelfPlay
from gupai_training.network import Network, build_network
from gupai_training.scorer import Scorer
from gupai_training.search_targets import Kind, TargetMaker
from gupai_training.true_hand_targets import chips_in_deals, chips_played_out

PROCESSOR = "processor"  # instead of a device
SEED = 3
ARRAYS = "seats", "masks", "observations", "rewards", "terminated", "seeds", "episodes", "states"


class Sizes(NamedTuple):
    """How much is played: lanes and decisions in a digest, lanes, seconds and tables of a rate, minutes of training."""

    lanes: tuple[int, ...]
    steps: int
    many: int
    seconds: float
    tables: int
    minutes: float


FULL = Sizes((1, 1000, 65536), 60, 1 << 18, 2.0, 1 << 14, 1.0)
TINY = Sizes((200, 3), 5, 3, 0.0, 2, 0.001)


def _where_it_says(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of a `device` run kernels there: on "cpu" the processor runs them in place of a GPU."""

    @functools.wraps(function)
    def run(*arguments: Any, **named: Any) -> Any:
        device = inspect.signature(function).bind(*arguments, **named).arguments["device"]
        before, cuda.stand_in = cuda.stand_in, ptx.load if device == "cpu" else None
        try:
            return function(*arguments, **named)
        finally:
            cuda.stand_in = before

    return run


def main() -> None:
    """Print digests, rates and the pace of training, and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=list(GAMES))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a few lanes, for the processor")
    parser.add_argument("--only-digests", action="store_true")
    parser.add_argument("--out", type=Path, help="JSON file")
    chosen = parser.parse_args()
    sizes, device = TINY if chosen.tiny else FULL, chosen.device
    gpu = torch.cuda.get_device_name(device) if device != "cpu" else "the processor in its place"
    results: dict[str, Any] = {"gpu": gpu, **sizes._asdict()}
    parts: list[Callable[[], dict[str, Any]]]
    if chosen.only_digests:
        parts = [lambda: {"games": {game: compared(game, sizes, device) for game in chosen.games}}]
    else:
        parts = [
            lambda: {"games": side_by_side(chosen.games, sizes, device)},
            lambda: {"targets_per_second": {kind.name: targets(kind, sizes, device) for kind in Kind if kind}},
            lambda: {"ppo_decisions_per_second": learning(sizes, device)},
            lambda: {"training": {stage: training(stage, sizes, device) for stage in ("self-play", "true hands")}},
        ]
    for part in parts:
        results |= part()
        text = json.dumps(results, indent=1)
        if chosen.out:
            chosen.out.write_text(text + "\n", encoding="utf-8")  # after each part, should a later one fail
    print(text)


def side_by_side(games: list[str], sizes: Sizes, device: str) -> dict[str, Any]:
    """Compare and measure games, each in a process, which compiles: all rates are measured after all digests."""
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(len(games), context) as pool:
        together = manager.Barrier(len(games)), manager.Lock()
        rows = [pool.submit(play, game, sizes, device, *together) for game in games]
        failed = {
            game: {"error": str(row.exception())} for game, row in zip(games, rows, strict=True) if row.exception()
        }
        return {game: row.result() for game, row in zip(games, rows, strict=True) if game not in failed} | failed


def play(game: str, sizes: Sizes, device: str, digested: Any, alone: Any) -> dict[str, Any]:
    """Compare a game with the processor and measure it; `digested`: a barrier for all games, `alone`: a lock."""
    try:
        torch.set_num_threads(1)
        begun = time.monotonic()
        same = compared(game, sizes, device)
        won, by_processor = (network_chips(game, sizes.lanes[:2][-1], where) for where in (device, PROCESSOR))
        equal = float((won == by_processor)[~np.isnan(by_processor)].mean())
        row = {"same": same, "equal_network_chips": equal, "seconds": round(time.monotonic() - begun, 1)}
        print(game, row, flush=True)
    finally:
        digested.wait()
    with alone:
        row |= {"million_decisions_per_second": random_play(game, sizes, device)}
        print(game, row, flush=True)
    return row


def compared(game: str, sizes: Sizes, device: str) -> dict[str, list[bool]]:
    """Return whether a device plays what the processor does, for each digest of `digests`."""
    played, own = digests(game, sizes, device), digests(game, sizes, PROCESSOR)
    same = {name: [mine == theirs for mine, theirs in zip(played[name], own[name], strict=True)] for name in own}
    print(game, same, flush=True)
    return same


@_where_it_says
def digests(game: str, sizes: Sizes, device: str) -> dict[str, list[str]]:
    """Return digests of the play of some numbers of lanes, and of chips of targets in the first two."""
    make = VectorEnv if device == PROCESSOR else functools.partial(CudaVectorEnv, device=device)
    played = [digest(make(game, lanes, seed=SEED), sizes.steps) for lanes in sizes.lanes]
    tried = [hashlib.sha256(chips(game, lanes, device).tobytes()).hexdigest() for lanes in sizes.lanes[:2]]
    return {"play": played, "chips": tried}


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


def positions(game: str, lanes: int) -> tuple[VectorEnv, np.ndarray, np.ndarray]:
    """Return lanes in play, their states and their masks."""
    envs = VectorEnv(game, lanes, seed=SEED, skip_forced=True)
    for number in range(2):
        envs.step(envs.sample(number))
    return envs, envs.states.copy(), envs.masks.copy()


def torch_device(device: str) -> torch.device:
    """Return a device as torch knows it."""
    return torch.device("cpu" if device == PROCESSOR else device)


@_where_it_says
def chips(game: str, lanes: int, device: str) -> np.ndarray:
    """Return what actions win in some lanes, played out by heuristics, float64 [lanes, num_actions]."""
    envs, states, masks = positions(game, lanes)
    weights = [envs.game.heuristic(name) for name in envs.game.heuristics]
    pairs, played_by = np.array([[weights[0], other] for other in weights]), np.arange(lanes) % len(weights)
    return chips_in_deals(envs.game, envs.rules, pairs, played_by, states, masks, 1, torch_device(device))


@_where_it_says
def network_chips(game: str, lanes: int, device: str) -> np.ndarray:
    """Return what actions win in some lanes, played out by networks that draw, and against heuristics."""
    envs, states, masks = positions(game, lanes)
    own, other = (network(envs.game, [32, 32], seed).drawing() for seed in range(2))
    scorer, rival = (Scorer(player, torch_device(device), torch.float32) for player in (own, other))
    others = [make_agent("greedy", game), make_agent("random", game), rival.player(other)]
    played_by = np.arange(lanes) % (1 + len(others))
    return chips_played_out(envs.game, envs.variant, scorer, others, played_by, states, masks, sample=True)


def network(game: Game, hidden: list[int], seed: int) -> NetworkAgent:
    """Return a network that has learned nothing."""
    torch.manual_seed(seed)
    net = {"type": "gated", "hidden": hidden, "activation": "relu"}
    tensors = Network(net, game.encoder.layout.high, game.num_actions).tensors()
    return NetworkAgent("network", game, net, tensors, sample=False)


@_where_it_says
def random_play(game: str, sizes: Sizes, device: str) -> float:
    """Measure millions of random decisions per second, one in every lane per call."""
    envs, draw = CudaVectorEnv(game, sizes.many, seed=SEED, device=device), itertools.count().__next__
    calls = per_second(lambda: envs.step(envs.sample(draw())), sizes.seconds, device)
    return round(calls * sizes.many / 1e6, 3)


def per_second(call: Callable[[], Any], seconds: float, device: str) -> float:
    """Return how often something can be done per second, after a first time."""

    def wait() -> None:
        if device != "cpu":
            torch.cuda.synchronize(device)

    call()
    wait()
    number, begun = 0, time.monotonic()
    while not number or time.monotonic() - begun < seconds:
        call()
        wait()
        number += 1
    return number / (time.monotonic() - begun)


@_where_it_says
def targets(kind: Kind, sizes: Sizes, device: str) -> float:
    """Measure true-hand targets per second in Deer Hunt, by heuristics or by the network of its configuration."""
    settings = {"game": "deer-hunt", "decisions": 0, "expert_iteration": {"targets": 1, "tables": sizes.tables}}
    config = parse(settings, "benchmark")
    maker = TargetMaker(config, threads=cores(), device=torch_device(device))
    player, numbers, made = network(maker.heuristic.game, config.net["hidden"], SEED), itertools.count(), []
    rate = per_second(lambda: made.append(maker.targets(player, next(numbers), kind)), 5 * sizes.seconds, device)
    return round(rate * float(np.mean([len(batch.means) for batch in made[1:]])), 1)


@_where_it_says
def learning(sizes: Sizes, device: str) -> float:
    """Measure the learner's decisions per second in self-play in Jie Long, all that an update takes included."""
    ppo = {"envs": sizes.lanes[-1], "batch_size": 1 << 16}
    config = parse({"game": "jie-long", "decisions": 10**12, "device": device, "ppo": ppo}, "benchmark")
    learner = SelfPlay(config, build_network(config))
    with learner.running():
        rate = per_second(learner.step, 5 * sizes.seconds, device)
    return round(rate * learner.count / learner.updates, 1)


@_where_it_says
def training(stage: str, sizes: Sizes, device: str) -> dict[str, float]:
    """Train in Jie Long for half of the minutes; return what the last row of the metrics says."""
    minutes, evaluation = sizes.minutes / 2, {"baselines": ["greedy"], "deals": 20, "final_deals": 4}
    learning = {"targets": 10**12, "max_minutes": minutes, "true_hands": 1, "tables": sizes.tables}
    stages: dict[str, Any] = {
        "self-play": {"decisions": 10**12, "max_minutes": minutes, "ppo": {"envs": sizes.lanes[-1]}},
        "true hands": {"decisions": 0, "expert_iteration": {**learning, "self_rollouts": 0.5}},
    }
    with tempfile.TemporaryDirectory() as folder:
        settings = {"game": "jie-long", "device": device, "evaluation": evaluation, **stages[stage]}
        row = train(settings, runs=folder).metrics()[-1]
    return {name: row[name] for name in ("decisions", "targets", "seconds")}


if __name__ == "__main__":
    main()
