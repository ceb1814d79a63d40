"""A copy of an environment owns its memory, whatever brought it, and plays on like the original."""

import copy
import io
import itertools
import pickle

import gymnasium
import numba
import numpy as np
import pytest

import gupai_agents.gymnasium_envs  # noqa: F401 -- registers the environments
from gupai_env import VectorEnv
from gupai_env.aec import GupaiEnv
from gupai_env.core import byte_rows
from gupai_env.core.parts import register_marks
from gupai_training.selfplay import LearnerVecEnv

SEED, TABLES, STEPS = 5, 8, 25
NUMBERS = itertools.count()  # of files: none is written to while it is mapped


def fields(states):
    """A record array as lists, without the bytes between its fields."""
    return [states[name].tolist() for name in states.dtype.names]


def lanes():
    envs = VectorEnv("jie-long", TABLES, seed=SEED)
    envs.play_random(9, SEED)
    return envs


def play_lanes(envs):
    for step in range(STEPS):
        rewards, terminated = envs.step(envs.sample(step))
        yield fields(envs.states), envs.observations.tolist(), rewards.tolist(), terminated.tolist()


def aec():
    env = GupaiEnv("jie-long")
    env.reset(seed=SEED)
    for _ in range(6):
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    assert env.infos  # kept until the next step
    return env


def play_aec(env):
    while env.agents:
        observation, reward, ended, _, info = env.last()
        action = None if ended else int(info["action_mask"].argmax())
        info["action_mask"][:] = 0  # it is the caller's
        yield observation["observation"].tolist(), reward, action, fields(env.deal.states)
        env.step(action)
    env.reset()
    yield env.state().tolist()


def deal():
    return aec().deal


def play_deal(deal):
    while not deal.terminated:
        deal.step(int(deal.mask().argmax()))
        yield fields(deal.states)


def play_gymnasium(env):
    env.action_space.seed(SEED)  # draws legal actions: by the mask of this very environment
    for _ in range(STEPS):
        observation, reward, terminated, _, info = env.step(env.action_space.sample())
        yield observation.tolist(), np.asarray(reward).tolist(), info["action_mask"].tolist()
        if np.ndim(terminated) == 0 and terminated:
            env.reset()


def single():
    env = gymnasium.make("gupai/JieLong-v0", opponents="greedy").unwrapped
    env.reset(seed=SEED)
    return env


def vector():
    envs = gymnasium.make_vec("gupai/JieLong-v0", TABLES, opponents="greedy")
    envs.reset(seed=SEED)
    return envs


def self_play():
    envs = LearnerVecEnv("jie-long", TABLES, ["greedy", "random"], seed=SEED)
    envs.reset()
    envs.step(envs.action_masks().argmax(1))
    return envs


def play_self_play(envs):
    for _ in range(STEPS):
        observations, rewards, dones, _ = envs.step(envs.action_masks().argmax(1))
        yield observations.tolist(), rewards.tolist(), dones.tolist(), envs.tables.seats.tolist()


PLAYS = {
    "lanes": (lanes, play_lanes),
    "aec": (aec, play_aec),
    "deal": (deal, play_deal),
    "single": (single, play_gymnasium),
    "vector": (vector, play_gymnasium),
    "self-play": (self_play, play_self_play),
}


def by_buffers(thing, kind):
    """Pickle's out-of-band buffers in memory of a kind, as Ray and dask bring them."""
    buffers = []
    data = pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[kind(buffer.raw()) for buffer in buffers])


def by_files(thing, folder):
    """Arrays in files that are mapped into memory and can only be read, as joblib brings large ones."""

    class Mapping(pickle.Pickler):
        def reducer_override(self, each):
            if not isinstance(each, np.ndarray) or each.dtype.hasobject or not each.size:
                return NotImplemented
            path = folder / f"{next(NUMBERS)}"
            np.asarray(each).tofile(path)
            return np.memmap, (path, each.dtype, "r", 0, each.shape)

    data = io.BytesIO()
    Mapping(data, 5).dump(thing)
    return pickle.loads(data.getvalue())


ROADS = {
    "copy": lambda thing, folder: copy.copy(thing),
    "deepcopy": lambda thing, folder: copy.deepcopy(thing),
    "pickle": lambda thing, folder: pickle.loads(pickle.dumps(thing)),
    "read-only buffers": lambda thing, folder: by_buffers(thing, bytes),
    "shared buffers": lambda thing, folder: by_buffers(thing, lambda memory: memory),
    "files": by_files,
}


@pytest.mark.parametrize("road", ROADS.values(), ids=ROADS)
@pytest.mark.parametrize(("make", "play"), PLAYS.values(), ids=PLAYS)
def test_copy_plays_on_like_the_original_and_shares_nothing(make, play, road, tmp_path):
    expected = list(play(make()))
    assert len(expected) > 15
    original = make()
    copied = road(original, tmp_path)
    again = road(copied, tmp_path)
    assert list(play(copied)) == expected
    assert list(play(original)) == expected
    assert list(play(again)) == expected


@pytest.mark.parametrize("name", ["states", "masks", "observations", "rewards", "terminated"])
@pytest.mark.parametrize(
    "spoilt",
    [lambda array: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape), lambda array: array[::2]],
    ids=["read-only", "every other row"],
)
def test_loops_take_no_address_of_read_only_memory(name, spoilt):
    envs = VectorEnv("jie-long", 4)
    del envs.table
    envs._arrays[name] = spoilt(envs._arrays[name])
    with pytest.raises(ValueError, match=f"^{name} must be"):
        envs.table  # noqa: B018 -- it is made when it is asked for


@pytest.mark.parametrize(
    "write",
    [lambda row: byte_rows.store_word(row, 0, 1), lambda row: byte_rows.store_half(row, 0, 1)],
    ids=["word", "half"],
)
def test_compiled_code_writes_no_words_to_read_only_rows(write):
    row = np.zeros(32, np.int8)
    row.flags.writeable = False
    register_marks()
    with pytest.raises((numba.core.errors.TypingError, numba.core.errors.LoweringError), match="cannot be written to"):
        numba.njit(write)(row)
    assert not row.any()
