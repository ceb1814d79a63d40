"""What is refused where it enters, in one line that says what came and what is allowed, and with nothing changed."""

import os
import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch, Memories, ask, probabilities
from gupai_agents.decisions import answers
from gupai_agents.evaluation import duel, exact, play_duplicates, round_robin
from gupai_agents.network_agent import ObservationAgent
from gupai_app.review import terminal as watching
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.aec import GupaiEnv
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import WAIT
from gupai_env.words.checks import LONGEST, short_repr
from gupai_training.opponents import FixedOpponents
from gupai_training.selfplay import SelfPlayVecEnv
from trees import tiny_tree

GAME = get_game("jie-long")
TINY = {"deck": "tiny", "players": 2}


def one_line(error: pytest.ExceptionInfo) -> str:
    """The text of an error, which is one line that a person can read."""
    text = str(error.value)
    assert "\n" not in text
    assert len(text) < 500
    return text


class Answering:
    """An agent that changes the legal answers of another one."""

    name = "answering"

    def __init__(self, change, game=GAME):
        self.change, self.agent = change, make_agent("greedy", game)

    def act(self, turns: DecisionBatch) -> object:
        return self.change(self.agent.act(turns).astype(np.int64))


# Everything that asks agents: what it is called, and how it is made to ask.


def self_play(agent) -> None:
    env = SelfPlayVecEnv.against("jie-long", 8, ["greedy"])
    env.pool.agents[:] = [agent]
    env.reset()
    for _ in range(3):
        env.play(env.masks.argmax(1))


def watched(agent) -> None:
    watching.watch_json(GAME, GAME.variant(), [agent] * 4, 1)


def gym(make):
    def play_gym(agent) -> None:
        env = make("gupai/JieLong-v0", opponents=["greedy", agent, "random"])
        env.reset(seed=1)
        for _ in range(3):
            env.step(env.action_space.sample())

    return play_gym


ENTRIES = {
    "duel": lambda agent: duel("jie-long", make_agent("greedy"), agent, 3),
    "duplicates": lambda agent: play_duplicates("jie-long", [make_agent("random")] * 3 + [agent], 3),
    "round robin": lambda agent: round_robin("jie-long", [make_agent("greedy"), agent], 3),
    "gymnasium": gym(gymnasium.make),
    "gymnasium lanes": gym(gymnasium.make_vec),
    "exact": lambda agent: tiny_tree("jie-long").policy([agent] * 2),
    "self-play": self_play,
    "watch": watched,
}
entries = pytest.mark.parametrize("entry", ENTRIES.values(), ids=ENTRIES)


# --- agents ---------------------------------------------------------------------------------------


@entries
@pytest.mark.parametrize("other", ["tiu-u", "ce-deng"])
def test_agent_of_another_game_is_refused_everywhere(entry, other):
    with pytest.raises(ValueError, match=f"^greedy plays {other}, not jie-long$"):
        entry(make_agent("greedy", other))


@entries
def test_agent_of_another_variant_is_refused_everywhere(entry):
    variant = GAME.variant(open_ends=2, deals=3, leader=1, stake=2)
    agent = ObservationAgent("net", "jie-long", lambda seen: np.zeros((len(seen), 63)), variant)
    with pytest.raises(ValueError, match=r"^net was made for (open_ends=2, not open_ends=1|players=4, not players=2)$"):
        entry(agent)


def test_unobserved_options_do_not_matter():
    variant = GAME.variant(deals=3, leader=1, stake=2)
    duel(
        "jie-long",
        ObservationAgent("net", "jie-long", lambda seen: np.zeros((len(seen), 63)), variant),
        make_agent("greedy"),
        3,
    )


@entries
def test_invalid_agent_is_refused_everywhere(entry):
    with pytest.raises(ValueError, match="is not an agent: it needs a method `act`"):
        entry(5)
    with pytest.raises(ValueError, match="is not an agent"):
        entry(Answering)  # the class, not an agent
    nameless = Answering(lambda actions: actions)
    nameless.name = None
    with pytest.raises(ValueError, match="has no name"):
        entry(nameless)


def test_agents_game_may_be_given_by_its_id():
    agent = Answering(lambda actions: actions)
    agent.game = "jie_long"
    duel("jie-long", agent, agent, 2)
    agent.game = "ding-niu"
    with pytest.raises(ValueError, match="answering plays ding-niu, not jie-long"):
        duel("jie-long", agent, agent, 2)


def test_round_robin_refuses_the_last_agent_before_dealing():
    played = []
    with pytest.raises(ValueError, match="plays tiu-u"):
        round_robin(
            "jie-long",
            [make_agent("greedy"), make_agent("random"), make_agent("greedy", "tiu-u")],
            3,
            progress=played.append,
        )
    assert played == []


def test_equal_agents_that_differ_are_distinguished():
    class Same(Answering):
        __hash__ = None

        def __eq__(self, other):
            return True

    asked = []
    agents = [Same(lambda actions, seat=seat: asked.append(seat) or actions) for seat in range(4)]
    play_duplicates("jie-long", agents, 2)
    assert set(asked) == {0, 1, 2, 3}


WRONG = {
    "floats": (lambda actions: actions + 0.5, "answering: actions must be .* integers?, one per row, not float64"),
    "whole floats": (lambda actions: actions.astype(float), "one per row, not float64"),
    "truth values": (lambda actions: actions > 0, "one per row, not bool"),
    "a scalar": (lambda actions: int(actions[0]), r"one per row, not int64 \[\]"),
    "a list too many": (lambda actions: [*actions, 0], "one per row, not int64"),
    "columns": (lambda actions: actions[:, None], "one per row, not int64"),
    "nothing": (lambda actions: None, r"one per row, not object \[\]"),
    "words": (lambda actions: [str(action) for action in actions], "one per row, not <U"),
    "ragged": (lambda actions: [[0, 1], *[[0]] * len(actions)], "one per row, not object"),
    "wait": (lambda actions: np.full_like(actions, -2), "-2 is not an action; .*legal: "),
    "from the end": (lambda actions: actions - 63, "-.* is not an action; .*legal: "),
    "wrapped": (lambda actions: actions + 65536, "65.* is not an action; .*legal: "),
    "wrapped far": (lambda actions: actions + (1 << 32), "4294.* is not an action; .*legal: "),
    "unsigned": (lambda actions: actions.astype(np.uint64) - np.uint64(100), "1844.* is not an action; .*legal: "),
    "forbidden": (lambda actions: np.full_like(actions, 62), r"discard .* \(action 62\) is not legal; legal: "),
}


@entries
@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG)
def test_wrong_answers_of_an_agent_are_refused_everywhere(entry, change, said):
    with pytest.raises(ValueError, match=said) as error:
        entry(Answering(change))
    assert one_line(error).startswith("answering")


def test_large_unsigned_number_is_no_wait():
    envs = VectorEnv("jie-long", 2, seed=1)
    with pytest.raises(ValueError, match=r"^lane 0, seat \d.* is not an action"):
        envs.step(np.full(2, 2**64 + WAIT, np.uint64))


@entries
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint64, list])
def test_whole_numbers_of_any_kind_are_answers(entry, kind):
    entry(Answering(lambda actions: actions.tolist() if kind is list else actions.astype(kind)))


def test_wrong_answer_is_reported_by_lane_seat_and_action():
    envs = VectorEnv("jie-long", 6, seed=1)
    mover = np.array([-1, 0, -1, 0, 0, -1])

    def change(actions: np.ndarray) -> np.ndarray:
        actions[1] = 62
        return actions

    envs._arrays["masks"][:, 62] = False
    with pytest.raises(IllegalActionError) as error:
        answers(envs, [Answering(change)], mover, Memories(envs.num_envs, envs.variant.players))
    text = one_line(error)
    assert text.startswith(f"answering, lane 3, seat {envs.seats[3]}: discard [6:6] (action 62) is not legal; legal: ")
    first = int(envs.masks[3].argmax())
    assert f"({first})" in text


def test_rows_of_a_batch_without_lanes_are_counted():
    envs = VectorEnv("jie-long", 3, seed=1)
    views, rng_keys = envs.views()
    turns = DecisionBatch(views, envs.masks, rng_keys)
    with pytest.raises(IllegalActionError, match=f"^answering, row 2, seat {envs.seats[2]}: -2 is not an action"):
        ask(Answering(lambda actions: np.array([*actions[:2], -2])), GAME, envs.variant, turns)


@pytest.mark.parametrize("wrong", [-1, -2, -63, 63, 64, 65536, 1 << 40])
def test_invalid_action_never_wraps_to_a_legal_one(wrong):
    envs = VectorEnv("jie-long", 3, seed=1)
    views, rng_keys = envs.views()
    turns = DecisionBatch(views, np.ones_like(envs.masks), rng_keys)
    with pytest.raises(IllegalActionError, match=f"row 1, seat .*: {wrong} is not an action; "):
        ask(Answering(lambda actions: np.array([0, wrong, 62])), GAME, envs.variant, turns)


@pytest.mark.parametrize(
    ("told_by", "said"),
    [
        (lambda masks: masks * 1.0, "do not add up to 1"),
        (lambda masks: np.full(masks.shape, np.nan), "are not those of the legal actions"),
        (lambda masks: np.full(masks.shape, 1 / masks.shape[1]), "are not those of the legal actions"),
        (lambda masks: masks[0] / masks[0].sum(), "are not those of the legal actions"),
        (lambda masks: "none", "are not those of the legal actions"),
        (lambda masks: None, "are not those of the legal actions"),
    ],
)
def test_invalid_distribution_over_legal_actions_is_refused(told_by, said):
    agent = Answering(lambda actions: actions)
    agent.probabilities = lambda turns: told_by(turns.masks)
    envs = VectorEnv("jie-long", 3, seed=1)
    views, rng_keys = envs.views()
    with pytest.raises(ValueError, match=f"answering: its probabilities {said}"):
        probabilities(agent, GAME, envs.variant, DecisionBatch(views, envs.masks, rng_keys))


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (lambda seen: np.zeros((len(seen), 62)), r"scores must be numbers \[\d+, 63\], .* not float64 \[\d+, 62\]"),
        (lambda seen: np.zeros(63), r"not float64 \[63\]"),
        (
            lambda seen: np.full((len(seen), 63), np.nan),
            "the network's output for action 0 is nan in row 0; it must be ",
        ),
        (lambda seen: None, "not object"),
    ],
)
def test_invalid_scores_are_refused(score, said):
    with pytest.raises(ValueError, match=f"^net: .*{said}"):
        duel("jie-long", ObservationAgent("net", "jie-long", score), make_agent("greedy"), 3)


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_failed_opponent_is_not_replaced(make):
    answer = [lambda actions: actions]
    env = make("gupai/JieLong-v0", opponents=Answering(lambda actions: answer[0](actions))).unwrapped
    env.reset(seed=1)
    answer[0] = lambda actions: actions - 100

    def play_on():
        for _ in range(20):
            env.step(env.action_space.sample())

    with pytest.raises(IllegalActionError, match=r"^answering"):
        play_on()
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(env.action_space.sample())
    answer[0] = lambda actions: actions
    env.reset(seed=2)
    env.step(env.action_space.sample())


@pytest.mark.parametrize("name", [None, 5, "", "greedi", "checkpoint:", "GREEDY", ["greedy"]])
def test_unknown_player_is_refused_with_a_list(name):
    with pytest.raises(ValueError, match=r"is not a player.*random, greedy, variety") as error:
        make_agent(name)
    one_line(error)


# --- numbers --------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("seed", ["5", [5, 6], 2**64, -1, True, 1.0], ids=repr)
def test_bad_self_play_seed_is_refused_at_once(seed):
    env = SelfPlayVecEnv.against("jie-long", 2)
    with pytest.raises(ValueError, match=r"^a seed is a whole number from 0 to 2\*\*63 - 1, not ") as error:
        env.seed(seed)
    one_line(error)


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
    if wrong != 1:  # there it is the seed of the first lane
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


@pytest.mark.parametrize("seed", NO_SEEDS, ids=lambda seed: short_repr(seed)[:20])
def test_self_play_takes_the_seeds_of_lanes(seed):
    with pytest.raises(ValueError, match=r"^a seed is a whole number from 0 to 2\*\*63 - 1, not "):
        SelfPlayVecEnv("jie-long", 2, FixedOpponents([make_agent("greedy")], 4, np.random.default_rng(0)), seed=seed)


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), "1", None])
def test_payoff_scale_is_above_0(scale):
    with pytest.raises(ValueError, match=r"^payoff_scale=.* is not allowed; it must be a number above 0$"):
        SelfPlayVecEnv.against("jie-long", 2, payoff_scale=scale)


@pytest.mark.parametrize(
    "wrong", [[0.0, 1.0], [True, False], [0], [[0], [1]], ["0", "1"], None], ids=lambda wrong: str(wrong)
)
def test_learner_actions_are_integers(wrong):
    env = SelfPlayVecEnv.against("jie-long", 2)
    env.reset()
    with pytest.raises(ValueError, match=r"^actions must be 2 integers, one per lane, not "):
        env.step_async(wrong)


@pytest.mark.parametrize("wrong", [-1, -2, 63, 65536, 1 << 40])
def test_invalid_learner_action_never_wraps_to_another(wrong):
    env = SelfPlayVecEnv.against("jie-long", 2)
    env.reset()
    env.step_async(np.array([env.masks[0].argmax(), wrong + env.masks[1].argmax() * (wrong == 65536)]))
    with pytest.raises(IllegalActionError, match="lane 1"):
        env.step_wait()


@pytest.mark.parametrize("words", [["players"], [None], [5], ["=" * 900]], ids=str)
def test_invalid_option_words_are_refused_in_one_line(words):
    with pytest.raises(ValueError, match=r"sets no option|is not an option") as error:
        GAME.variant.parse(words)
    one_line(error)


@pytest.mark.parametrize(
    ("game", "option"), [(game.id, name) for game in GAMES.values() for name in vars(game.variant())]
)
def test_long_option_value_is_shortened(game, option):
    for long in ("9" * 5000, "x" * 5000):
        with pytest.raises(ValueError, match=f"^{option}=") as error:
            GAMES[game].variant.parse([f"{option}={long}"])
        one_line(error)


@pytest.mark.parametrize("name", [None, 5, "x" * 5000, np.arange(400), ["jie-long"], b"jie-long"], ids=short_repr)
def test_invalid_game_is_refused_in_one_line(name):
    with pytest.raises(ValueError, match="is not a game; the games are") as error:
        get_game(name)
    one_line(error)


@pytest.mark.parametrize("wrong", [np.arange(400), "x" * 5000, 5, ["human"]], ids=short_repr)
@pytest.mark.parametrize("option", ["render_mode", "mask_in"])
def test_mode_is_one_of_its_words(option, wrong):
    with pytest.raises(ValueError, match=f"^{option}=.* is not allowed; choose ") as error:
        GupaiEnv("jie-long", **{option: wrong})
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


# --- chips ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "named"),
    [
        ("jie-long", {"stake": 1e40}, "stake=1e+40"),
        ("jie-long", {"stake": 10**400}, "stake="),
        ("jie-long", {"stake": 65_028}, "stake=65028.0"),
        ("jie-long", {"stake": 66, "deals": 1000}, "stake=66.0"),
        ("jie-long", {"stake": 33.5, "deals": 1000}, "stake=33.5"),
        ("jie-long", {"stake": 508.1}, "stake=508.1"),
        ("jie-long", {"stake": 0.009}, "stake=0.009"),
        ("da-ling", {"casino_fee": 99_999_999_999}, "casino_fee=99999999999"),
        ("da-ling", {"casino_fee": 16_778, "deals": 1000}, "casino_fee=16778"),
        ("da-ling", {"casino_fee": 10**5000}, "casino_fee="),
        ("da-ling", {"stakes": (1, 2, 4_194_302)}, "stakes=(1, 2, 4194302)"),
        ("da-ling", {"stakes": (1, 2, 10**400)}, "stakes="),
        ("da-ling", {"stakes": (1, 2, 1e-30)}, "stakes=(1, 2, 1e-30)"),
        ("da-ling", {"stakes": (1, 2, 40_000.1)}, "stakes=(1, 2, 40000.1)"),
    ],
)
def test_stakes_beyond_float32_are_refused(game, options, named):
    with pytest.raises(ValueError, match=re.escape(named)) as error:
        GAMES[game].variant(**options)
    assert "not allowed" in one_line(error)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("jie-long", {"stake": 65_027}),
        ("jie-long", {"stake": 65, "deals": 1000}),
        ("jie-long", {"stake": 32.5, "deals": 1000}),
        ("jie-long", {"stake": 508 + 1 / 128}),
        ("jie-long", {"stake": 507.9}),
        ("jie-long", {"stake": 0.01}),
        ("da-ling", {"casino_fee": 16_777, "deals": 1000, "absolute_tie": "push"}),
        ("da-ling", {"stakes": (1, 2, 4_194_301)}),
    ],
)
def test_chips_within_the_bounds_are_counted_exactly(game, options):
    """The totals of a match, in float32, are those that exact arithmetic finds from the payoffs of the same deals."""
    envs = VectorEnv(game, 20, seed=4, renew=False, **options)
    unit = [stake for stake in (options.get("stake"),) if stake] or [1]
    plain = VectorEnv(
        game, 20, seed=4, renew=False, **{name: value for name, value in options.items() if name == "deals"}
    )
    scaled, exact_totals = game == "jie-long", np.zeros((20, envs.game.max_seats))
    while not envs.terminated.all():
        actions = envs.sample(int(envs.states.moves.max()))
        payoffs, _ = envs.step(actions)
        assert np.abs(payoffs).max() <= envs.game.payoff_bound(envs.variant)
        if scaled:
            exact_totals += plain.step(actions)[0].astype(np.float64) * unit[0]
        else:
            exact_totals += payoffs
    tolerance = 0 if (np.array(unit) * 128 % 1 == 0).all() else 1 / 128
    assert np.abs(envs.states.total - exact_totals).max() <= tolerance
    assert np.abs(exact_totals).max() > 0


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_longest_match_of_every_game_is_counted_exactly(game):
    assert game.payoff_bound(game.variant()) * 1000 <= 1 << 24


# --- the command line -----------------------------------------------------------------------------

WRITERS = {  # every command that writes one file: the words before its name, and what must not be begun
    "replay --html": ("replay missing.jsonl --html", None),
    "export --onnx": ("export missing --onnx", None),
    "export --sb3": ("export missing --sb3", None),
    "tune --out": ("tune jie-long --out", "gupai_app.training.tune.run"),
    "claim --html": ("claim run jl-attack-2 --html", "gupai_app.claims.terminal.test"),
    "watch --record": ("watch jie-long random --record", "gupai_app.review.terminal.watch"),
    "play --record": ("play jie-long --against random --record", "gupai_app.play.terminal.play"),
    "gate --record": ("gate jie-long greedy random --record", "gupai_agents.evaluation.gate"),
    "tournament --record": (
        "tournament jie-long greedy random --record",
        "gupai_agents.evaluation.tournament.play_tournament",
    ),
}
TARGETS = {  # what is named, in a folder, and what is said of it
    "a folder": (lambda at: at / "folder.yaml", "this is a folder; name a file"),
    "a device": (lambda at: "/dev/null", "this is not a regular file; name one"),
    "a pipe": (lambda at: at / "pipe.yaml", "this is not a regular file; name one"),
    "a link to a device": (lambda at: at / "link.yaml", "this is not a regular file; name one"),
    "no folder": (lambda at: at / "none" / "x.yaml", "there is no folder"),
    "a file": (lambda at: at / "file.yaml", "exists already; choose another name, or replace it with --force"),
    "a long name": (lambda at: at / ("x" * 300 + ".yaml"), "the name is too long"),
    "nothing": (lambda at: "", " is empty"),
}


@pytest.mark.skipif(os.name != "posix", reason="devices and pipes")
@pytest.mark.parametrize("writer", WRITERS)
def test_unwritable_target_is_refused_before_a_command_begins(writer, tmp_path, monkeypatch):
    words, begun = WRITERS[writer]
    if begun is not None:
        monkeypatch.setattr(begun, lambda *_, **__: pytest.fail("it has begun"))
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "file.yaml").write_text("mine")
    (tmp_path / "link.yaml").symlink_to("/dev/null")
    os.mkfifo(tmp_path / "pipe.yaml")
    before = sorted(tmp_path.rglob("*"))
    for make, said in TARGETS.values():
        target = str(make(tmp_path))
        for force in ([], ["--force"])[: 1 if "exists" in said else 2]:
            if "tune" in words and target == "/dev/null":
                said = "the name of a heuristic's file ends with .yaml"
            result = gupai(*words.split(), target, *force)
            assert (result.exit_code, result.stdout) == (2, ""), (target, result.output, result.exception)
            assert result.stderr.startswith(f"gupai: {words.split()[-1]} ") and said in result.stderr
            assert result.stderr.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file.yaml").read_text() == "mine"
    assert Path("/dev/null").is_char_device()


OTHERS_WORDS = ("Input should", "Errno", "Invalid value", "codec", "PosixPath", "must be int", "Traceback", "NoneType")
ODD_WORDS = [  # a command and what its line says
    (
        "tournament jie-long greedy random --deals x",
        "--deals=x is not allowed; write a whole number from 2 to 8,388,608",
    ),
    ("tournament jie-long greedy random --deals 1.5", "--deals=1.5 is not allowed; write a whole number from 2"),
    (f"tournament jie-long greedy random --deals {'9' * 3000}", "is not allowed; write a whole number from 2"),
    ("tournament jie-long greedy random --deals 9000000000", "--deals=9000000000 is not allowed; write"),
    ("tune jie-long --seconds nan", "--seconds=nan is not allowed; write a number from 0 to 1,000,000"),
    ("tune jie-long --seconds x", "--seconds=x is not allowed; write a number from 0 to 1,000,000"),
    ("web --port 70000", "--port=70000 is not allowed; write a whole number from 1 to 65,535"),
    ("play --seat 1e308", "--seat=1e308 is not allowed; write a whole number"),
    ("watch jie-long -o players=x", "players=x is not allowed; choose 2, 3 or 4"),
    ("watch jie-long -o deals=x", "deals=x is not allowed; write 1 to 1000"),
    ("watch jie-long -o deals=1e3", "deals=1e3 is not allowed; write 1 to 1000"),
    ("watch jie-long -o stake=x", "stake=x is not allowed; write a number from 0.01"),
    ("watch da-ling -o casino_fee=1.5", "casino_fee=1.5 is not allowed; write a whole number from 0"),
    ("watch jie-long heuristic:{at}/latin.yaml", "{at}/latin.yaml is not UTF-8 text"),
    ("watch jie-long heuristic:{at}/none.yaml", "{at}/none.yaml: no such file or folder"),
    ("watch jie-long heuristic:{at}/folder.yaml", "{at}/folder.yaml: this is a folder; name a file"),
    ("claim run {at}/latin.yaml", "{at}/latin.yaml is not UTF-8 text"),
    ("claim run {at}/none.yaml", "{at}/none.yaml: no such file or folder"),
    ("claim run {at}/folder.yaml", "{at}/folder.yaml: this is a folder; name a file"),
    ("claim run {at}/loop.yaml", "{at}/loop.yaml: too many symbolic links"),
    ("train {at}/latin.yaml", "{at}/latin.yaml is not UTF-8 text"),
    (
        "train jie-long --set ppo.envs=x",
        "jie-long: ppo.envs='x' is not allowed; write a whole number from 1 to 1,048,576",
    ),
    ("train jie-long --set seed=-1", "jie-long: seed=-1 is not allowed; write a whole number from 0 to 4,294,967,295"),
    ("train jie-long --set ppo.entropy=0", "ppo.entropy=0 is not allowed; write a number above 0 and of at most 10"),
    ("train jie-long --set precision=x", "precision='x' is not allowed; choose auto, float32 or bfloat16"),
    ("train jie-long --set name=a/b", "name='a/b' is not allowed; write at most 60 letters, digits, dots, - and _"),
    ("train jie-long --set network=5", "network=5 is not allowed; this is a group of settings"),
    ("replay {at}", "{at}: this is a folder; name a file"),
    ("replay {at}/none", "{at}/none: no such file or folder"),
    ("verify {at}/latin.yaml", "{at}/latin.yaml: not a card"),
    ("export {at}/none --onnx {at}/x --sb3 {at}/./x", "--onnx and --sb3 both name {at}/x; name two files"),
]


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize(("words", "said"), ODD_WORDS, ids=lambda each: each[:60])
def test_unusual_command_words_are_refused_in_our_own_words(words, said, tmp_path):
    (tmp_path / "latin.yaml").write_bytes("# é".encode("latin-1"))
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    result = gupai(*words.format(at=tmp_path).split())
    assert (result.exit_code, result.stdout) == (2, "")
    assert said.format(at=tmp_path) in result.stderr
    assert result.stderr.startswith("gupai: ") and result.stderr.count("\n") == 1 and len(result.stderr) < 1100
    assert not any(word in result.stderr for word in OTHERS_WORDS)
