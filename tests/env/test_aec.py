"""The PettingZoo environment: its own tests with warnings as errors, refusals, rewards, copies."""

import copy
import itertools
import os
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pettingzoo
import pytest
import torch
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils import AssertOutOfBoundsWrapper, BaseWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from gupai_env import GAMES
from gupai_env.aec import GupaiEnv
from gupai_env.core.illegal import IllegalActionError
from variants import PAIR_NAMES, PAIRS, variants
from walks import options_of

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)

# PettingZoo gives these to every environment whose observation is a dict with a mask and whose name is not on
# its list of its own: its documented form (AEC API, "Action Masking") calls for such a dict.
DICT_WARNINGS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros (no legal actions).",  # of seats that are not to act: "all zero" there
)


@contextmanager
def warnings_are_errors(*tolerated: str) -> Iterator[None]:
    """All warnings are errors but those with one of these texts, to the letter."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    assert [str(warning.message) for warning in caught if str(warning.message) not in tolerated] == []


def env_of(game, variant=None, **how) -> GupaiEnv:
    return GupaiEnv(game, **how, **options_of(variant or game.variant()))


MASKS = [(1, "observation"), (2, "info")]


def some_variants() -> list:
    """The default of every game, a match, and every seventh of its other variants, masks in turns here and there."""
    cases = [(game, game.variant(deals=deals), mask_in) for game in GAMES.values() for deals, mask_in in MASKS]
    others = [(game, variant) for game in GAMES.values() for variant in variants(game)[::7]]
    return cases + [(*other, mask_in) for other, (_, mask_in) in zip(others, itertools.cycle(MASKS), strict=False)]


def legal(env: GupaiEnv) -> np.ndarray:
    """The legal actions of the seat to act."""
    return np.flatnonzero(env.infos[env.agent_selection]["action_mask"])


def act(env: GupaiEnv, which: int = 0) -> None:
    """Play a legal action of the seat to act, or step it away if the game is over."""
    env.step(None if env.terminations[env.agent_selection] else int(legal(env)[which]))


def live(env: GupaiEnv) -> bool:
    return bool(env.agents) and not any(env.terminations.values())


# PettingZoo's own tests


@pytest.mark.parametrize(("game", "variant", "mask_in"), some_variants(), ids=lambda each: getattr(each, "id", None))
def test_pettingzoo_api_test_passes_without_a_warning(game, variant, mask_in, capsys):
    with warnings_are_errors(*(DICT_WARNINGS if mask_in == "observation" else ())):
        api_test(env_of(game, variant, mask_in=mask_in, render_mode="ansi"), num_cycles=100)


@pytest.mark.parametrize(("game", "variant", "mask_in"), some_variants(), ids=lambda each: getattr(each, "id", None))
def test_pettingzoo_seed_test_passes_without_a_warning(game, variant, mask_in):
    with warnings_are_errors():
        seed_test(lambda: env_of(game, variant, mask_in=mask_in))


def test_pettingzoo_render_test_passes_without_a_warning(monkeypatch):
    game = next(iter(GAMES.values()))  # pictures of the others are drawn in test_conformance.py and test_render.py
    monkeypatch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(os.environ, "PYGAME_HIDE_SUPPORT_PROMPT", "1")

    def quick_env(**how):
        env = env_of(game, game.variant(deck="tiny", players=2), **how)  # short: every table is drawn
        env.metadata["render_fps"] = 1000  # do not wait for anybody to look
        return env

    with warnings_are_errors():
        render_test(quick_env)


@every_game
def test_pettingzoo_makes_every_game_by_its_id(game):
    pytest.importorskip("pettingzoo", "1.27", reason="older ones have no registry")
    env = pettingzoo.make("aec", f"gupai/{game.id}-v{game.version}", deals=2, max_cycles=7)
    assert env.max_cycles == 7
    assert isinstance(env.unwrapped, GupaiEnv)
    assert env.unwrapped.game is game
    assert env.metadata["name"] == f"{game.identifier}_v{game.version}"
    env.reset(seed=1)
    assert env.unwrapped.variant == game.variant(deals=2)


# What the environment promises beyond them


@every_game
def test_invalid_option_mode_or_folder_is_refused_with_a_list(game):
    with pytest.raises(ValueError, match="'sing' is not an option"):
        env_of(game, sing=1)
    with pytest.raises(ValueError, match=r"render_mode='svg' is not allowed; choose .*rgb_array"):
        env_of(game, render_mode="svg")
    with pytest.raises(ValueError, match=r"mask_in='both' is not allowed; choose one of \['observation', 'info'\]"):
        env_of(game, mask_in="both")
    with pytest.raises(ValueError, match="a seed is a whole number"):
        env_of(game).reset(seed=-1)


WRONG = [
    None,
    "0",
    1.0,
    float("nan"),
    np.float32(2),
    -1,
    10**6,
    2**80,
    -(2**80),
    True,
    [0],
    (0,),
    {},
    np.array([0, 1]),
    np.array([0.0]),
    np.array([True]),
    np.timedelta64(0),
    np.array([0], "m8[ns]"),
    np.array([], np.int64),
]


@every_game
def test_invalid_action_is_refused_and_changes_nothing(game):
    env = env_of(game)
    env.reset(seed=3)
    while live(env):
        before = shown(env)
        for wrong in WRONG:
            with pytest.raises(IllegalActionError, match=env.agent_selection) as error:
                env.step(wrong)
            assert "is not an action; actions are whole numbers from 0 to" in str(error.value), wrong
            assert "legal: " in str(error.value), wrong
        assert shown(env) == before
        act(env)


KINDS_OF_NUMBERS = (
    int,
    np.int16,
    np.int64,
    np.uint16,
    np.array,
    lambda action: np.array([[action]]),
    torch.tensor,
    lambda action: torch.tensor([action], dtype=torch.int16),
)


@every_game
def test_whole_number_of_any_kind_is_an_action(game):
    envs = [env_of(game) for _ in KINDS_OF_NUMBERS]
    for env in envs:
        env.reset(seed=5)
    while live(envs[0]):
        action = int(legal(envs[0])[-1])
        for env, kind in zip(envs, KINDS_OF_NUMBERS, strict=True):
            env.step(kind(action))
    assert len(set(map(shown, envs))) == 1


class TimeLimit(BaseWrapper):
    """Truncates all, or the seat to act alone, after some moves."""

    def __init__(self, env, moves, everybody):
        super().__init__(env)
        self.left, self.everybody = moves, everybody

    def step(self, action):
        super().step(action)
        self.left -= 1
        if self.left == 0:
            who = self.agents if self.everybody else [self.agent_selection]
            self.unwrapped.truncations = {agent: agent in who for agent in self.agents}


@pytest.mark.parametrize("everybody", [True, False])
@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_truncated_game_is_over_for_all(everybody, mask_in):
    env = TimeLimit(OrderEnforcingWrapper(env_of(GAMES["jie-long"], mask_in=mask_in)), 5, everybody)
    for seed in (3, 4):
        env.left, taken_out, moves = 5, [], 0
        env.reset(seed=seed)
        for agent in env.agent_iter():
            *_, terminated, truncated, info = env.last()
            assert not terminated
            if truncated:
                with pytest.raises(IllegalActionError, match="the only valid action is None"):
                    env.step(0)
                taken_out.append(agent)
            moves += not truncated
            env.step(None if truncated else int(np.flatnonzero(info["action_mask"])[0]))
        assert moves == 5
        assert sorted(taken_out) == env.possible_agents


@every_game
@pytest.mark.parametrize("wrapped", [False, True])
def test_max_cycles_truncates_all_before_the_next_decision(game, wrapped):
    env, whole = (GupaiEnv(game, max_cycles=most) for most in (2, None))
    if wrapped:
        env = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))
    truncated_games = 0
    for seed in range(5):
        env.reset(seed=seed)
        whole.reset(seed=seed)
        decisions, removed = dict.fromkeys(env.agents, 0), []
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            if terminated or truncated:
                assert set(env.truncations.values()) == {truncated} and set(env.terminations.values()) == {terminated}
                assert terminated or (reward == 0 and observation["action_mask"].any() == (not removed))
                removed.append(agent)
                env.step(None)
                continue
            assert agent == whole.agent_selection and observation["action_mask"].any()
            action = int(observation["action_mask"].argmax())
            decisions[agent] += 1
            env.step(action)
            whole.step(action)
        over = all(whole.terminations.values())
        truncated_games += not over
        assert sorted(removed) == env.possible_agents
        assert over or decisions[whole.agent_selection] == 2 == max(decisions.values())
    assert (truncated_games > 0) == (game.id not in ("da-ling", "pai-gow"))  # in which a seat decides once


@pytest.mark.parametrize("most", [0, -1, 1.5, "2", True])
def test_invalid_number_of_cycles_is_refused(most):
    with pytest.raises(ValueError, match=r"max_cycles=.* must be a whole number from 1 "):
        GupaiEnv("jie-long", max_cycles=most)


def test_game_truncated_by_hand_has_no_turn():
    env = env_of(GAMES["jie-long"])
    env.reset(seed=3)
    env.truncations = dict.fromkeys(env.agents, True)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.turn()
    for left in (3, 2, 1, 0):
        env.step(None)
        assert env.num_agents == left
    env.reset()
    act(env)


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_pettingzoo_wrappers_play_and_end_games(mask_in, capsys):
    env = env_of(GAMES["jie-long"], mask_in=mask_in)
    wrapped = OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1)))
    for last in (False, True):
        wrapped.reset(seed=3)
        paid = dict.fromkeys(wrapped.possible_agents, 0.0)
        for agent in wrapped.agent_iter():
            _, reward, terminated, truncated, info = wrapped.last()
            paid[agent] += reward
            if terminated or truncated:
                wrapped.step(None)
            else:
                wrapped.step(int(info["action_mask"].argmin() if last else info["action_mask"].argmax()))
        assert sum(paid.values()) == (-1 if last else 0)
    env.reset(seed=3)
    while env.agents:
        act(env)


def test_step_before_a_reset_or_after_the_end_is_refused():
    env = env_of(GAMES["jie-long"])
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(0)
    env.reset(seed=6)
    while live(env):
        act(env)
    before = shown(env)
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.turn()
    with pytest.raises(IllegalActionError, match="the game is over, the only valid action is None"):
        env.step(0)
    assert shown(env) == before
    first = env.agent_selection
    while env.agents:
        env.step(None)
    assert env.agent_selection == first  # nobody is left, and the first who was removed stays selected
    with pytest.raises(RuntimeError, match="call reset"):
        env.step(None)
    env.reset()
    act(env)


@pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)
def test_legal_actions_belong_to_the_seat_to_act_alone(game, variant):
    env, plain = env_of(game, variant), env_of(game, variant, mask_in="info")
    env.reset(seed=7)
    plain.reset(seed=7)
    while True:
        observations = np.split(env.state(), variant.players)
        assert env.state_space.contains(env.state())
        for agent, observation in zip(env.possible_agents, observations, strict=True):
            seen = env.observe(agent)
            np.testing.assert_array_equal(seen["observation"], observation)
            np.testing.assert_array_equal(plain.observe(agent), observation)
            assert env.observation_space(agent).contains(seen)
            assert plain.observation_space(agent).contains(observation)
            to_act = agent == env.agent_selection and not env.terminations.get(agent, True)
            assert seen["action_mask"].any() == to_act
            if agent in env.agents:
                for each in (env, plain):
                    np.testing.assert_array_equal(each.infos[agent]["action_mask"], seen["action_mask"])
        if not env.agents:
            break
        act(env, -1)
        act(plain, -1)


@every_game
def test_unseeded_environment_deals_differently_every_time(game):
    first = env_of(game), env_of(game)
    for env in first:
        env.reset()
    assert first[0].state().tobytes() != first[1].state().tobytes()


BEFORE_RESET = {
    "last": lambda env: env.last(),
    "observe": lambda env: env.observe("seat_0"),
    "state": lambda env: env.state(),
    "turn": lambda env: env.turn(),
    "key": lambda env: env.key,
    "step": lambda env: env.step(int(env._envs.masks[0].argmax())),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: env.agent_iter(),
    **{
        name: lambda env, name=name: getattr(env, name)
        for name in ("agent_selection", "rewards", "terminations", "truncations", "infos")
    },
}


@every_game
def test_observing_before_a_reset_is_refused(game):
    new = [env_of(game, render_mode="ansi") for _ in BEFORE_RESET]
    for env, look in zip((*new, *map(copy.deepcopy, new)), 2 * list(BEFORE_RESET.values()), strict=True):
        with pytest.raises(RuntimeError, match=r"^no game is under way; call reset\(\) to deal$"):
            look(env)
        with pytest.raises(ValueError, match="a seed is a whole number"):
            env.reset(seed=1.5)
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            look(env)
        env.reset(seed=1)
        look(env)


@every_game
def test_spaces_and_agents_are_all_that_exists_before_a_reset(game):
    env = env_of(game)
    assert env.possible_agents and env.agents == []
    assert env.action_space("seat_0").n == game.num_actions
    assert not hasattr(env, "rewards")
    with pytest.raises(AttributeError, match="has no attribute 'reward'"):
        env.reward  # noqa: B018
    env.close()


@pytest.mark.parametrize("other", ["step", "reset"])
def test_two_threads_in_one_environment_are_reported(other):
    env, alone = env_of(GAMES["jie-long"]), env_of(GAMES["jie-long"])
    inside, go_on = threading.Event(), threading.Event()

    def wait_within(agent):
        inside.set()
        assert go_on.wait(60)
        GupaiEnv._announce(env, agent)

    for each in (env, alone):
        each.reset(seed=1)
    action = int(legal(env)[0])
    env._announce = wait_within
    thread = threading.Thread(target=env.step, args=[action])
    thread.start()
    try:
        assert inside.wait(60)
        with pytest.raises(RuntimeError, match="in use by another thread; give each thread one of its own"):
            env.reset(seed=2) if other == "reset" else env.step(action)
    finally:
        go_on.set()
        thread.join()
    del env._announce
    alone.step(action)
    assert shown(env) == shown(alone)
    act(env)
    act(alone)
    assert shown(env) == shown(alone)


def shown(env: GupaiEnv) -> tuple:
    """All that the environment holds and shows, to compare."""
    return (
        str(env.deal.states.tolist()),  # copies of records need not copy the bytes between their fields
        env.state().tobytes(),
        env.agent_selection,
        tuple(env.agents),
        tuple(env.rewards.items()),
        tuple(env._cumulative_rewards.items()),
        tuple(env.terminations.items()),
        tuple(env.truncations.items()),
        tuple((agent, info["action_mask"].tobytes()) for agent, info in env.infos.items()),
        tuple(env.observe(agent)["observation"].tobytes() for agent in env.possible_agents),
    )
