"""Numbers, seeds, words and truth values are checked where they enter, and refused in one line."""

from itertools import product

import gymnasium
import numpy as np
import pytest

from errors import one_line
from gupai_agents import make_agent
from gupai_agents.evaluation import duel, round_robin
from gupai_agents.evaluation.exact import tree as exact
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.aec import GupaiEnv
from gupai_env.messages.checks import LONGEST, short_repr
from gupai_training.opponents import OpponentPool
from gupai_training.selfplay import LearnerVecEnv, SelfPlayEnv
from trees import tiny_tree

GAME = get_game("jie-long")
ODD = [1.5, 4.0, "4", None, True, np.bool_(True), np.float64(4), float("nan"), float("inf"), [4], np.arange(3), 1j]
NO_COUNTS = [*ODD, 0, -1, 10**12, 10**5000]
NO_SEEDS = [*ODD, -1, 2**63, 10**5000]


def greedy_duel(**how):
    return duel("jie-long", make_agent("greedy"), make_agent("greedy"), how.pop("deals", 2), **how)


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("num_envs", lambda number: VectorEnv("jie-long", number)),
        ("threads", lambda number: VectorEnv("jie-long", 2, threads=number)),
        ("steps", lambda number: VectorEnv("jie-long", 2).play_random(number, 1)),
        ("deals", lambda number: greedy_duel(deals=number)),
        ("deals", lambda number: round_robin("jie-long", [make_agent("greedy"), make_agent("random")], number)),
        ("num_envs", lambda number: gymnasium.make_vec("gupai/JieLong-v0", num_envs=number)),
        ("rounds", lambda number: exact.solve(tiny_tree("jie-long"), number)),
    ],
    ids=["lanes", "threads", "steps", "duel", "round robin", "make_vec", "CFR+"],
)
def test_count_is_a_whole_number_within_bounds(name, count):
    for wrong in NO_COUNTS:
        with pytest.raises(
            ValueError, match=f"^{name}=.* is not allowed; it must be a whole number from 1 to "
        ) as error:
            count(wrong)
        one_line(error)
    count(np.int16(1))
    count(np.uint64(1))


def envs_but(do):
    return lambda seed: do(VectorEnv("jie-long", 2), seed)


SEEDED = {
    "lanes": lambda seed: VectorEnv("jie-long", 2, seed=seed),
    "reset": envs_but(lambda envs, seed: envs.reset(0 if seed is None else seed) if seed is not None else as_none()),
    "sample": envs_but(lambda envs, seed: envs.sample(seed)),
    "play_random": envs_but(lambda envs, seed: envs.play_random(2, seed)),
    "duel": lambda seed: greedy_duel(seed=seed),
    "round robin": lambda seed: round_robin("jie-long", [make_agent("greedy"), make_agent("random")], 2, seed=seed),
    "AEC": lambda seed: GupaiEnv("jie-long").reset(seed) if seed is not None else as_none(),
    "gymnasium": lambda seed: (
        gymnasium.make("gupai/JieLong-v0").unwrapped.reset(seed=seed) if seed is not None else as_none()
    ),
    "self-play": lambda seed: SelfPlayEnv(
        "jie-long", 2, OpponentPool(4, np.random.default_rng(0), 1.0, 1, 0.0), seed=seed
    ),
    "self-play, later": lambda seed: LearnerVecEnv("jie-long", 2).seed(seed) if seed is not None else as_none(),
}


def as_none() -> None:
    """Where no seed means something of its own."""
    raise ValueError("a seed is a whole number from 0 to 2**63 - 1, not None")


@pytest.mark.parametrize("seeded", SEEDED.values(), ids=SEEDED)
def test_seed_is_a_whole_number_of_63_bits(seeded):
    for wrong in NO_SEEDS:
        with pytest.raises(ValueError, match=r"^a (seed|key) is a whole number from 0 to 2\*\*63 - 1, not ") as error:
            seeded(wrong)
        one_line(error)
    seeded(np.int8(1))
    seeded(np.uint64(2**63 - 1))
    seeded(np.array(1, np.uint8))


RESET = {  # by what deals, what the seeds of its first two deals are after a reset
    "AEC": lambda seed: _reset_twice(GupaiEnv("jie-long"), lambda env: env._envs, seed),
    "gymnasium": lambda seed: _reset_twice(
        gymnasium.make("gupai/JieLong-v0").unwrapped, lambda env: env.table._envs, seed
    ),
    "make_vec": lambda seed: _reset_twice(
        gymnasium.make_vec("gupai/JieLong-v0", num_envs=2).unwrapped, lambda env: env.envs, seed
    ),
}


def _reset_twice(env, lanes, seed):
    found = []
    for each in (seed, None):
        env.reset(seed=each)
        found += zip(lanes(env).seeds.tolist(), lanes(env).episodes.tolist(), strict=True)
    return found


@pytest.mark.parametrize("reset", RESET.values(), ids=RESET)
@pytest.mark.parametrize(
    "seed",
    [
        np.int8(5),
        np.uint64(5),
        np.array(5),
        np.array(5, np.uint64),
        np.array(5, np.int16),
        2**63 - 1,
        np.uint64(2**63 - 1),
    ],
    ids=repr,
)
def test_seed_may_be_an_integer_of_numpy(reset, seed):
    assert reset(seed) == reset(int(seed))
    assert reset(seed)[0] == (int(seed), 0)


@pytest.mark.parametrize("reset", RESET.values(), ids=RESET)
def test_drawn_seed_fits_a_double(reset):
    drawn = [seed for _ in range(8) for seed, _ in reset(None)]
    assert max(drawn) < 2**53 and len(set(drawn)) > 7
    assert max(drawn) > 2**45  # none of 8 above it: once in 10**19


@pytest.mark.parametrize(
    "seeds",
    [[np.uint64(2**63 - 1), np.int8(6)], (2**63 - 1, 6), np.array([2**63 - 1, 6], np.uint64)],
    ids=["kinds that numpy makes floats of", "tuple", "unsigned"],
)
def test_lane_seeds_may_be_integers_of_several_kinds(seeds):
    lanes, env = VectorEnv("jie-long", 2), gymnasium.make_vec("gupai/JieLong-v0", num_envs=2).unwrapped
    lanes.reset(seeds=seeds)
    env.reset(seed=seeds)
    assert lanes.seeds.tolist() == env.envs.seeds.tolist() == [2**63 - 1, 6]


def test_seed_of_64_bits_is_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"not 18446744073709551615; take it modulo 2\*\*63$"):
        GupaiEnv("jie-long").reset(np.uint64(2**64 - 1))


@pytest.mark.parametrize(
    "wrong",
    [
        [1, 2, 3],
        [1],
        1,
        [1.5, 2.0],
        ["1", "2"],
        [None, 1],
        [True, False],
        [-1, 1],
        [2**63, 1],
        [1, 2**63],
        [1, -1],
        [[1], [2]],
        [[1], [2, 3]],
        "12",
        10**40,
    ],
    ids=str,
)
def test_seeds_are_one_per_lane(wrong):
    envs, env = VectorEnv("jie-long", 2, seed=1), gymnasium.make_vec("gupai/JieLong-v0", num_envs=2).unwrapped
    env.reset(seed=1)
    before = envs.states.copy(), env.envs.states.copy()
    with pytest.raises(ValueError, match=r"seeds must be 2 integers, one per lane|a seed is a whole number") as error:
        envs.reset(seeds=wrong)
    one_line(error)
    if wrong not in (1, [None, 1]):  # there a number is the seed of the first lane, and None of a lane that goes on
        with pytest.raises(ValueError, match="seed") as error:
            env.reset(seed=wrong)
        one_line(error)
    assert (envs.states == before[0]).all()
    assert (env.envs.states == before[1]).all()


def test_seeds_of_adjacent_lanes_stay_within_bounds():
    env = gymnasium.make_vec("gupai/JieLong-v0", num_envs=3)
    for wrong in (2**63, -1, True, 1.0, "1"):
        with pytest.raises(ValueError, match=r"^a seed is a whole number from 0 to 2\*\*63 - 1, not "):
            env.reset(seed=wrong)
    env.reset(seed=2**63 - 2)
    assert env.unwrapped.envs.seeds.tolist() == [2**63 - 2, 2**63 - 1, 0]
    first = env.reset(seed=np.int64(7))[0]
    assert (first == env.reset(seed=[7, 8, 9])[0]).all()
    assert (first == env.reset(seed=np.array([7, 8, 9], np.uint8))[0]).all()


@pytest.mark.parametrize("option", ["observe", "renew", "skip_forced"])
@pytest.mark.parametrize("wrong", ["no", 0, 1, None, 1.0])
def test_boolean_is_true_or_false(option, wrong):
    with pytest.raises(ValueError, match=f"{option}={wrong!r} is not allowed; it must be True or False"):
        VectorEnv("jie-long", 2, **{option: wrong})


@pytest.mark.parametrize("seat", [-1, 4, 1.0, True, "0", None, np.arange(2)])
def test_seat_is_one_of_the_table(seat):
    for make in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match=r'seat=.* is not allowed; choose "random" or a seat of \[0, 1, 2, 3\]'):
            make("gupai/JieLong-v0", seat=seat)
        make("gupai/JieLong-v0", seat=np.int64(3))


def test_agent_without_a_seat_is_refused():
    env = GupaiEnv("jie-long")
    env.reset(seed=1)
    for wrong in ("seat_4", 0, None, np.arange(2), ["seat_0"]):
        for ask_of in (env.observe, env.observation_space, env.action_space):
            with pytest.raises(ValueError, match="is not an agent; the agents are seat_0, seat_1, seat_2, seat_3"):
                ask_of(wrong)


@pytest.mark.parametrize("rows", [None, 1, "01", [0.0], [[0, 1]], [None], np.int64(1)], ids=str)
def test_viewed_lanes_are_a_slice_or_integers(rows):
    envs = VectorEnv("jie-long", 3, seed=1)
    with pytest.raises(ValueError, match=r"^rows must be a slice or integers"):
        envs.views(rows)
    assert len(envs.views([2, 0])[0]) == len(envs.views([True, False, True])[1]) == 2
    with pytest.raises(IndexError):
        envs.views([3])


@pytest.mark.parametrize("wrong", [-1, 4, 1.5, None, "0", True])
def test_results_are_of_existing_players_and_seats(wrong):
    greedy, random = make_agent("greedy"), make_agent("random")
    result, standings = greedy_duel(), round_robin("jie-long", [greedy, random], 2)
    for found, name in (
        (lambda: result.mean(wrong), "player"),
        (lambda: result.at_seat(wrong, 0), "player"),
        (lambda: result.at_seat(0, wrong), "seat"),
        (lambda: standings.total(wrong), "hero"),
        (lambda: standings.against(wrong, 0), "hero"),
        (lambda: standings.against(0, wrong), "villain"),
        (lambda: standings.at_seat(wrong, 0), "hero"),
        (lambda: standings.at_seat(0, wrong), "seat"),
    ):
        with pytest.raises(ValueError, match=f"^{name}=.* is not allowed; it must be a whole number from 0 to"):
            found()
    result.mean(3), result.at_seat(3, 3), standings.at_seat(1, 3), standings.against(1, 0)


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), "1", None])
def test_payoff_scale_is_above_0(scale):
    with pytest.raises(ValueError, match=r"^payoff_scale=.* is not allowed; it must be a number above 0$"):
        LearnerVecEnv("jie-long", 2, payoff_scale=scale)


@pytest.mark.parametrize(
    "wrong", [[0.0, 1.0], [True, False], [0], [[0], [1]], ["0", "1"], None], ids=lambda wrong: str(wrong)
)
def test_learner_actions_are_integers(wrong):
    env = LearnerVecEnv("jie-long", 2)
    env.reset()
    with pytest.raises(ValueError, match=r"^actions must be 2 integers, one per lane, not "):
        env.step_async(wrong)


@pytest.mark.parametrize("words", [["players"], [None], [5], ["=" * 900]], ids=str)
def test_invalid_option_words_are_refused_in_one_line(words):
    with pytest.raises(ValueError, match=r"sets no option|is not an option") as error:
        GAME.variant.parse(words)
    one_line(error)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_long_option_value_is_shortened(game):
    for option, digit in product(vars(game.variant()), "9x"):
        with pytest.raises(ValueError, match=f"^{option}=") as error:
            game.variant.parse([f"{option}={digit * 5000}"])
        one_line(error)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("a\nb", r"'a\nb'"),
        (np.arange(400).reshape(20, 20), "array([[ 0, 1, 2,"),
        (np.int64(5), "5"),
        (10**5000, "a value of type int"),
        ("x" * 500, "'xxxxx"),
    ],
    ids=["lines", "array", "numpy", "digits", "long"],
)
def test_value_is_shown_on_one_line_and_shortened(value, said):
    text = short_repr(value)
    assert text.startswith(said)
    assert "\n" not in text
    assert len(text) <= LONGEST
