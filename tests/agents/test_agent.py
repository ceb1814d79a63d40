"""Whoever asks an agent does it by one door: its answers are checked, its failures named, and it changes nothing."""

import itertools
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.agent import DecisionBatch, ask, labels_of, name_of, probabilities
from gupai_agents.evaluation import duel, play_into, play_tournament, schedule, verify
from gupai_agents.evaluation.folder import FolderError
from gupai_agents.evaluation.ladder import play_ladder
from gupai_agents.failure import LONGEST, AgentError, in_one_line
from gupai_agents.gymnasium_envs import SeatEnv, SeatVectorEnv
from gupai_agents.workers import Processes
from gupai_app.play import terminal as play
from gupai_app.play.session import Session
from gupai_app.review import terminal as watching
from gupai_app.shell.terminal import Terminal
from gupai_env.core.illegal import IllegalActionError
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
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

    def nothing(self, turns, first):
        return None

    def fractions(self, turns, first):
        return first * 1.0

    def text(self, turns, first):
        return "first"

    def too_many(self, turns, first):
        return [*first, 0]

    def in_columns(self, turns, first):
        return first[:, None]

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
NO_ACTIONS = "mine: actions must be "
SAID = {
    "nothing": NO_ACTIONS,
    "fractions": NO_ACTIONS,
    "text": NO_ACTIONS,
    "too_many": NO_ACTIONS,
    "in_columns": NO_ACTIONS,
    "no_array": NO_ACTIONS,
    "illegal": ILLEGAL,
    "writes_masks": ILLEGAL,
    "value_error": f"agent mine failed with ValueError at {HERE}:{{}}: two lines",
    "input_error": f"agent mine failed with EOFError at {HERE}:{{}}: the end",
    "ends": f"agent mine failed with SystemExit at {HERE}:{{}}: 0",
    "disk_error": f"agent mine failed with OSError at {HERE}:{{}}: [Errno 28] No space left on device",
    "inner_error": f"agent mine failed with LinAlgError at {HERE}:{{}}: ",
}
HARMLESS = ("well", "writes_views", "is_called_otherwise")


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


@every_door
@pytest.mark.parametrize("way", SAID)
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


@every_door
@pytest.mark.parametrize("way", HARMLESS)
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
    with pytest.raises(AgentError, match=r"agent mine failed with SystemExit at .*test_agent\.py:\d+: 0"):
        list(tasks)


# --- agents of one's own on the command line ------------------------------------------------------

OWN = """
class Own:
    name = "own"
    def act(self, turns):
        {body}
        return turns.masks.argmax(1)

def make(game, variant):
    return Own()

def again(game, variant):
    return Own()

def refuse(game, variant):
    raise ValueError("not for this game")
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A way to write a module of agents into the current folder, and to give a command there."""
    before = set(sys.modules), list(sys.path)
    monkeypatch.chdir(tmp_path)

    def write(body="pass", name="own_agents"):
        Path(f"{name}.py").write_text(OWN.replace("{body}", body) if "\n" not in body else body)
        sys.modules.pop(name, None)
        for cached in Path("__pycache__").glob(f"{name}.*"):
            cached.unlink()

    yield write
    sys.path[:] = before[1]
    for name in set(sys.modules) - before[0]:
        if name.startswith("own_"):
            del sys.modules[name]


PLAYED = ["tournament", "jie-long", "own_agents:make", "greedy", "--deals", 4]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("raise EOFError('x')", "agent own failed with EOFError at own_agents.py:5: x"),
        ("raise SystemExit(0)", "agent own failed with SystemExit at own_agents.py:5: 0"),
        ("return None", "own: actions must be"),
        ("import nothing\n", "agent own_agents:make failed with ModuleNotFoundError at own_agents.py:1: "),
        ("x = 1\ndef make(:\n", "agent own_agents:make failed with SyntaxError at own_agents.py:2: "),
        ("import sys\nsys.exit()\n", "agent own_agents:make failed with SystemExit at own_agents.py:2"),
        ("make = 3\n", "there is no agent factory make in own_agents"),
        ("make = lambda game, variant: None\n", "None is not an agent"),
        ("def make(game):\n    pass\n", "agent own_agents:make failed with TypeError: make() takes 1 "),
    ],
)
@pytest.mark.parametrize("words", [PLAYED, ["watch", *PLAYED[1:4], "--json"]], ids=lambda words: words[0])
def test_failing_module_is_reported_in_one_line(own, words, body, said):
    own(body)
    found = gupai(*words)
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1), found.output
    assert found.stderr.startswith("gupai: ") and said in found.stderr


def test_debug_shows_the_traceback(own):
    own("raise ValueError('x')")
    found = gupai("--debug", *PLAYED)
    assert found.exit_code == 2
    assert "raise ValueError('x')" in found.stderr and "Traceback" in found.stderr
    assert found.stderr.endswith("gupai: agent own failed with ValueError at own_agents.py:5: x\n")
    assert "Traceback" not in gupai(*PLAYED).stderr


def test_script_finds_modules_in_the_current_folder(own):
    own("raise ValueError('found')")
    script = Path(sys.executable).with_name("gupai")
    if not script.exists():
        pytest.skip("the script is not installed")
    found = subprocess.run([script, *map(str, PLAYED)], capture_output=True, text=True)
    assert "at own_agents.py:5: found" in found.stderr


def test_players_of_the_same_name_are_distinguished(own):
    own()
    first, second = (make_agent(f"own_agents:{name}", GAME) for name in ("make", "again"))
    greedy = make_agent("greedy")
    assert labels_of([first, second, greedy]) == ["own (own_agents:make)", "own (own_agents:again)", "greedy"]
    assert labels_of([Mine(), Mine(), greedy, greedy]) == ["mine", "mine (2)", "greedy", "greedy (2)"]
    numbered = Mine()
    numbered.name = "mine (2)"
    assert labels_of([Mine(), Mine(), numbered]) == ["mine", "mine (3)", "mine (2)"]
    assert name_of(Mine()) == "mine"
    agents = [Mine(), Mine(), greedy]
    assert play_tournament(GAME, agents, 2).players == ("mine", "mine (2)", "greedy")
    assert {rung.player for rung in play_ladder(GAME, agents, 2, 2).rungs} == {"mine", "mine (2)", "greedy"}
    assert duel(GAME, Mine(), Mine(), 2).players == ("mine", "mine (2)", "mine (2)", "mine (2)")
    with pytest.raises(ValueError, match="more than one agent is called 'mine'"):
        schedule(GAME, ["mine", "mine"], 2)


def test_tournament_of_players_of_one_name_is_saved_and_verified(own):
    own()
    assert gupai(*PLAYED, "own_agents:again", "--out", "kept").exit_code == 0
    content = json.loads(Path("kept/manifest.json").read_text())
    assert content["agents"] == ["own (own_agents:make)", "greedy", "own (own_agents:again)"]
    words = content["command"].split()
    assert words[:6] == ["gupai", *PLAYED[:4], "own_agents:again"]
    assert gupai(*words[1:], "--out", "again").exit_code == 0
    assert verify("kept").players == tuple(content["agents"])
    for name in ("games.csv", "manifest.json", "summary.json"):
        assert (Path("kept") / name).read_bytes() == (Path("again") / name).read_bytes()


def test_other_player_of_the_same_name_cannot_resume_a_tournament(own):
    own("import own_parts; return own_parts.first(turns)")
    Path("own_parts.py").write_text("def first(turns): return turns.masks.argmax(1)\n")
    assert gupai(*PLAYED, "--out", "kept").exit_code == 0
    assert gupai(*PLAYED, "--out", "kept", "--resume").exit_code == 0
    for change, said in (
        (lambda: own("return turns.masks.argmax(1)"), "own was made from other files (own_agents.py)"),
        (
            lambda: (
                own("import own_parts; return own_parts.first(turns)"),
                Path("own_parts.py").write_text(
                    "def first(turns): return turns.masks.shape[1] - 1 - turns.masks[:, ::-1].argmax(1)\n"
                ),
                sys.modules.pop("own_parts"),
            ),
            "own played other moves; what makes it has changed",
        ),
    ):
        change()
        found = gupai(*PLAYED, "--out", "kept", "--resume")
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1), found.output
        assert f"gupai: kept is another tournament: {said}" in found.stderr
    other = [PLAYED[0], PLAYED[1], "own_agents:again", *PLAYED[3:]]
    found = gupai(*other, "--out", "kept", "--resume")
    assert "own was made from own_agents:make, not from own_agents:again" in found.stderr


def test_object_of_a_program_has_no_command(tmp_path):
    plan = schedule(GAME, ["mine", "greedy"], 2)
    play_into(tmp_path / "kept", plan, [Mine(), make_agent("greedy")])
    content = json.loads((tmp_path / "kept" / "manifest.json").read_text())
    assert (content["command"], content["players"][0]["spec"]) == (None, None)
    with pytest.raises(FolderError, match="mine played other moves"):
        play_into(tmp_path / "kept", plan, [_other_mine(), make_agent("greedy")], resume=True)


def _other_mine():
    agent = make_agent("variety")
    agent.name = "mine"
    del agent.made_from
    return agent


def test_agent_without_repeatable_answers_is_refused(tmp_path):
    class Drawing(Mine):
        drawn = np.random.default_rng(1)

        def well(self, turns, first):
            return (self.drawn.random(turns.masks.shape) * turns.masks).argmax(1)

    plan = schedule(GAME, ["mine", "greedy"], 2)
    with pytest.raises(ValueError, match=r"^mine answers equal decisions differently: draw from their RNG keys"):
        play_into(tmp_path / "kept", plan, [Drawing(), make_agent("greedy")])


def test_exploited_player_is_not_another_of_its_name():
    with pytest.raises(AgentError, match="mine failed with ValueError"):
        tiny_tree("jie-long").policy([Mine("value_error")] * 2)


def test_session_asks_agents_like_all_callers():
    session = Session(GAME, VARIANT, 1)
    with pytest.raises(IllegalActionError):
        session.answer(Mine("writes_masks"))
    assert session.mask()[session.answer(Mine())]
