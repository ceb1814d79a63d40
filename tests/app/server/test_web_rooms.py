"""The server behind all rooms: work in the background, paths and folders, policies and the front page."""

import re
import sys
import threading
import time
from types import ModuleType
from xml.etree import ElementTree

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from fastapi import APIRouter
from fastapi.testclient import TestClient

from gupai_app.server import jobs
from gupai_app.server.app import create_app
from gupai_app.server.html import SUBJECTS
from gupai_app.server.pages import page
from gupai_env.games import GAMES
from web_room import HOME, OURS, said


def test_failed_start_of_work_leaves_nothing(monkeypatch):
    def full(self):
        raise RuntimeError("can't start new thread")

    work = jobs.Jobs()
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", full)
        with pytest.raises(RuntimeError):
            work.begin("/x", "x", lambda notify: None)
    work.begin("/y", "y", lambda notify: 5)
    for _ in range(100):
        if not work.running:
            break
        time.sleep(0.02)
    assert work.status("/y").result == 5 and work.status("/x").error


def test_outside_games_have_pages_too(monkeypatch):
    asked = []
    monkeypatch.setattr("gupai_app.server.app.load_plugins", lambda: asked.append(True))
    create_app()
    assert asked


def test_subject_with_pages_is_one_line(monkeypatch):
    """Its package has a router; the navigation of every page leads to it."""
    routes = ModuleType("gupai_app.almanac.routes")
    routes.router = APIRouter()
    routes.router.get("/almanac")(lambda: page("waiting.html", head="Almanac", sentence="It is early."))
    monkeypatch.setitem(sys.modules, "gupai_app.almanac", ModuleType("gupai_app.almanac"))
    monkeypatch.setitem(sys.modules, routes.__name__, routes)
    monkeypatch.setitem(SUBJECTS, "almanac", ("/almanac", "Almanac"))
    pages = TestClient(create_app(), base_url=HOME)
    assert "It is early." in pages.get("/almanac").text
    assert '<a href="/almanac">Almanac</a>' in pages.get("/review").text


NOWHERE = """\
    /run/..%2fruns%2fone /run/%2e%2e%2fone /run/one/..%2fconfig.yaml /run/one/config.svg /run/one/config.yaml
    /run/one/agent.safetensors /run/broken/report.html /tournament/..%2fruns
    /tournament/nope /tournament/nope/game /tournaments/nope /verdict/nope"""


@pytest.mark.parametrize("path", NOWHERE.split())
def test_request_cannot_name_a_path(path, pages):
    answer = pages.get(path)
    assert answer.status_code == 404 and "no such page" in said(answer)


def test_missing_folders_are_explained_on_pages():
    bare = TestClient(create_app(), base_url=HOME)
    assert "There is no run" in bare.get("/runs").text
    assert "keeps no tournaments" in bare.get("/tournaments").text
    assert bare.post("/tournaments", headers=OURS, data={"game": "jie-long"}).status_code == 404


def test_pages_keep_their_own_policy(pages):
    for path in (
        *("/", "/game/da-ling", "/table?game=da-ling&seed=3&seat=0", "/review", "/nope", "/claims", "/claim/jl-only-2"),
        *("/recorded/jl-suit-counts", "/runs", "/run/one", "/tournaments", "/tournaments/jie-long"),
        "/table?game=jie-long&seed=5&seat=0&with=human",
    ):
        answer = pages.get(path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, path
        foreign = r'<script(?![^>]*src="/static/)(?![^>]*application/json)|<style|\sstyle=|\son\w+=|https?://'
        assert not re.search(foreign, answer.text), path


def test_front_page_shows_a_table_of_every_game_and_describes_it(pages):
    text = pages.get("/").text
    kinds = re.findall(r'</h3>\s*<p class="quiet">([A-Z].*)\.</p>', text)
    goals = re.findall(r"</p>\s*<p>([A-Z].*\.)</p>\s*<p><a", text)
    assert len(kinds) == len(goals) == len(GAMES)
    assert text.index("Start here: Jie Long") < text.index('class="cards')
    found = [pages.get(each).text for each in re.findall(r'"(/picture/[^"]*)"', text)]
    assert len(set(found)) == 2 * len(GAMES)  # for light and dark pages
    assert all(ElementTree.fromstring(each).tag.endswith("svg") for each in found)
    missing = "/picture/jie-long/pink.svg", "/picture/chess/dark.svg", "/static/none.css"
    assert {pages.get(each).status_code for each in missing} == {404}


def test_navigation_marks_the_subject_of_a_page(pages):
    named = {"/": "Games", "/rules/da-ling": "Games", "/claim/jl-next-3": "Claims", "/recorded/jl-attack-2": "Claims"}
    for path, name in (named | {"/kept": "My games", "/run/one": "Runs", "/table?game=jie-long": "Games"}).items():
        assert re.findall(r'aria-current="page">([^<]*)<', pages.get(path).text) == [name], path
