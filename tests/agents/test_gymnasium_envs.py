"""The Gymnasium environments: one learning seat at a table of agents, alone and thousands side by side."""

import itertools
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.vector.utils import batch_space

from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch
from gupai_agents.failure import AgentError
from gupai_env import GAMES
from gupai_env.aec import GupaiEnv
from gupai_env.core.illegal import IllegalActionError

IDS = {game: f"gupai/{game.title().replace('-', '')}-v0" for game in GAMES}
every_game = pytest.mark.parametrize("game", GAMES)


class Witness:
    """A random player that is not a rule-based agent to the compiled loops, and notes at which places it was asked."""

    name = "witness"

    def __init__(self, game: str) -> None:
        self.agent, self.places = make_agent("random", game), set()

    def act(self, turns: DecisionBatch) -> np.ndarray:
        self.places |= set(turns.views.seat.tolist())
        return self.agent.act(turns)


@every_game
def test_gymnasium_checker_has_no_warnings(game, monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        first = game == next(iter(GAMES))
        for options in [{}] * first + [{"opponents": "random", "seat": 1, "deals": 2}]:
            check_env(gymnasium.make(IDS[game], **options).unwrapped, skip_render_check=not first)
    assert [str(warning.message) for warning in warned] == []


@every_game
def test_sampled_play_is_legal_and_pays_the_chips_of_the_match(game):
    env = gymnasium.make(IDS[game], opponents="random", deals=3)
    returns = []
    for episode in range(6):
        observation, info = env.reset(seed=5 if episode == 0 else None)
        assert observation in env.observation_space
        total, terminated = 0.0, False
        while not terminated:
            assert (info["action_mask"] == env.get_wrapper_attr("action_masks")()).all()
            assert info["action_mask"].dtype == np.int8  # as `action_space.sample(mask)` asks for
            action = env.action_space.sample()
            assert info["action_mask"][action]
            observation, reward, terminated, truncated, info = env.step(action)
            assert observation in env.observation_space and not truncated
            total += reward
        assert not info["action_mask"].any()
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            env.unwrapped.step(0)
        table = env.unwrapped.table
        assert total == pytest.approx(table.deal.states.total[0, env.unwrapped.seat], abs=1e-3)
        returns.append(total)
    assert any(returns)


@every_game
def test_seed_gives_the_deals_of_the_pettingzoo_environment(game):
    env = gymnasium.make(IDS[game], seat=0, leader=0)
    aec = GupaiEnv(GAMES[game], leader=0, mask_in="info")
    for seed in (7, None, None, 8):
        aec.reset(seed)
        observation, info = env.reset(seed=seed)
        assert aec.agent_selection == "seat_0"
        assert (observation == aec.observe("seat_0")).all()
        assert (info["action_mask"] == aec.infos["seat_0"]["action_mask"]).all()


def mixture(game: str) -> list:
    """Opponents of two kinds: such as play in the compiled loop and such as are asked."""
    others = GAMES[game].variant().players - 1
    return ["greedy", Witness(game), "random", Witness(game)][-others:]


WILD = {  # names of options: those for learners without masks, who play any action
    "resample": {"illegal": "resample", "skip_forced": True, "pool": ["greedy", "random"]},
    "end": {"illegal": "end", "deals": 2, "mixed": "pool"},
}


WAYS = [{}, {"deals": 2, "seat": 1}, {"mixed": "opponents"}, *WILD.values()]
EVERY_WAY = ("jie-long",)
WAYS_OF_GAMES = [
    (game, options)
    for number, game in enumerate(GAMES)
    for options in (WAYS if game in EVERY_WAY else [WAYS[number % len(WAYS)]])
]
WAYS_OF_GAMES.append(("pai-gow", {"small": True, "skip_forced": True}))  # no decision is a choice, not even the first


@pytest.mark.parametrize(("game", "options"), WAYS_OF_GAMES, ids=str)
def test_lanes_equal_single_environments(game, options):
    options, wild = dict(options), np.random.default_rng(2) if "illegal" in options else None
    if where := options.pop("mixed", None):
        options[where] = mixture(game)
    envs = gymnasium.make_vec(IDS[game], num_envs=6, **options)
    single = SyncVectorEnv([lambda: gymnasium.make(IDS[game], **options)] * 6, autoreset_mode=AutoresetMode.SAME_STEP)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    assert envs.single_observation_space == single.single_observation_space
    assert envs.observation_space == single.observation_space
    ended = 0
    for seed in (3, None, [5] * 6, [1, None, 3, None, 2**62, 6]):
        assert data_equivalence(envs.reset(seed=seed), single.reset(seed=seed), exact=True)
        for step in range(28):
            actions = envs.action_space.sample()
            if wild and step % 2:
                actions[:3] = wild.integers(-2, GAMES[game].num_actions + 2, 3)
            found = envs.step(actions)
            assert data_equivalence(found, single.step(actions), exact=True)
            assert (envs.unwrapped.seats == [env.unwrapped.seat for env in single.envs]).all()
            ended += found[2].sum()
    assert ended > 5


@pytest.mark.parametrize(
    ("game", "options"),
    [
        *(("jie-long", options) for options in WAYS),
        ("small-mahjong", {"deals": 3, "opponents": "greedy"}),  # chips are owed before a first decision
    ],
    ids=str,
)
def test_next_step_lanes_equal_single_environments(game, options):
    options, wild = dict(options), np.random.default_rng(2) if "illegal" in options else None
    if where := options.pop("mixed", None):
        options[where] = mixture(game)
    for mode in (AutoresetMode.NEXT_STEP, "NextStep"):
        envs = gymnasium.make_vec(IDS[game], num_envs=6, autoreset_mode=mode, **options)
        assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    single = SyncVectorEnv([lambda: gymnasium.make(IDS[game], **options)] * 6)
    ended = 0
    for seed in (3, None, [5] * 6, [1, None, 3, None, 2**62, 6]):
        assert data_equivalence(envs.reset(seed=seed), single.reset(seed=seed), exact=True)
        step, found = 0, ()
        while step < 45 or not found[2].any():  # a reset right after an end leaves no episode out
            step += 1
            masks, actions = envs.unwrapped.action_masks(), envs.action_space.sample()
            for wrong in (-1, 10_000) if masks.any() and not wild else ():
                with pytest.raises(IllegalActionError):
                    envs.step(np.where(masks.any(1), wrong, actions))
            if wild and step % 2:
                actions[:3] = wild.integers(-2, GAMES[game].num_actions + 2, 3)
            found = envs.step(actions)
            assert data_equivalence(found, single.step(actions), exact=True)
            assert (envs.unwrapped.action_masks() == found[-1]["action_mask"]).all()
            ended += found[2].sum()
    assert ended > 5


@pytest.mark.parametrize("mixed", [False, True])
def test_manually_reset_lanes_equal_single_environments(mixed):
    options = {"opponents": mixture("jie-long")} if mixed else {"deals": 2}
    envs = gymnasium.make_vec(IDS["jie-long"], num_envs=6, autoreset_mode="Disabled", **options)
    single = SyncVectorEnv(
        [lambda: gymnasium.make(IDS["jie-long"], **options)] * 6, autoreset_mode=AutoresetMode.DISABLED
    )
    assert envs.unwrapped.autoreset_mode is AutoresetMode.DISABLED
    rng, resets = np.random.default_rng(1), 0
    assert data_equivalence(envs.reset(seed=3), single.reset(seed=3), exact=True)
    for step in range(60):
        actions = envs.action_space.sample()
        found = envs.step(actions)
        assert data_equivalence(found, single.step(actions), exact=True)
        ended = found[2]
        while ended.any():  # not all of those that ended, then the others, and some in the middle of a deal
            lanes = (ended & (rng.random(6) < 0.5)) | (np.arange(6) == ended.argmax()) | (rng.random(6) < 0.2)
            ended = ended & ~lanes
            if ended.any():
                with pytest.raises(RuntimeError, match=r"^lane \d: its episode is over; deal it by reset"):
                    envs.step(actions)
            seed = None if step % 3 else [None if lane == 4 else step + lane for lane in range(6)]
            observations, info = envs.reset(seed=seed, options={"reset_mask": lanes})
            expected, single_info = single.reset(seed=seed, options={"reset_mask": lanes})
            np.testing.assert_array_equal(observations, expected)
            np.testing.assert_array_equal(info["action_mask"][lanes], single_info["action_mask"][lanes])
            assert not info["action_mask"][ended].any()
            resets += 1
    assert resets > 5


def test_lanes_without_a_seed_of_their_own_draw_one_at_first():
    envs, other = (gymnasium.make_vec("gupai/JieLong-v0", num_envs=3).unwrapped for _ in range(2))
    envs.reset(seed=[1, None, 3])
    other.reset(seed=[None, None, 3])
    assert envs.envs.seeds[[0, 2]].tolist() == [1, 3] and other.envs.seeds[2] == 3
    assert len({*envs.envs.seeds, *other.envs.seeds}) == 5 and not envs.envs.episodes.any()
    envs.reset(seed=(None, 7, None))
    assert envs.envs.seeds.tolist() == [1, 7, 3] and envs.envs.episodes.tolist() == [1, 0, 1]
    for wrong in ([1, None], [1, None, -3], [1, None, "3"], [1, None, 2.5]):
        with pytest.raises(ValueError, match=r"seed"):
            envs.reset(seed=wrong)
    assert envs.envs.seeds.tolist() == [1, 7, 3] and envs.action_masks().any(1).all()


@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_lanes_can_be_reset_by_hand_in_other_modes(mode):
    envs = gymnasium.make_vec("gupai/JieLong-v0", 4, autoreset_mode=mode)
    first = envs.reset(seed=1)[0]
    while not (ended := envs.step(envs.action_space.sample())[2]).any():
        pass
    assert (envs.reset(seed=1, options={"reset_mask": ended})[0] == first)[ended].all()
    assert not envs.step(envs.action_space.sample())[2][ended].any()


@pytest.mark.parametrize("lanes", [np.zeros(2, bool), np.ones(3, bool), np.ones(2), None, "11"])
def test_mask_of_lanes_to_reset_is_checked(lanes):
    envs = gymnasium.make_vec("gupai/JieLong-v0", 2, autoreset_mode="Disabled")
    before = envs.reset(seed=1)[1]["action_mask"]
    with pytest.raises(
        ValueError, match=r"^reset_mask=.* is not allowed; it must be bool \[2\], true in one lane or mor"
    ):
        envs.reset(options={"reset_mask": lanes})
    envs.step(before.argmax(1))
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        gymnasium.make_vec("gupai/JieLong-v0", 1).reset(options={"reset_mask": np.ones(1, bool)})


@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_observations_in_float32_have_the_same_values(mode):
    def played(dtype):
        options = {"autoreset_mode": mode, **dtype}
        seat, seats = gymnasium.make("gupai/JieLong-v0", **dtype), gymnasium.make_vec("gupai/JieLong-v0", 3, **options)
        table = GupaiEnv("jie-long", **dtype)
        table.reset(seed=1)
        yield table.observation_space("seat_0")["observation"], table.observe(table.agent_selection)["observation"]
        yield table.observation_space("seat_0")["observation"], table.observe("seat_3")["observation"]
        yield table.state_space, table.state()
        yield seat.observation_space, seat.reset(seed=1)[0]
        yield seats.observation_space, seats.reset(seed=1)[0]
        ended = np.zeros(3, bool)
        while not ended.any():
            seen, _, ended, _, info = seats.step(seats.unwrapped.action_masks().argmax(1))
        yield seats.observation_space, seen
        if mode == "SameStep":
            yield seats.single_observation_space, info["final_obs"][ended.argmax()]

    for (space, plain), (float_space, seen) in zip(played({}), played({"dtype": "float32"}), strict=True):
        assert (plain.dtype, space.dtype, seen.dtype, float_space.dtype) == (np.int8, np.int8, np.float32, np.float32)
        assert plain in space and seen in float_space
        np.testing.assert_array_equal(seen, plain)
        np.testing.assert_array_equal(float_space.high, space.high)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_unknown_keyword_is_a_type_error_in_pythons_words(make):
    """So that TorchRL, which tries whether an environment takes `frameskip`, goes on without it."""
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'frameskip': .* its options are players, deals"):
        make("gupai/JieLong-v0", frameskip=1)


def returns_of(env, episodes: int, policy) -> tuple[list[float], int]:
    """The returns of some episodes from seed 1, and how many decisions were asked for."""
    returns, asked = [], 0
    for number in range(episodes):
        _, info = env.reset(seed=1 if number == 0 else None)
        total, over = 0.0, False
        while not over:
            _, reward, over, _, info = env.step(policy(info))
            total, asked = total + reward, asked + 1
        returns.append(total)
    return returns, asked


@every_game
def test_play_does_not_depend_on_skipping_forced_decisions(game):
    first_legal = lambda info: int(info["action_mask"].argmax())  # noqa: E731
    asked, skipped = (
        returns_of(gymnasium.make(IDS[game], seat=0, deals=2, skip_forced=skip).unwrapped, 8, first_legal)
        for skip in (False, True)
    )
    assert asked[0] == pytest.approx(skipped[0])
    assert asked[1] > skipped[1] or game not in ("jie-long", "ce-deng")


def test_opponents_are_drawn_for_every_episode_by_the_seed():
    members = [make_agent(name, "jie-long") for name in ("greedy", "random", "variety")]
    envs = gymnasium.make_vec(IDS["jie-long"], 300, pool=members).unwrapped
    drawn = []
    for seed in (1, None, 1):
        envs.reset(seed=seed)
        drawn.append(envs._line_ups.copy())
    assert (drawn[0] == drawn[2]).all()
    assert (drawn[0] != drawn[1])[:, 1:].any(0).all()
    assert (drawn[0][:, 0] == -1).all()
    for column in (*drawn[0].T[1:], *drawn[1].T[1:]):
        assert np.unique(column, return_counts=True)[1].min() > 70
    assert len(np.unique(drawn[0], axis=0)) == 27  # the seats are drawn one by one


@every_game
def test_illegal_action_ends_the_episode_with_the_largest_loss(game):
    most = GAMES[game].payoff_bound(GAMES[game].variant())
    for options, paid in (({}, -most), ({"deals": 3}, -3 * most), ({"illegal_reward": -0.5}, -0.5)):
        env = gymnasium.make(IDS[game], illegal="end", **options).unwrapped
        before, info = env.reset(seed=3)
        assert (info["illegal"], info["played"]) == (False, -1)
        observation, reward, terminated, truncated, info = env.step(-1)
        assert (reward, terminated, truncated) == (paid, True, False)
        assert (info["illegal"], info["played"]) == (True, -1) and not info["action_mask"].any()
        np.testing.assert_array_equal(observation, before)
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            env.step(0)
        _, info = env.reset()
        action = int(info["action_mask"].argmax())
        assert env.step(action)[-1]["played"] == action


def test_illegal_action_is_replaced_by_a_seeded_legal_one():
    def played(seed):
        env = gymnasium.make(IDS["jie-long"], illegal="resample").unwrapped
        _, info = env.reset(seed=seed)
        found, over = [], False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            *_, over, _, info = env.step(10_000)
            assert info["illegal"] and info["played"] in legal
            found.append((info["played"], len(legal), legal.tolist().index(info["played"])))
        return found

    games = [played(seed) for seed in range(30)]
    assert games[0] == played(0)
    places = [place / (choices - 1) for game in games for _, choices, place in game if choices > 1]
    assert np.mean(places) == pytest.approx(0.5, abs=0.1)
    env = gymnasium.make(IDS["jie-long"], illegal="resample")
    env.reset(seed=1)
    for no_number in (0.5, None, [1, 2]):  # no learner means these
        with pytest.raises(IllegalActionError):
            env.step(no_number)


def test_reset_forgets_owed_chips():
    env = gymnasium.make_vec("gupai/JieLong-v0", 4).unwrapped
    env.reset(seed=1)
    env._owed[:] = 7
    env.reset(seed=1)
    assert not env.step(env.action_masks().argmax(1))[1].any()


@pytest.mark.parametrize("mode", ["nextstep", None, 1])
def test_unknown_autoreset_modes_are_refused(mode):
    with pytest.raises(
        ValueError, match=r'^autoreset_mode=.* is not allowed; choose one of "NextStep", "SameStep", "Disabled"$'
    ):
        gymnasium.make_vec("gupai/JieLong-v0", 2, autoreset_mode=mode)


def test_single_environment_is_a_batch_of_one():
    env = gymnasium.make("gupai/JieLong-v0")
    for space in (env.action_space, spaces.Discrete(3)):
        assert batch_space(space).shape == (1,) and batch_space(space, 4).shape == (4,)


@pytest.mark.parametrize("how", ["sync", "async", "vector_entry_point"])
def test_samples_are_legal_in_every_vectorisation(how):
    envs = gymnasium.make_vec("gupai/JieLong-v0", 3, vectorization_mode=how)
    try:
        observations, infos = envs.reset(seed=42)
        ended = 0
        for step in range(40):
            masks = tuple(infos["action_mask"])
            actions = envs.action_space.sample(masks) if step % 2 else envs.action_space.sample()
            observations, _, terminations, _, infos = envs.step(actions)
            assert observations in envs.observation_space
            ended += terminations.sum()
        assert ended
        if how == "sync":
            bad = np.full(3, int(infos["action_mask"][0].argmin()))
            with pytest.raises(IllegalActionError):
                envs.step(bad)
    finally:
        envs.close()


class Failing:
    """An opponent that fails once, at its turn number `turn`."""

    name = "failing"

    def __init__(self, error: BaseException, turn: int) -> None:
        self.agent, self.error, self.left = make_agent("greedy", "jie-long"), error, turn

    def act(self, turns: DecisionBatch) -> np.ndarray:
        self.left -= 1
        if self.left == 0:
            raise self.error
        return self.agent.act(turns)


@pytest.mark.parametrize("error", [ValueError("no idea"), KeyboardInterrupt(), SystemExit(0)], ids=repr)
@pytest.mark.parametrize("envs", [False, True])
def test_opponent_failure_requires_a_reset_and_leaves_no_trace(envs, error):
    def made(opponent):
        options = {"opponents": [opponent, "greedy", "greedy"], "seat": 0}
        if envs:
            return gymnasium.make_vec("gupai/JieLong-v0", 4, **options).unwrapped
        return gymnasium.make("gupai/JieLong-v0", **options).unwrapped

    def play(env, seed):
        yield env.reset(seed=seed)
        for _ in range(6):
            yield env.step(env.action_masks().argmax(-1))

    for turn in (1, 2, 9):
        opponent = Failing(error, 1000)  # not yet when it is asked whether it answers alike
        env, twin = made(opponent), made("greedy")
        opponent.left = turn
        with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else AgentError):
            list(itertools.chain.from_iterable(play(env, seed) for seed in range(5)))
        with pytest.raises(RuntimeError, match=r"call reset\(\) to deal"):
            env.step(np.zeros(4, int) if envs else 0)
        assert data_equivalence(list(play(env, 7)), list(play(twin, 7)), exact=True)
        assert data_equivalence(env.reset(), twin.reset(), exact=True)


def test_opponents_sit_in_order_after_the_learner():
    for make in (gymnasium.make, lambda name, **options: gymnasium.make_vec(name, num_envs=30, **options)):
        opponents = [Witness("jie-long") for _ in range(3)]
        env = make("gupai/JieLong-v0", opponents=opponents, seat=2)
        for opponent in opponents:
            opponent.places.clear()  # of the question whether it answers alike
        env.reset(seed=1)
        for _ in range(7):
            env.step(env.action_space.sample())
        assert [opponent.places for opponent in opponents] == [{3}, {0}, {1}]


def test_random_seat_is_drawn_for_every_episode_by_the_seed():
    env = gymnasium.make_vec("gupai/JieLong-v0", num_envs=400).unwrapped
    seats = []
    for seed in (1, None, 1):
        env.reset(seed=seed)
        seats.append(env.seats.copy())
        assert np.bincount(seats[-1]).min() > 60
    assert (seats[0] != seats[1]).any()
    assert (seats[0] == seats[2]).all()


def test_illegal_action_of_a_lane_is_named_and_changes_nothing():
    make = lambda: gymnasium.make_vec("gupai/TiuU-v0", num_envs=20, deals=50)  # noqa: E731
    env, other = make(), make()
    env.reset(seed=4)
    other.reset(seed=4)
    for _ in range(200):
        actions = env.action_space.sample()
        for wrong in (-2, -1, 10_000, int(env.action_masks()[7].argmin())):
            bad = actions.copy()
            bad[7] = wrong
            with pytest.raises(IllegalActionError, match=r"lane 7, seat \d: .*legal: "):
                env.step(bad)
        assert data_equivalence(env.step(actions), other.step(actions), exact=True)
    with pytest.raises(ValueError, match="actions must be 20 integers, one per lane, not int64 \\[3\\]"):
        env.step(actions[:3])


def owing(env) -> Iterator[int]:
    """Seeds of episodes in which a deal ends before the learner's first decision, and pays it something."""
    for seed in range(3000):
        env.reset(seed=seed)
        if np.any(env._owed):
            yield seed


OWING = {"players": 4, "deals": 3, "opponents": "greedy"}


@pytest.mark.parametrize("envs", [False, True])
def test_owed_chips_survive_refused_actions(envs):
    name = "gupai/SmallMahjong-v0"
    env = (gymnasium.make_vec(name, num_envs=1, **OWING) if envs else gymnasium.make(name, **OWING)).unwrapped
    mask = (lambda: env.action_masks()[0]) if envs else env.action_masks
    play = (lambda action: env.step(np.array([action]))) if envs else env.step
    found = 0
    for seed in itertools.islice(owing(env), 4):
        single = gymnasium.make(name, **OWING).unwrapped
        single.reset(seed=seed)
        owed = single.table.deal.states.total[0, single.seat]
        assert owed == np.sum(env._owed) != 0
        for wrong in (-1, 10_000, int(mask().argmin())):
            for _ in range(2):
                with pytest.raises(IllegalActionError):
                    play(wrong)
        total, terminated = 0.0, False
        while not terminated:
            action = int(mask().argmax())
            _, reward, terminated, *_ = play(action)
            single.step(action)
            total += float(np.sum(reward))
        assert total == single.table.deal.states.total[0, single.seat]
        found += 1
    assert found == 4


def test_playing_before_a_reset_is_refused():
    for env in (gymnasium.make("gupai/JieLong-v0"), gymnasium.make_vec("gupai/JieLong-v0", num_envs=1)):
        bare = env.unwrapped
        for do in (lambda bare=bare: bare.step(np.zeros(1, int)), bare.action_masks):
            with pytest.raises(RuntimeError, match=r"^no game is under way; call reset\(\) to deal$"):
                do()
        with pytest.raises(ValueError, match="seed"):
            bare.reset(seed=-1)
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            bare.action_masks()
        bare.reset(seed=1)
        assert bare.action_masks().any()


def test_sample_played_in_another_position_is_a_legal_action():
    env = gymnasium.make("gupai/SmallMahjong-v0")
    for seed in range(30):
        env.reset(seed=seed)
        stale = env.action_space.sample()
        env.reset(seed=100 + seed)
        env.step(stale)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"opponents": ["greedy"]}, "1 opponent for 3 seats; give one for each seat or one for all"),
        ({"opponents": "gredy"}, "did you mean greedy"),
        ({"seat": 4}, r'seat=4 is not allowed; choose "random" or a seat of \[0, 1, 2, 3\]'),
        ({"seat": "first"}, "seat='first' is not allowed"),
        ({"force_play": True}, "did you mean forced_play"),
        ({"pool": []}, r"^pool=\[\] is not allowed; it must be a list of 1 to 1,024 agents$"),
        ({"pool": "greedy"}, "^pool='greedy' is not allowed; it must be a list of agents$"),
        ({"pool": ["gredy"]}, "did you mean greedy"),
        ({"pool": ["greedy"], "opponents": "random"}, "^pool=.* is not allowed; give either opponents or a pool$"),
        ({"dtype": "float64"}, "^dtype='float64' is not allowed; choose one of int8, float32$"),
        ({"skip_forced": 1}, "^skip_forced=1 is not allowed; it must be True or False$"),
        ({"illegal": "stop"}, "^illegal='stop' is not allowed; choose one of raise, end, resample$"),
        ({"illegal": "end", "illegal_reward": "much"}, "^illegal_reward='much' is not allowed; it must be a number of"),
        (
            {"illegal": "resample", "illegal_reward": -1.0},
            '^illegal_reward=-1.0 is not allowed; it is only paid with illegal="end"$',
        ),
        ({"illegal_reward": -1.0}, '^illegal_reward=-1.0 is not allowed; it is only paid with illegal="end"$'),
    ],
)
def test_wrong_options_are_refused(options, said):
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match=said):
            make("gupai/JieLong-v0", **options)


def test_reset_options_are_refused_by_single_and_vector_environments():
    several = gymnasium.make_vec("gupai/JieLong-v0", num_envs=2)
    allowed = {gymnasium.make("gupai/JieLong-v0"): "there are no options", several: 'the one option is "reset_mask"'}
    for env, instead in allowed.items():
        with pytest.raises(ValueError, match=rf"options=\{{'seat': 2\}} is not allowed; {instead}"):
            env.reset(options={"seat": 2})


def test_name_with_its_module_needs_no_import():
    code = "import gymnasium; print(gymnasium.make('gupai_env:gupai/CeDeng-v0').reset(seed=1)[0].shape)"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], check=True, capture_output=True, text=True, env=os.environ
    )
    assert done.stdout.startswith("(")


def test_episodes_are_truncated_by_gymnasiums_limit_alone():
    env = gymnasium.make("gupai/JieLong-v0", max_episode_steps=3)
    env.reset(seed=1)
    ends = [env.step(int(env.get_wrapper_attr("action_masks")().argmax()))[2:4] for _ in range(3)]
    assert ends == [(False, False), (False, False), (False, True)]
    with pytest.raises(ValueError, match="'max_cycles' is not an option of jie-long"):
        gymnasium.make("gupai/JieLong-v0", max_cycles=3)
