"""The same deals and the same play on every road: lanes and AEC, compiled and plain, this process and another."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation import build_tree, duel
from gupai_agents.evaluation.exact import tree as exact
from gupai_agents.gymnasium_envs import SeatEnv, SeatVectorEnv
from gupai_env import GAMES, VectorEnv
from gupai_env.aec import GupaiEnv
from gupai_env.deals import Deals
from variants import PAIR_NAMES, PAIRS
from walks import envs_of, options_of

every_variant = pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)


def choose(masks: np.ndarray, states: np.recarray) -> np.ndarray:
    """A legal action per lane that depends on nothing but the lane's own episode and decision."""
    mixed = (states.seed >> 20) * 3 + states.moves * 7919
    nth = mixed % masks.sum(1)
    return (masks.cumsum(1) > nth[:, None]).argmax(1).astype(np.int16)


def played(envs: VectorEnv, steps: int) -> Iterator[tuple]:
    """Before each decision the turns of all lanes, then the action and what it brought."""
    for _ in range(steps):
        turns = [array.copy() for array in (envs.seats, envs.masks, envs.observations, envs.states)]
        actions = choose(envs.masks, envs.states)
        payoffs, terminated = envs.step(actions)
        yield *turns, actions, payoffs.copy(), terminated.copy()


@every_variant
def test_lane_equals_the_single_environment_move_by_move(game, variant):
    envs = envs_of(game, variant, 2, seed=43)
    for lane in range(2):
        env = GupaiEnv(game, **options_of(variant))
        env.reset(seed=int(envs.seeds[lane]))
        envs.reset(43)
        for seats, masks, observations, _, actions, payoffs, terminated in played(envs, 45):
            assert env.agent_selection == f"seat_{seats[lane]}"
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(seen["action_mask"], masks[lane])
            np.testing.assert_array_equal(seen["observation"], observations[lane])
            env.step(int(actions[lane]))
            assert list(env.rewards.values()) == payoffs[lane, : variant.players].tolist()
            assert all(env.terminations.values()) == terminated[lane]
            if terminated[lane]:
                env.reset()


def everything(game: str) -> list:
    """Some figures of all that plays a game: lanes, the single environment, players, matches, Gymnasium."""
    envs = VectorEnv(game, 2, seed=3, deals=2)
    for step in range(20):
        envs.step(envs.sample(step))
    envs.play_random(20, 5)
    views, rng_keys = envs.views()
    drawn = envs.game.new_states(2)
    envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
    found = [envs.observations.sum(), envs.states.total.tolist(), drawn.seed.tolist()]

    env = GupaiEnv(game)
    env.reset(seed=1)
    for agent in env.agent_iter():
        mask = env.last()[-1]["action_mask"]
        env.step(None if env.terminations[agent] else int(mask.argmax()))
    found.append(env.state().sum())

    for name in dict.fromkeys(agent_names(game)[at] for at in (0, 1, -2, -1)):
        found.append(duel(game, make_agent(name, game), make_agent("random", game), 1).chips.tolist())
    seat = SeatEnv(game, opponents="greedy")
    seat.reset(seed=2)
    terminated = False
    while not terminated:
        _, reward, terminated, *_ = seat.step(int(seat.action_masks().argmax()))
        found.append(reward)
    tables = SeatVectorEnv(game, 2)
    tables.reset(seed=2)
    for _ in range(10):
        observations, rewards, *_ = tables.step(tables.action_masks().argmax(1))
        found.append([observations.sum(), rewards.tolist()])
    return found


def some_of(deals: Deals) -> Deals:
    """Some deals of all, for plain rules are slow."""
    return Deals(deals.states[::32].copy(), deals.probabilities[::32])


def fingerprints() -> str:
    """`everything` of every game, and exact search of some deals of one."""
    all_deals = exact.all_deals
    with mock.patch.object(exact, "all_deals", lambda *game, **options: some_of(all_deals(*game, **options))):
        tree = build_tree("ding-niu", deck="tiny", players=2, leader=0)
    values = tree.values(tree.policy([make_agent("greedy", "ding-niu")] * 2))
    figures = {game: everything(game) for game in GAMES} | {"exact": [tree.nodes, tree.sets, *values]}
    return json.dumps(figures, default=float)


def test_plain_python_equals_compiled_play_everywhere():
    here = Path(__file__).parent
    plain = subprocess.run(
        [
            sys.executable,
            "-W",
            "error::RuntimeWarning",  # numbers of a few bits that overflow, as they do not in compiled code
            "-c",
            "import compiled_at_once, numba, test_same_play; assert numba.config.DISABLE_JIT; "
            "print(test_same_play.fingerprints())",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *sys.path]), "NUMBA_DISABLE_JIT": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(plain.stdout) == json.loads(fingerprints())
