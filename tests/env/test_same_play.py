"""The same deals and the same play on every road: lanes and AEC, compiled and plain, this process and another."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_agents import agent_names, make_agent
from gupai_agents.evaluation import build_tree, duel, exact
from gupai_agents.gymnasium_envs import SeatEnv, SeatVectorEnv
from gupai_env import GAMES, VectorEnv, vector
from gupai_env.aec import GupaiEnv
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import WAIT, Kernels
from gupai_env.core.rng import derive
from gupai_env.deals import Deals
from variants import PAIR_NAMES, PAIRS
from walks import envs_of, options_of, sample

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
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


@every_game
def test_lane_plays_alike_next_to_any_number_of_others(game):
    many = list(played(VectorEnv(game, 200, seed=41, deals=2), 45))
    for num_envs in (1, 3, 64):
        for few, others in zip(played(VectorEnv(game, num_envs, seed=41, deals=2), 45), many, strict=True):
            for mine, theirs in zip(few, others, strict=True):
                np.testing.assert_array_equal(mine, theirs[:num_envs])


@every_game
def test_lane_plays_alike_at_any_index(game):
    envs, mirrored = VectorEnv(game, 9, seed=42), VectorEnv(game, 9)
    mirrored.reset(seeds=envs.seeds[::-1])
    for forth, back in zip(played(envs, 40), played(mirrored, 40), strict=True):
        for mine, theirs in zip(forth, back, strict=True):
            np.testing.assert_array_equal(mine, theirs[::-1])


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


@every_game
def test_reset_restarts_the_same_episodes(game):
    envs = VectorEnv(game, 20, seed=44)
    first = [each[3] for each in played(envs, 40)]
    envs.reset(45)
    other = envs.states.copy()
    envs.reset(44)
    again = [each[3] for each in played(envs, 40)]
    np.testing.assert_array_equal(first, again)
    tiles = ADAPTERS[game.id].tile_sets
    assert (tiles(other) != tiles(first[0])).any(-1).all()


ARRAYS = ("states", "seats", "masks", "observations", "rewards", "terminated", "episodes")


@every_game
def test_threads_and_calls_of_many_actions_change_nothing(game, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    options = {"seed": 48, "deals": 2, "skip_forced": True}
    one_by_one, shared = VectorEnv(game, 37, **options), VectorEnv(game, 37, threads=3, **options)
    at_once = [VectorEnv(game, 37, **options), VectorEnv(game, 37, threads=2, **options)]
    for call in range(7):
        key = derive(49, call)
        for number in range(16):
            actions = one_by_one.sample(derive(key, number))
            np.testing.assert_array_equal(shared.sample(derive(key, number)), actions)
            one_by_one.step(actions)
            shared.step(actions)
        for envs in at_once:
            envs.play_random(16, key)
        for envs in (shared, *at_once):
            for array in ARRAYS:
                np.testing.assert_array_equal(getattr(envs, array), getattr(one_by_one, array))
    assert one_by_one.episodes.max() > 0


@every_game
def test_random_play_stops_at_the_end_of_the_episode(game):
    envs = VectorEnv(game, 10, seed=50, renew=False)
    envs.play_random(1000, 51)
    np.testing.assert_array_equal(envs.states.terminated, 1)
    np.testing.assert_array_equal(envs.terminated, True)
    np.testing.assert_array_equal(envs.rewards, 0)  # those of the last action, which was none
    np.testing.assert_array_equal(envs.masks, False)
    still = envs.states.copy()
    envs.play_random(3, 52)
    np.testing.assert_array_equal(envs.states, still)


def test_illegal_action_stops_all_threads(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    envs = VectorEnv("jie-long", 40, seed=53, threads=2)
    before = {array: getattr(envs, array).copy() for array in ARRAYS}
    actions = envs.sample(1)
    actions[33] = np.flatnonzero(~envs.masks[33])[0]
    with pytest.raises(IllegalActionError, match="lane 33"):
        envs.step(actions)
    for array, was in before.items():
        np.testing.assert_array_equal(getattr(envs, array), was)


MEDDLING = {
    "step": lambda envs: envs.step(np.zeros(envs.num_envs, np.int64)),
    "sample": lambda envs: envs.sample(1),
    "play_random": lambda envs: envs.play_random(2, 1),
    "reset": lambda envs: envs.reset(2),
    "reset to seeds": lambda envs: envs.reset(seeds=np.arange(envs.num_envs)),
    "begin": lambda envs: envs.begin(),
    "refresh": lambda envs: envs.refresh(),
}


def refused(envs: VectorEnv, meddle: Callable[[VectorEnv], object]) -> bool:
    """Play in a thread and meddle from this one while it plays; False if it was done too soon for that."""
    thread = threading.Thread(target=envs.play_random, args=[4000, 55])
    thread.start()
    try:
        while thread.is_alive():
            if envs.alone.holder:
                try:
                    meddle(envs)
                except RuntimeError as error:
                    return str(error) == vector.IN_USE
    finally:
        thread.join()
    return False


@pytest.mark.parametrize("meddle", MEDDLING.values(), ids=MEDDLING)
@pytest.mark.parametrize("threads", [1, 2])
def test_two_threads_in_the_same_lanes_are_reported(threads, meddle, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    alone = VectorEnv("jie-long", 64, seed=54)
    alone.play_random(4000, 55)
    for _ in range(20):
        envs = VectorEnv("jie-long", 64, seed=54, threads=threads)
        if refused(envs, meddle):
            break
    else:
        pytest.fail("nobody was refused")
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(envs, array), getattr(alone, array))
    for each in (envs, alone):
        each.step(each.sample(56))
    np.testing.assert_array_equal(envs.states, alone.states)


def test_helper_threads_end_with_the_call(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    before = threading.active_count()
    VectorEnv("jie-long", 30, threads=3).play_random(3, 1)
    assert threading.active_count() == before


def test_error_in_shared_play_leaves_the_lanes_free(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    envs = VectorEnv("jie-long", 30, threads=3)
    with pytest.raises(IllegalActionError):
        envs.step(np.full(30, -1))
    envs.step(envs.sample(1))
    envs.reset(3)


class FailureError(Exception):
    """What a rule might raise."""


def test_failure_of_a_helper_thread_is_raised(monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    bind = vector.bind

    def breaking(loop, table, *span, **later):
        """Bind a loop so that it fails in lanes other than those of the calling thread."""
        bound = bind(loop, table, *span, **later)

        def play(*rest):
            if span and span[0] > 0:
                raise FailureError
            return bound(*rest)

        return play

    monkeypatch.setattr(vector, "bind", breaking)
    envs = VectorEnv("jie-long", 30, seed=1, threads=3)
    for do in (lambda: envs.step(envs.masks.argmax(1)), lambda: envs.play_random(2, 1)):
        with pytest.raises(FailureError):
            do()


@pytest.mark.parametrize("threads", [1, 3])
def test_lanes_are_free_again_after_an_error(threads, monkeypatch):
    monkeypatch.setattr(vector, "MIN_SHARED_ROWS", 1)
    bind = vector.bind
    failing: list[bool] = []

    def breaking(loop, *arguments, **later):
        """Bind a loop so that it stops where a rule raises."""
        bound = bind(loop, *arguments, **later)

        def play(*rest):
            if failing:
                if failing.pop():
                    time.sleep(0.1)
                raise FailureError
            return bound(*rest)

        return play

    monkeypatch.setattr(vector, "bind", breaking)
    envs = VectorEnv("jie-long", 30, seed=1, threads=threads)
    for do in (lambda: envs.step(envs.masks.argmax(1)), lambda: envs.play_random(2, 1)):
        failing[:] = [True, False][:threads]  # one of the threads is late
        with pytest.raises(FailureError):
            do()
        assert not failing, "a thread is still at the lanes"
        envs.reset(2)
        envs.step(envs.sample(1))


def test_reset_is_atomic_for_other_threads():
    """Nobody plays between the new seeds and the new deals."""
    envs, found = VectorEnv("jie-long", 4, seed=1), []

    def begin():
        found.append(envs.alone.holder["thread"])
        return real_begin()

    def show():
        found.append(envs.alone.holder["thread"])
        thread = threading.Thread(target=meddle)
        thread.start()
        thread.join()
        return real_show()

    def meddle():
        with pytest.raises(RuntimeError, match="in use by another thread"):
            envs.sample(1)
        found.append("refused")

    real_begin, real_show = envs._begin, envs._show
    vars(envs).update(_begin=begin, _show=show)
    envs.reset(5)
    assert found == [threading.get_ident(), threading.get_ident(), "refused"]


# Games in which a deal may begin with a forced decision
FORCED = {"tiu-u": {"deck": "tiny", "players": 2, "must_catch": True}, "small-mahjong": {"deck": "tiny", "players": 2}}


@pytest.mark.parametrize("game", FORCED)
def test_forced_decisions_are_played_except_the_first_of_a_deal(game):
    options = {"seed": 57, "deals": 6, "renew": False, **FORCED[game]}
    skipping, plain = VectorEnv(game, 100, skip_forced=True, **options), VectorEnv(game, 100, **options)
    chips, forced_beginnings = np.zeros_like(skipping.rewards), 0
    while not skipping.terminated.all():
        actions = skipping.sample(int(skipping.states.moves.sum()))
        skipping.step(actions)
        paid = plain.step(actions)[0].copy()
        while True:  # what has no choice, one decision at a time; a lane stays as it is where a deal has ended
            forced = (plain.masks.sum(1) == 1) & (plain.states.settled == 0)
            if not forced.any():
                break
            paid += plain.step(np.where(forced, plain.masks.argmax(1), WAIT))[0]
        for array in ("states", "seats", "masks", "observations"):
            np.testing.assert_array_equal(getattr(skipping, array), getattr(plain, array))
        np.testing.assert_array_equal(skipping.rewards, paid)
        chips += skipping.rewards
        forced_beginnings += ((plain.states.settled == 1) & (plain.masks.sum(1) == 1)).sum()
    np.testing.assert_array_equal(chips, skipping.states.total)
    assert forced_beginnings > 20


@every_variant
def test_plain_python_rules_equal_the_compiled_ones(game, variant):
    compiled = envs_of(game, variant, 1, seed=46, renew=False)
    plain = envs_of(game, variant, 1, seed=46, renew=False)
    kernels = Kernels(*(kernel.py_func for kernel in plain.kernels))
    with np.errstate(all="raise"):
        kernels.begin(plain.table.view(np.recarray))
        for step in range(40):
            for array in ("states", "seats", "masks", "observations", "rewards", "terminated"):
                np.testing.assert_array_equal(getattr(plain, array), getattr(compiled, array))
            actions, plain_actions = sample(compiled, step), np.zeros(1, np.int64)
            kernels.pick(plain.masks, step, plain_actions)
            np.testing.assert_array_equal(plain_actions, actions)
            if step % 8 == 0 and not compiled.terminated.any():
                views, rng_keys = compiled.views()
                compare(game, compiled, kernels, views, rng_keys)
            compiled.step(actions)
            kernels.step(plain.table.view(np.recarray), 0, 1, actions)


def compare(game: Game, envs: VectorEnv, kernels: Kernels, views: np.recarray, rng_keys: np.ndarray) -> None:
    """Views, RNG keys, observations and redealt states are the same in plain Python."""
    plain_views, plain_keys = np.zeros_like(views), np.zeros_like(rng_keys)
    kernels.views(envs.rules, envs.states, plain_views, plain_keys)
    np.testing.assert_array_equal(plain_views, views)
    np.testing.assert_array_equal(plain_keys, rng_keys)
    drawn, plain_drawn = game.new_states(len(views)), game.new_states(len(views))
    envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
    kernels.determinize(envs.rules, views, rng_keys, plain_drawn)
    np.testing.assert_array_equal(plain_drawn, drawn)


def fingerprint() -> str:
    """A digest of some play of every game."""
    digest = hashlib.sha256()
    for game in GAMES:
        envs = VectorEnv(game, 50, seed=47, deals=2)
        for step in range(60):
            for array in (envs.states, envs.observations, envs.masks):
                digest.update(array.tobytes())
            envs.step(envs.sample(step))
    return digest.hexdigest()


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
            "import numba, test_same_play; assert numba.config.DISABLE_JIT; print(test_same_play.fingerprints())",
        ],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *sys.path]), "NUMBA_DISABLE_JIT": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(plain.stdout) == json.loads(fingerprints())


def test_another_process_plays_the_same_deals():
    here = Path(__file__).parent
    other = subprocess.run(
        [sys.executable, "-c", "import test_same_play; print(test_same_play.fingerprint())"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(here), *sys.path]), "PYTHONHASHSEED": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    assert other.stdout.split() == [fingerprint()]


def test_rewards_are_zero_after_a_reset():
    envs, step = VectorEnv("da-ling", 8, seed=1), 0
    while not envs.rewards.any():
        envs.play_random(1, step)
        step += 1
    envs.reset(2)
    assert not envs.rewards.any() and not envs.terminated.any()
