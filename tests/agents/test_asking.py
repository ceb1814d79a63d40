"""Whoever asks an agent does it by one door: its answers are checked, its failures named, and it changes nothing."""

import itertools
import pickle
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from errors import one_line
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch, Memories, ask, probabilities
from gupai_agents.evaluation import duel, play_duplicates, play_tournament, round_robin
from gupai_agents.evaluation.tournaments.ladder import play_ladder
from gupai_agents.failure import LONGEST, AgentError, in_one_line
from gupai_agents.gymnasium_envs import SeatEnv, SeatVectorEnv
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_agents.play.decisions import answers
from gupai_agents.play.workers import Processes
from gupai_app.play import terminal as play
from gupai_app.play.session import Session
from gupai_app.review import terminal as watching
from gupai_app.shell.terminal import Terminal
from gupai_env import VectorEnv, get_game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import WAIT
from gupai_training.opponents import OpponentPool
from gupai_training.selfplay import LearnerVecEnv, SelfPlayEnv
from trees import tiny_tree

GAME = get_game("jie-long")
VARIANT = GAME.variant()
HERE = Path(__file__).name


class Mine:
    """An agent that plays its first legal action, in some way of its own."""

    name = "mine"

    def __init__(self, way="well"):
        self.way = way

    def act(self, turns):
        return getattr(self, self.way)(turns, turns.masks.argmax(1))

    def well(self, turns, first):
        return first

    def no_array(self, turns, first):
        class Odd:
            def __array__(self, *more, **named):
                raise RuntimeError("no array")

        return Odd()

    def illegal(self, turns, first):
        return (~turns.masks).argmax(1)

    def writes_masks(self, turns, first):
        wrong = (~turns.masks).argmax(1)
        turns.masks[:] = True
        return wrong

    def writes_views(self, turns, first):
        turns.views.view(np.uint8).reshape(-1)[:] = 7
        turns.rng_keys[:] = 3
        turns.masks[:] = False
        return first

    def is_called_otherwise(self, turns, first):
        self.name = f"mine no {next(NUMBERS)}"
        return first

    def has_no_name(self, turns, first):
        self.name = None
        return first

    def value_error(self, turns, first):
        raise ValueError("two\nlines")

    def input_error(self, turns, first):
        raise EOFError("the end")

    def ends(self, turns, first):
        raise SystemExit(0)

    def disk_error(self, turns, first):
        raise OSError(28, "No space left on device")

    def inner_error(self, turns, first):
        return np.linalg.inv(np.zeros((2, 3)))

    def stops(self, turns, first):
        raise KeyboardInterrupt


NUMBERS = itertools.count()
ILLEGAL = "is not legal; legal: "
SAID = {
    "no_array": "mine: actions must be ",
    "illegal": ILLEGAL,
    "writes_masks": ILLEGAL,
    "value_error": f"agent mine failed with ValueError at {HERE}:{{}}: two lines",
    "input_error": f"agent mine failed with EOFError at {HERE}:{{}}: the end",
    "ends": f"agent mine failed with SystemExit at {HERE}:{{}}: 0",
    "disk_error": f"agent mine failed with OSError at {HERE}:{{}}: [Errno 28] No space left on device",
    "inner_error": f"agent mine failed with LinAlgError at {HERE}:{{}}: ",
}
HARMLESS = ("writes_views", "is_called_otherwise")


def asked(agent):
    envs = VectorEnv(GAME, 3, seed=1)
    views, rng_keys = envs.views()
    ask(agent, GAME, VARIANT, DecisionBatch(views, envs.masks, rng_keys))


def dueled(agent):
    duel(GAME, agent, make_agent("greedy"), 2)


def in_a_tournament(agent):
    play_tournament(GAME, [agent, make_agent("greedy")], 2)


def at_a_ladder(agent):
    play_ladder(GAME, [agent, make_agent("greedy")], 2, 2)


def watched(agent):
    terminal = Terminal(say=lambda text: None, colour=False, width=80)
    watching.watch(GAME, VARIANT, [agent] * VARIANT.players, 1, terminal)


def watched_as_json(agent):
    watching.watch_json(GAME, VARIANT, [agent] * VARIANT.players, 1)


def at_ones_table(agent):
    """A person who always takes the first move, and leaves after one game."""
    terminal = Terminal(lambda prompt: "n" if "again" in prompt else "#1", lambda text: None, width=80)
    play.play(play.Table(Session(GAME, VARIANT, 1), [agent] * VARIANT.players, 0, terminal))


def on_a_page(agent):
    pytest.importorskip("fastapi", reason="the pages need gupai[web]")
    from gupai_app.play.address import Address
    from gupai_app.play.table import WebGame

    class Table(Address):
        def agents(self):
            return [None if seat == self.seat else agent for seat in range(VARIANT.players)]

    seating = WebGame(Table(GAME, VARIANT, 1, 0, 0, ("greedy",)))
    while not seating.terminated:
        seating = WebGame(seating.address, seating.entries[0].actions[:1])


def in_a_gym(agent):
    env = SeatEnv(GAME, opponents=agent)
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))


def in_many_gyms(agent):
    env = SeatVectorEnv(GAME, 2, opponents=agent)
    env.reset(seed=1)
    for _ in range(3):
        env.step(env.action_masks().argmax(1))


def in_a_tiny_tree(agent):
    tiny_tree("jie-long").policy([agent] * 2)


def in_self_play(agent):
    pool = OpponentPool(4, np.random.default_rng(0), 0.0, 1, 0.0)
    pool.add(agent, 0, scripted=True)
    env = SelfPlayEnv(GAME, 8, pool)
    env.reset()
    for _ in range(3):
        env.play(env.masks.argmax(1))


def told_its_policy(agent):
    envs = VectorEnv(GAME, 3, seed=1)
    views, rng_keys = envs.views()
    probabilities(agent, GAME, VARIANT, DecisionBatch(views, envs.masks, rng_keys))


DOORS = (
    asked,
    dueled,
    in_a_tournament,
    at_a_ladder,
    watched,
    watched_as_json,
    at_ones_table,
    on_a_page,
    in_a_gym,
    in_many_gyms,
    in_a_tiny_tree,
    in_self_play,
    told_its_policy,
)
every_door = pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)


def line_of(way):
    """Where this way of playing fails in this file."""
    return getattr(Mine, way).__code__.co_firstlineno + 1


@pytest.mark.parametrize(("length", "cut"), [(LONGEST, 0), (LONGEST + 1, 3), (10 * LONGEST, 3)])
def test_long_message_is_repeated_up_to_its_bound(length, cut):
    said = in_one_line(ValueError("x" * length))
    assert said == "x" * (min(length, LONGEST) - cut) + "." * cut

    class SilentError(Exception):
        def __str__(self):
            raise RuntimeError

    assert in_one_line(SilentError()) == ""


# By every door some, for what is done about them is done behind it.
@pytest.mark.parametrize(
    ("door", "way"), [(door, way) for door in DOORS for way in (SAID if door is asked else ("illegal", "value_error"))]
)
def test_failing_agent_is_reported_in_one_line(way, door, monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)
    with pytest.raises((AgentError, IllegalActionError)) as error:
        door(Mine(way))
    text = str(error.value)
    assert SAID[way].format(line_of(way)) in text
    assert "mine" in text and "\n" not in text
    if "failed" in text:
        assert error.value.__cause__ is not None
    again = pickle.loads(pickle.dumps(error.value))
    assert (type(again), str(again)) == (type(error.value), text)


@pytest.mark.parametrize(
    ("door", "way"), [(door, way) for door in DOORS for way in (HARMLESS if door is asked else HARMLESS[:1])]
)
def test_agents_cannot_change_the_batch_they_are_handed(way, door):
    door(Mine(way))


@every_door
def test_ctrl_c_is_not_a_failure_of_an_agent(door):
    with pytest.raises(KeyboardInterrupt):
        door(Mine("stops"))


@every_door
def test_agent_that_loses_its_name_is_refused_or_plays_on(door):
    said = ""
    try:
        door(Mine("has_no_name"))
    except ValueError as error:
        said = str(error)
    assert "has no name; an agent has an attribute `name`" in said or not said


@pytest.mark.parametrize("way", ["writes_views", "well"])
def test_game_does_not_depend_on_what_agents_write(way):
    clean = duel(GAME, Mine("well"), make_agent("greedy"), 5).chips
    assert (duel(GAME, Mine(way), make_agent("greedy"), 5).chips == clean).all()


def test_agent_with_a_policy_is_handed_its_own():
    class Told(Mine):
        def probabilities(self, turns):
            turns.masks[:] = True
            return np.full(turns.masks.shape, 1 / turns.masks.shape[1])

    class Failing(Mine):
        def probabilities(self, turns):
            raise RuntimeError("no policy")

    with pytest.raises(AgentError, match="are not those of the legal actions"):
        told_its_policy(Told())
    with pytest.raises(AgentError, match=f"agent mine failed with RuntimeError at .*{HERE}:.*: no policy"):
        told_its_policy(Failing())


def fail_there(way):
    asked(Mine(way))


def test_failure_comes_back_from_a_worker():
    tasks = Processes(1).as_done(fail_there, {"one": ("ends",)})
    with pytest.raises(AgentError, match=r"agent mine failed with SystemExit at .*test_asking\.py:\d+: 0"):
        list(tasks)


def test_session_asks_agents_like_all_callers():
    session = Session(GAME, VARIANT, 1)
    with pytest.raises(IllegalActionError):
        session.answer(Mine("writes_masks"))
    assert session.mask()[session.answer(Mine())]


# --- what is refused -----------------------------------------------------------------------------


class Answering:
    """An agent that changes the legal answers of another one."""

    name = "answering"

    def __init__(self, change, game=GAME):
        self.change, self.agent = change, make_agent("greedy", game)

    def act(self, turns: DecisionBatch) -> object:
        return self.change(self.agent.act(turns).astype(np.int64))


@every_door
def test_agent_of_another_game_is_refused_everywhere(door):
    with pytest.raises(ValueError, match=r"^greedy plays tiu-u, not jie-long$"):
        door(make_agent("greedy", "tiu-u"))


@every_door
def test_agent_of_another_variant_is_refused_everywhere(door):
    variant = GAME.variant(open_ends=2, deals=3, leader=1, stake=2)
    agent = ObservationAgent("net", "jie-long", lambda seen: np.zeros((len(seen), 63)), variant)
    with pytest.raises(ValueError, match=r"^net was made for (open_ends=2, not open_ends=1|players=4, not players=2)$"):
        door(agent)


def test_unobserved_options_do_not_matter():
    variant = GAME.variant(deals=3, leader=1, stake=2)
    duel(
        "jie-long",
        ObservationAgent("net", "jie-long", lambda seen: np.zeros((len(seen), 63)), variant),
        make_agent("greedy"),
        3,
    )


@every_door
def test_invalid_agent_is_refused_everywhere(door):
    with pytest.raises(ValueError, match="is not an agent: it needs a method `act`"):
        door(5)
    with pytest.raises(ValueError, match="is not an agent"):
        door(Answering)  # the class, not an agent
    nameless = Answering(lambda actions: actions)
    nameless.name = None
    with pytest.raises(ValueError, match="has no name"):
        door(nameless)


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


@pytest.mark.parametrize(("change", "said"), WRONG.values(), ids=WRONG)
def test_wrong_answers_of_an_agent_are_refused(change, said):
    with pytest.raises(ValueError, match=said) as error:
        asked(Answering(change))
    assert one_line(error).startswith("answering")


def test_large_unsigned_number_is_no_wait():
    envs = VectorEnv("jie-long", 2, seed=1)
    with pytest.raises(ValueError, match=r"^lane 0, seat \d.* is not an action"):
        envs.step(np.full(2, 2**64 + WAIT, np.uint64))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.int32, np.uint64, list])
def test_whole_numbers_of_any_kind_are_answers(kind):
    asked(Answering(lambda actions: actions.tolist() if kind is list else actions.astype(kind)))


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


@pytest.mark.parametrize("wrong", [-1, -2, 63, 65536, 1 << 40])
def test_invalid_learner_action_never_wraps_to_another(wrong):
    env = LearnerVecEnv("jie-long", 2)
    env.reset()
    env.step_async(np.array([env.masks[0].argmax(), wrong + env.masks[1].argmax() * (wrong == 65536)]))
    with pytest.raises(IllegalActionError, match="lane 1"):
        env.step_wait()
