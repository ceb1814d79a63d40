"""The same deals and the same play on every road: lanes and AEC, compiled and plain, this process and another."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env import GAMES, Lanes, vector
from gupai_env.aec import GupaiEnv
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.lanes import STEP, Kernels
from gupai_env.core.rng import derive
from variants import VARIANT_NAMES, VARIANTS
from walks import lanes_of, options_of, sample

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
every_variant = pytest.mark.parametrize(("game", "variant"), VARIANTS, ids=VARIANT_NAMES)


def choose(masks: np.ndarray, states: np.recarray) -> np.ndarray:
    """A legal action per lane that depends on nothing but the lane's own episode and decision."""
    mixed = (states.seed >> 20) * 3 + states.moves * 7919
    nth = mixed % masks.sum(1)
    return (masks.cumsum(1) > nth[:, None]).argmax(1).astype(np.int16)


def played(lanes: Lanes, steps: int) -> Iterator[tuple]:
    """Before each decision the turns of all lanes, then the action and what it brought."""
    for _ in range(steps):
        turns = [array.copy() for array in (lanes.seats, lanes.masks, lanes.observations, lanes.states)]
        actions = choose(lanes.masks, lanes.states)
        payoffs, over = lanes.step(actions)
        yield *turns, actions, payoffs.copy(), over.copy()


@every_game
def test_a_lane_plays_alike_beside_any_number_of_others(game):
    thousand = list(played(Lanes(game, 1000, seed=41, deals=2), 45))
    for num_lanes in (1, 3, 64):
        for few, many in zip(played(Lanes(game, num_lanes, seed=41, deals=2), 45), thousand, strict=True):
            for mine, theirs in zip(few, many, strict=True):
                np.testing.assert_array_equal(mine, theirs[:num_lanes])


@every_game
def test_a_lane_plays_alike_wherever_it_lies(game):
    lanes, mirrored = Lanes(game, 9, seed=42), Lanes(game, 9)
    mirrored.reset(seeds=lanes.seeds[::-1])
    for forth, back in zip(played(lanes, 40), played(mirrored, 40), strict=True):
        for mine, theirs in zip(forth, back, strict=True):
            np.testing.assert_array_equal(mine, theirs[::-1])


@every_variant
def test_a_lane_is_the_single_environment_move_by_move_and_episode_by_episode(game, variant):
    lanes = lanes_of(game, variant, 3, seed=43)
    for lane in range(3):
        env = GupaiEnv(game, **options_of(variant))
        env.reset(seed=int(lanes.seeds[lane]))
        lanes.reset(43)
        for seats, masks, observations, _, actions, payoffs, over in played(lanes, 45):
            assert env.agent_selection == f"seat_{seats[lane]}"
            seen = env.observe(env.agent_selection)
            np.testing.assert_array_equal(seen["action_mask"], masks[lane])
            np.testing.assert_array_equal(seen["observation"], observations[lane])
            env.step(int(actions[lane]))
            assert list(env.rewards.values()) == payoffs[lane, : variant.players].tolist()
            assert all(env.terminations.values()) == over[lane]
            if over[lane]:
                env.reset()


@every_game
def test_a_reset_begins_the_same_episodes_again(game):
    lanes = Lanes(game, 20, seed=44)
    first = [each[3] for each in played(lanes, 40)]
    lanes.reset(45)
    other = lanes.states.copy()
    lanes.reset(44)
    again = [each[3] for each in played(lanes, 40)]
    np.testing.assert_array_equal(first, again)
    tiles = ADAPTERS[game.id].tile_sets
    assert (tiles(other) != tiles(first[0])).any(-1).all()


ARRAYS = ("states", "seats", "masks", "observations", "payoffs", "over", "episodes")


@every_game
def test_threads_and_calls_that_play_many_actions_change_nothing(game, monkeypatch):
    monkeypatch.setattr(vector, "WORTH_SHARING", 1)
    options = {"seed": 48, "deals": 2, "skip_forced": True}
    one_by_one, shared = Lanes(game, 37, **options), Lanes(game, 37, threads=3, **options)
    at_once = [Lanes(game, 37, **options), Lanes(game, 37, threads=2, **options)]
    for call in range(7):
        key = derive(49, call)
        for number in range(16):
            actions = one_by_one.sample(derive(key, number))
            np.testing.assert_array_equal(shared.sample(derive(key, number)), actions)
            one_by_one.step(actions)
            shared.step(actions)
        for lanes in at_once:
            lanes.play_random(16, key)
        for lanes in (shared, *at_once):
            for array in ARRAYS:
                np.testing.assert_array_equal(getattr(lanes, array), getattr(one_by_one, array))
    assert one_by_one.episodes.max() > 0


@every_game
def test_random_play_stops_where_the_episode_does(game):
    lanes = Lanes(game, 10, seed=50, renew=False)
    lanes.play_random(1000, 51)
    np.testing.assert_array_equal(lanes.states.over, 1)
    np.testing.assert_array_equal(lanes.over, True)
    np.testing.assert_array_equal(lanes.payoffs, 0)  # those of the last action, which was none
    np.testing.assert_array_equal(lanes.masks, False)
    still = lanes.states.copy()
    lanes.play_random(3, 52)
    np.testing.assert_array_equal(lanes.states, still)


def test_an_illegal_action_stops_all_threads(monkeypatch):
    monkeypatch.setattr(vector, "WORTH_SHARING", 1)
    lanes = Lanes("jie-long", 40, seed=53, threads=2)
    before = {array: getattr(lanes, array).copy() for array in ARRAYS}
    actions = lanes.sample(1)
    actions[33] = np.flatnonzero(~lanes.masks[33])[0]
    with pytest.raises(IllegalActionError, match="lane 33"):
        lanes.step(actions)
    for array, was in before.items():
        np.testing.assert_array_equal(getattr(lanes, array), was)


@pytest.mark.parametrize(("option", "value"), [("threads", 0), ("num_lanes", 0)])
def test_there_is_at_least_one_lane_and_one_thread(option, value):
    with pytest.raises(ValueError, match=f"{option}=0 is not allowed; there must be at least one"):
        Lanes("jie-long", **{"num_lanes": 1, option: value})


def test_random_play_plays_something():
    with pytest.raises(ValueError, match="steps=0 is not allowed"):
        Lanes("jie-long", 1).play_random(0, 1)


@every_variant
def test_the_plain_python_rules_are_the_compiled_ones(game, variant):
    compiled = lanes_of(game, variant, 2, seed=46, renew=False)
    plain = lanes_of(game, variant, 2, seed=46, renew=False)
    kernels = Kernels(*(kernel.py_func for kernel in plain.kernels))
    with np.errstate(all="raise"):
        kernels.begin(plain.rules, plain.table.view(np.recarray))
        for step in range(40):
            for array in ("states", "seats", "masks", "observations", "payoffs", "over"):
                np.testing.assert_array_equal(getattr(plain, array), getattr(compiled, array))
            actions, plain_actions = sample(compiled, step), np.zeros(2, np.int64)
            kernels.pick(plain.masks, step, plain_actions)
            np.testing.assert_array_equal(plain_actions, actions)
            if step % 8 == 0 and not compiled.over.any():
                views, keys = compiled.views()
                compare(game, compiled, kernels, views, keys)
            compiled.step(actions)
            kernels.play(plain.table.view(np.recarray), 0, 2, STEP, actions, 0, 0)


def compare(game: Game, lanes: Lanes, kernels: Kernels, views: np.recarray, keys: np.ndarray) -> None:
    """Views, keys of chance, observations and redealt states are the same in plain Python."""
    plain_views, plain_keys = np.zeros_like(views), np.zeros_like(keys)
    kernels.views(lanes.rules, lanes.states, plain_views, plain_keys)
    np.testing.assert_array_equal(plain_views, views)
    np.testing.assert_array_equal(plain_keys, keys)
    drawn, plain_drawn = game.new_states(len(views)), game.new_states(len(views))
    lanes.kernels.determinize(lanes.rules, views, keys, drawn)
    kernels.determinize(lanes.rules, views, keys, plain_drawn)
    np.testing.assert_array_equal(plain_drawn, drawn)


def fingerprint() -> str:
    """A digest of some play of every game."""
    digest = hashlib.sha256()
    for game in GAMES:
        lanes = Lanes(game, 50, seed=47, deals=2)
        for step in range(60):
            for array in (lanes.states, lanes.observations, lanes.masks):
                digest.update(array.tobytes())
            lanes.step(lanes.sample(step))
    return digest.hexdigest()


def test_another_process_plays_the_same_deals():
    here = Path(__file__).parent
    other = subprocess.run(
        [sys.executable, "-c", "import test_same_play; print(test_same_play.fingerprint())"],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(here), *sys.path]),
            "PYTHONHASHSEED": "1",
        },
        check=True,
        capture_output=True,
        text=True,
    )
    assert other.stdout.split() == [fingerprint()]
