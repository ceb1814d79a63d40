"""Programs that read requests as lines of JSON and write moves: they play as written, and fail in one line."""

import gc
import json
import os
import pickle
import re
import shlex
import shutil
import sys

import numpy as np
import pytest

from checkout import ROOT
from gupai_agents import make_agent
from gupai_agents.agent import origin_of
from gupai_agents.evaluation import play_tournament
from gupai_agents.evaluation.benchmark.cards import play_benchmark, timed
from gupai_agents.failure import AgentError, near
from gupai_agents.players.identity import questions
from gupai_agents.players.text_agent import TextAgent
from gupai_agents.registry import agent_of_data, runs_code
from gupai_app.play.session import Session
from gupai_app.words.languages import speak
from gupai_env import GAMES, get_game
from gupai_env.core.tiles import PIPS
from gupai_env.messages import TRANSLATIONS

GAME = get_game("jie-long")
EXAMPLE = ROOT / "examples" / "text_player.py"
JAVASCRIPT = re.search(r"```js\n(.*?)```", (ROOT / "docs" / "writing-an-agent.md").read_text("utf-8"), re.S)[1]


def command(*words):
    return f"command:{shlex.join(map(str, words))}"


def python(code, *words):
    """A program that has read its opening, and in `decision` the first one."""
    read = "import json, sys, time; lines = map(json.loads, sys.stdin); next(lines); decision = next(lines); "
    return command(*words, sys.executable, "-c", read + code)


SPEC = command(sys.executable, EXAMPLE)


class Heaviest:
    """What the example plays, without its text."""

    name = "heaviest"
    pips = np.array([PIPS[list(move.tiles)].sum() for move in GAME.moves])
    scores = np.where([move.discards for move in GAME.moves], -20 - pips, pips)

    def act(self, batch):
        return np.where(batch.masks, self.scores, -1000).argmax(1)


class First:
    name = "first"

    def act(self, batch):
        return batch.masks.argmax(1)


@pytest.mark.parametrize(
    ("words", "same"),
    [((sys.executable, EXAMPLE), Heaviest()), (("node", "-e", JAVASCRIPT), First())],
    ids=["Python", "JavaScript"],
)
def test_program_plays_as_the_same_policy_without_text(words, same):
    if shutil.which(words[0]) is None:
        pytest.skip(f"there is no {words[0]}")
    texts, plain = (
        play_tournament(GAME, [player, "variety"], 2, seed=4).chips
        for player in (make_agent(command(*words), GAME), same)
    )
    np.testing.assert_array_equal(texts, plain)
    assert len(np.unique(texts)) > 10


def test_copy_for_a_worker_has_a_program_of_its_own():
    agent, batch = make_agent(SPEC, GAME), questions(GAME, GAME.variant())
    actions = agent.act(batch)
    twin = pickle.loads(pickle.dumps(agent))
    np.testing.assert_array_equal(twin.act(batch), actions)
    assert twin.program._process.pid != agent.program._process.pid
    assert twin.program.opening == agent.program.opening
    assert origin_of(twin).spec == SPEC
    assert EXAMPLE in origin_of(twin).files


@pytest.mark.parametrize("name", GAMES)
def test_move_is_chosen_by_its_name_or_its_number(name):
    game, requests = GAMES[name], []
    session = Session(game, game.variant(), 5)

    def answer_with(key):
        def answer(line):
            requests.append(json.loads(line))
            return f"{requests[-1].pop('id')} {requests[-1]['moves'][-1][key]}\n"

        return TextAgent("text", game, session.variant, answer)

    by_name, by_number = map(answer_with, ("name", "number"))
    while not session.terminated:
        legal, view = np.flatnonzero(session.mask()), session.view(session.seat)
        assert session.answer(by_name) == session.answer(by_number) == legal[-1]
        if len(legal) > 1:
            sent = requests[-1]["view"]
            assert sent.keys() == set(view.dtype.names)
            assert all(np.array_equal(np.array(sent[field]).astype(view[field].dtype), view[field]) for field in sent)
            assert not re.search(r"[^\"\d]\d{16}", json.dumps(sent))  # which doubles would round
        session.play(int(legal[0]))
    assert requests[::2] == requests[1::2]
    assert all(len(request["moves"]) > 1 for request in requests)
    for request in requests:
        assert len({move["name"] for move in request["moves"]}) == len(request["moves"])
        headings = [move["heading"] for move in request["moves"] if "heading" in move]
        assert "heading" in request["moves"][0] and len(set(headings)) == len(headings)
        assert request["scene"]["places"][0]["name"] == "You"
        assert not any(pile["tiles"] for place in request["scene"]["places"][1:] for pile in place["piles"][:1])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (python("print(1, 'banana')"), "'banana' is none of its moves, which are 1 to 13, such as [1:2]"),
        (python("print(1, 0)"), "'0' is none of its moves"),
        (python("print(1, 14)"), "'14' is none of its moves"),
        (python("print(1)"), "'' is none of its moves"),
        (python("print('1 {\"move\": ')"), """'{"move":' is none of its moves"""),
        (python("sys.stdout.buffer.write(b'1 \\xff\\n')"), "'\ufffd' is none of its moves"),
        (python("print('1 ' + '1' * 2000, end='', flush=True); time.sleep(60)"), "is none of its moves"),
        (python("sys.exit(3)"), "ended with status 3 without an answer"),
        (python("print('1', end='')"), "ended with status 0 without an answer"),
        (python("print('1', end='', flush=True); time.sleep(5); print()", "seconds=0.3"), "no answer within 0.3 s"),
        (command("true"), "ended with status 0 without an answer"),
        (command("echo", "garbage"), "'garbage' answers another request; this answer begins with 1"),
        (python("print('[1:1]')"), "'[1:1]' answers another request; this answer begins with 1"),
        (python("print(2, 1)"), "'2 1' answers another request; this answer begins with 1"),
    ],
    ids=range(14),
)
def test_program_that_fails_is_reported_in_one_line_and_ended(spec, message, monkeypatch):
    monkeypatch.setattr("gupai_agents.players.text_agent.GRACE", 0.2)
    session, agent = Session(GAME, GAME.variant(), 3), make_agent(spec, GAME)
    for _ in range(2):  # the second time it is started again
        with pytest.raises(AgentError) as caught:
            session.answer(agent)
        assert message in str(caught.value)
        assert str(caught.value).startswith("command:")
        assert "\n" not in str(caught.value)
        assert agent.program._process is None


@pytest.mark.parametrize("late", ["", "time.sleep(0.2); "], ids=["at once", "later"])
def test_line_too_many_is_not_taken_for_the_next_move(late):
    """Whenever it comes, also once the next request is under way."""
    unasked = f"print(1, 1, flush=True); {late}print(1, 2, flush=True); next(lines); time.sleep(5); print(2, 1)"
    session, agent = Session(GAME, GAME.variant(), 3), make_agent(python(unasked), GAME)
    assert session.answer(agent) == session.mask().argmax()
    with pytest.raises(AgentError, match="'1 2' answers another request; this answer begins with 2"):
        session.answer(agent)


def test_program_ends_with_its_agent_even_if_it_ignores_its_input(monkeypatch):
    monkeypatch.setattr("gupai_agents.players.text_agent.GRACE", 0.05)
    session = Session(GAME, GAME.variant(), 3)
    for spec in (python("print(1, 1, flush=True); time.sleep(60)"), SPEC):
        agent = make_agent(spec, GAME)
        session.answer(agent)
        number = agent.program._process.pid
        os.kill(number, 0)
        del agent
        gc.collect()
        with pytest.raises(ProcessLookupError):
            os.kill(number, 0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("command:", "there is no program after command:"),
        ("command:no-such-program x", "there is no program no-such-program"),
        (f"command:{EXAMPLE.parent}", "there is no program"),
        ("command:python 'x", "a quotation mark is missing"),
        ("command:seconds=x python", "seconds must be a number above 0, at most 86400"),
        ("command:seconds=nan python", "seconds must be a number above 0"),
        ("command:seconds=0 python", "seconds must be a number above 0"),
        ("command:seconds=1e9 python", "seconds must be a number above 0"),
    ],
)
def test_command_that_cannot_run_is_refused(spec, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_agent(spec, GAME)
    assert "\n" not in str(caught.value)


def test_command_is_code_that_no_file_may_name():
    assert runs_code(SPEC)
    with pytest.raises(ValueError, match="is not a player of jie-long"):
        agent_of_data(SPEC, GAME, GAME.variant())


def test_program_reads_english_whatever_is_spoken():
    agent = make_agent(python("print(1, 1 if decision['task'].isascii() else 2)"), GAME)
    token = speak("zh-Hant")
    try:
        session = Session(GAME, GAME.variant(), 3)
        assert session.answer(agent) == session.mask().argmax()
    finally:
        TRANSLATIONS.reset(token)


def test_program_gets_a_card_without_a_time():
    task = "jie-long-forced"
    card = play_benchmark({task: SPEC}, deals=2)
    assert card.results[0].player.spec == SPEC
    assert near(EXAMPLE) in card.results[0].player.files
    assert card.results[0].player.moves is not None
    assert timed(card, {task: SPEC}, "").timing is None
