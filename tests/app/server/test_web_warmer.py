"""Compiling in the background: a page waits a moment, then says what for; what it needs comes first."""

import re
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from commands import gupai

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from urllib.parse import parse_qsl

from fastapi.testclient import TestClient

from gupai_agents import make_agent
from gupai_agents.players.search import SearchAgent
from gupai_app.play.address import Address
from gupai_app.play.table import WebGame
from gupai_app.server import warming
from gupai_app.server.app import create_app
from gupai_app.server.warming import HINTS, MATCHES, PLAYERS, Warmer
from gupai_env.core.machine_code import on_disk
from gupai_env.games import GAMES, get_game
from web_room import document

TABLE = "/document?game={}&seed=5&seat=0&with=random"


@pytest.fixture
def held(monkeypatch):
    """Parts of games that are done one at a time, when the test lets them; a list of what was done."""
    done, step = [], threading.Semaphore(0)

    def work(game, what):
        step.acquire()
        done.append((game, what))

    def parts(game):
        for what in ("players", "hints", "matches"):
            yield lambda what=what: work(game.id, what)

    monkeypatch.setattr(warming, "parts", parts)
    monkeypatch.setattr(warming, "PATIENCE", 0.2)
    yield done, step
    step.release(1000)


def test_awaited_part_is_named_and_compiled_first(held):
    done, step = held
    found = Warmer(GAMES.values())
    first, wanted = next(iter(GAMES.values())), list(GAMES.values())[-1]
    said = found.await_parts(wanted, PLAYERS)
    assert wanted.title.split()[0] in said and "players of" in said
    step.release(2)
    for _ in range(50):
        if not found.await_parts(wanted, PLAYERS):
            break
    assert done[:2] == [(first.id, "players"), (wanted.id, "players")]
    assert found.await_parts(wanted, HINTS)
    step.release(2)
    for _ in range(50):
        if not found.await_parts(wanted, MATCHES):
            break
    assert done[2:4] == [(wanted.id, "hints"), (wanted.id, "matches")]


def test_tables_come_before_hints_and_the_current_game_is_next(held):
    done, step = held
    found, last = Warmer(GAMES.values()), list(GAMES.values())[-1]
    step.release(len(GAMES) - 1)
    while len(done) < len(GAMES) - 1:
        time.sleep(0.01)
    found.await_parts(last, PLAYERS)
    step.release(2)
    while len(done) < len(GAMES) + 1:
        time.sleep(0.01)
    assert done == [*((game, "players") for game in GAMES), (last.id, "hints")]


def test_message_says_what_is_done_and_since_when(held, monkeypatch):
    done, step = held
    clock = [100.0]
    monkeypatch.setattr(warming, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    found = Warmer([get_game("jie-long"), get_game("tiu-u")])
    step.release(1)
    while found.await_parts(get_game("jie-long"), PLAYERS):
        pass
    while "hints of Jie Long, for 0 s" not in found.await_parts(get_game("jie-long"), HINTS, patient=False):
        pass
    clock[0] = 130.0
    assert "hints of Jie Long, for 30 s" in found.await_parts(get_game("tiu-u"), PLAYERS, patient=False)
    assert done == [("jie-long", "players")]


def test_page_with_something_to_show_does_not_wait(held, monkeypatch):
    monkeypatch.setattr(warming, "PATIENCE", 30)
    found, begin = Warmer([get_game("jie-long")]), time.monotonic()
    assert found.await_parts(get_game("jie-long"), PLAYERS, patient=False)
    assert time.monotonic() - begin < 15


def test_part_is_prepared_by_its_number(held, monkeypatch):
    done, step = held
    step.release(1)
    warming.prepare("tiu-u", HINTS)
    assert done == [("tiu-u", "hints")]


def test_other_process_prepares_the_requested_part(monkeypatch, tmp_path):
    monkeypatch.setattr(warming, "prepare", write_number)
    monkeypatch.chdir(tmp_path)
    warming.prepare_elsewhere(get_game("tiu-u"))
    assert (tmp_path / "tiu-u").read_text() == str(HINTS)


def write_number(game, number):
    Path(game).write_text(str(number))


def test_table_waits_and_appears_by_itself(held):
    _, step = held
    with TestClient(create_app(warm=True), base_url="http://127.0.0.1") as pages:
        answer = pages.get(TABLE.format("jie-long"))
        assert answer.status_code == 202 and "Jie Long is being prepared" in answer.text
        assert pages.get("/table?game=jie-long").status_code == 200  # which asks again
        step.release(1)
        while (answer := pages.get(TABLE.format("jie-long"))).status_code == 202:
            pass
        assert document(pages, f"{answer.json()['address']}&hint=1")["hint"]["waits"]
        assert pages.get("/rules/jie-long").status_code == 200


@pytest.mark.parametrize("player", ["card", "tuned"])
def test_hint_is_that_of_the_card_until_search_is_ready(held, monkeypatch, player):
    _, step = held
    if player != "card":
        monkeypatch.setattr("gupai_app.play.moves.card_agent", lambda game, variant: None)
    with TestClient(create_app(warm=True), base_url="http://127.0.0.1") as pages:
        pages.get(TABLE.format("jie-long"))
        step.release(1)
        while (answer := pages.get(TABLE.format("jie-long"))).status_code == 202:
            pass
        at = answer.json()["address"]
        first = document(pages, f"{at}&hint=1")["hint"]
        assert first["waits"] and first["sentences"][0].startswith("Think about") and len(first["sentences"]) == 1
        quick = document(pages, f"{at}&hint=3")
        words = "The card would choose " if player == "card" else f"{player} would choose: "
        assert quick["hint"]["sentences"][-1].startswith(words) and "is being prepared, once" in quick["hint"]["waits"]
        address = Address.read(dict(parse_qsl(at)))
        action = WebGame(address).session.answer(make_agent(player, address.game))
        (marked,) = (move for move in quick["moves"] if move["best"])
        assert action in [choice["action"] for choice in marked["choices"]]
        assert document(pages, f"{at}&play={action}")["address"].startswith(at)
        step.release(1)
        while (full := document(pages, f"{at}&hint=3&plain=1")["hint"])["waits"]:
            time.sleep(0.02)
        assert "95% interval" in full["how_found"] and "would choose" not in " ".join(full["sentences"])


def test_game_begun_by_a_person_is_prepared_next(held):
    done, step = held
    with TestClient(create_app(warm=True), base_url="http://127.0.0.1") as pages:
        assert pages.get("/document?game=small-mahjong&begin=1").status_code == 200
    step.release(2)
    while len(done) < 2:
        time.sleep(0.01)
    assert ("small-mahjong", "players") in done


def test_failing_part_is_left_to_the_page(monkeypatch):
    def parts(game):
        yield lambda: 1 / 0
        raise ValueError("no such thing")

    monkeypatch.setattr(warming, "parts", parts)
    found = Warmer([get_game("jie-long")])
    for _ in range(50):
        if not found.await_parts(get_game("jie-long"), MATCHES):
            return
    pytest.fail("the page waits for ever")


def test_warm_reports_what_it_compiled_and_refuses_other_games(monkeypatch, tmp_path):
    found = gupai("warm", "jie-long")
    assert warming.hints_on_disk(get_game("jie-long"))
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not warming.hints_on_disk(get_game("jie-long"))
    assert re.fullmatch(r"(jie-long: (players|hints|matches and reviews), \d+\.\d s\n){3}", found.output)
    assert gupai("warm", "chess").exit_code == 2


def test_hints_are_on_disk_when_the_wait_is_over(monkeypatch):
    game = get_game("da-ling")
    assert warming.Preparation(game).message == "" or not warming.hints_on_disk(game)
    monkeypatch.setattr(warming, "hints_on_disk", lambda game: False)
    preparation = warming.Preparation(game)
    assert "Da Ling" in preparation.message
    preparation.wait()
    assert preparation.message == "" and on_disk(SearchAgent.__module__, game)
