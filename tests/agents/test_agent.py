"""User-defined agents on the command line: how they fail, how names tell them apart, how tournaments resume."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.agent import labels_of, name_of
from gupai_agents.evaluation import duel, play_into, play_tournament, schedule, verify
from gupai_agents.evaluation.tournaments.folder import FolderError
from gupai_agents.evaluation.tournaments.ladder import play_ladder
from gupai_env.games import get_game

GAME = get_game("jie-long")
VARIANT = GAME.variant()
HERE = Path(__file__).name


class Mine:
    """An agent that plays its first legal action."""

    name = "mine"

    def act(self, turns):
        return turns.masks.argmax(1)


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

        def act(self, turns):
            return (self.drawn.random(turns.masks.shape) * turns.masks).argmax(1)

    plan = schedule(GAME, ["mine", "greedy"], 2)
    with pytest.raises(ValueError, match=r"^mine answers equal decisions differently: draw from their RNG keys"):
        play_into(tmp_path / "kept", plan, [Drawing(), make_agent("greedy")])
