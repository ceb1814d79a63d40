"""What is refused where it enters, in one line that says what came and what is allowed, and with nothing changed."""

import os
import re
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from commands import gupai
from errors import one_line
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch, Memories, ask, probabilities
from gupai_agents.decisions import answers
from gupai_agents.evaluation import duel, play_duplicates, round_robin
from gupai_agents.network_agent import ObservationAgent
from gupai_app.review import terminal as watching
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import WAIT
from gupai_training.selfplay import SelfPlayVecEnv
from trees import tiny_tree

GAME = get_game("jie-long")


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


@pytest.mark.parametrize("wrong", [-1, -2, 63, 65536, 1 << 40])
def test_invalid_learner_action_never_wraps_to_another(wrong):
    env = SelfPlayVecEnv.against("jie-long", 2)
    env.reset()
    env.step_async(np.array([env.masks[0].argmax(), wrong + env.masks[1].argmax() * (wrong == 65536)]))
    with pytest.raises(IllegalActionError, match="lane 1"):
        env.step_wait()


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
