"""What environments hand out belongs to the caller: it may be kept and written to, and it does not change later."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

from gupai_env import VectorEnv
from gupai_env.aec import GupaiEnv
from gupai_training.opponents import OpponentPool
from gupai_training.selfplay import LearnerVecEnv, SelfPlayEnv

SEED, STEPS, TABLES = 3, 60, 8


def aec(mask_in):
    """Yields all that a game hands out, position by position."""
    env = GupaiEnv("jie-long", mask_in=mask_in)
    for seed in (SEED, None):
        env.reset(seed=seed)
        while env.agents:
            found = env.last()
            action = None if found[2] else int(found[4]["action_mask"].argmax())
            printed = [dict(each) for each in (env.rewards, env.terminations, env.truncations)]
            # Wrappers write to `infos`, so at the end, where no step renews it, rubbish would stay.
            now = () if action is None else (env.infos, *env.turn())
            yield found, now, printed, env.agents[:], env.state(), *map(env.observe, env.possible_agents)
            env.step(action)


def single():
    env = gymnasium.make("gupai/JieLong-v0", seat="random").unwrapped
    for seed in (SEED, None):
        observation, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            action = int(info["action_mask"].argmax())
            yield observation, info, env.action_masks()
            observation, _, terminated, _, info = env.step(action)
        yield observation, info


def vector(mode):
    env = gymnasium.make_vec("gupai/JieLong-v0", TABLES, autoreset_mode=mode).unwrapped
    env.action_space.seed(SEED)
    found = env.reset(seed=SEED)
    for _ in range(STEPS):
        actions = found[-1]["action_mask"].argmax(1)
        yield found, env.action_masks(), env.seats, env.action_space.sample()
        found = env.step(actions)


def self_play():
    env = LearnerVecEnv("jie-long", TABLES, ["random"], seed=SEED)
    observations = env.reset()
    rest = ()
    for _ in range(STEPS):
        actions = env.action_masks().argmax(1)
        yield observations, rest, env.action_masks(), env.env_method("action_masks")
        observations, *rest = env.step(actions)


def openspiel():
    pytest.importorskip("pyspiel")
    from gupai_env.openspiel import as_openspiel

    game = as_openspiel("jie-long", rng_seed=SEED)
    for _ in range(2):
        state = game.new_initial_state()
        while not state.is_terminal():
            action = state.legal_actions()[0]
            views = () if state.is_chance_node() else (state.observation_tensor(0), state.legal_actions_mask())
            yield state.legal_actions(), state.chance_outcomes() if not views else [], views, state.returns()
            state.apply_action(action)


def envs(threads=1):
    env = VectorEnv("jie-long", TABLES, seed=SEED, threads=threads)
    for step in range(STEPS):
        yield env.sample(step), env.views()
        env.step(env.masks.argmax(1))


PLAYS = {
    "aec": lambda: aec("observation"),
    "aec, mask in info": lambda: aec("info"),
    "single": single,
    "vector, same step": lambda: vector("SameStep"),
    "vector, next step": lambda: vector("NextStep"),
    "self-play": self_play,
    "openspiel": openspiel,
    "lanes": envs,
}


def spoil(thing) -> None:
    """Write rubbish into whatever can be written to."""
    if isinstance(thing, np.ndarray):
        if thing.dtype == object:
            for each in thing:
                spoil(each)
        thing[...] = np.zeros(1, thing.dtype)[0] if thing.dtype.names else None if thing.dtype == object else 1
    elif isinstance(thing, dict):
        for each in thing.values():
            spoil(each)
        thing["rubbish"] = 1
    elif isinstance(thing, (list, tuple)):
        for each in thing:
            spoil(each)
        if isinstance(thing, list):
            thing.append("rubbish")


def bytes_of(thing) -> bytes:
    """What a thing holds, arrays to the byte and type."""
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return pickle.dumps((str(thing.dtype), thing.shape, thing.tolist()))
    if isinstance(thing, dict):
        return pickle.dumps([(name, bytes_of(each)) for name, each in thing.items()])
    if isinstance(thing, (list, tuple, np.ndarray)):
        return pickle.dumps([bytes_of(each) for each in thing])
    return pickle.dumps(thing)


@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
def test_returned_values_may_be_overwritten_without_effect(play):
    positions = 0
    for found, twins in zip(play(), play(), strict=True):
        positions += 1
        assert bytes_of(found) == bytes_of(twins)
        spoil(found)
    assert positions > 15


@pytest.mark.parametrize("play", PLAYS.values(), ids=PLAYS)
def test_returned_values_do_not_change_later(play):
    kept = [(found, bytes_of(found)) for found in play()]
    assert len(kept) > 15
    for found, as_it_was in kept:
        assert bytes_of(found) == as_it_was


@pytest.mark.parametrize("copied", [lambda each: each, copy.deepcopy], ids=["as made", "copied"])
def test_arrays_that_the_next_step_overwrites_are_read_only(copied):
    shown = copied(VectorEnv("jie-long", 2))
    learner = copied(SelfPlayEnv("jie-long", 2, OpponentPool(4, np.random.default_rng(0), 1.0, 1, 0.0)))
    learner.reset()
    for env, names in (
        (shown, ("seats", "masks", "observations", "rewards", "terminated")),
        (learner, ("seats", "masks", "observations", "rewards", "terminated", "seating", "totals")),
    ):
        for name in names:
            with pytest.raises(ValueError, match="read-only"):
                getattr(env, name)[:] = 0
    for array in shown.step(shown.sample(1)):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    shown.states.to_act[:] = 3
    shown.refresh()
    assert shown.seats.tolist() == [3, 3]
    assert shown.masks.any()


def test_descriptions_of_a_game_are_replaced_not_changed():
    env = GupaiEnv("jie-long")
    env.reset(seed=SEED)
    kept, before = [], []
    while env.agents:
        printed = (env.agents, env.rewards, env.terminations, env.truncations, env.infos)
        kept.append(printed)
        before.append(bytes_of(printed))
        ended = env.terminations[env.agent_selection]
        env.step(None if ended else int(env.last()[-1]["action_mask"].argmax()))
    assert list(map(bytes_of, kept)) == before
