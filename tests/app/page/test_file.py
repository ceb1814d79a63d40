"""A game as one file: it asks nobody, it says what is wrong in a line, and a browser plays it as the server does."""

import base64
import hashlib
import re
import shutil
import subprocess
from html import unescape

import pytest

pytest.importorskip("jinja2", reason="pages need gupai[web]")

from commands import gupai
from gupai_app.page.file import SAID, document_of, page_of
from gupai_app.words.languages import catalogue
from gupai_env.games import get_game
from webassembly import modules_of

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
GAME = "da-ling"
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / f"{GAME}.html"
    path.write_text(page_of(get_game(GAME), modules_of(GAME)), encoding="utf-8")
    return path


def test_file_runs_its_own_script_alone_and_names_no_other_place(file):
    text = file.read_text(encoding="utf-8")
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    for name, part in (("script", r'<script type="module">(.*?)</script>'), ("style", r"<style>(.*?)</style>")):
        (content,) = re.findall(part, text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
        assert "eval(" not in content and "new Function" not in content and "import(" not in content
    assert policy.startswith("default-src 'none'") and "unsafe-inline" not in policy and "connect-src" not in policy
    places = set(re.findall(r"https?://[^\s\"'`)]+", text))
    assert places <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}
    assert len(text) < 2_000_000


def shown(file, address):
    """The page as Chromium shows it; on a busy machine it may have been asked too early."""
    for seconds in (20, 60, 180):
        command = [CHROMIUM, *QUIET, f"--virtual-time-budget={seconds}000", "--dump-dom", f"file://{file}#{address}"]
        page = subprocess.run(command, capture_output=True, text=True, timeout=200).stdout
        if re.search('class="(?:stage|wrong)"', page):
            break
    return page


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: no browser test")
def test_browser_shows_the_table_of_the_server(file):
    query = {"game": GAME, "seed": "5", "seat": "0", "with": "greedy"}
    page, expected = shown(file, "&".join(map("=".join, query.items()))), document_of(query)
    assert '<section class="stage"' in page and f"{expected['deal'][:-1]}" in unescape(page)
    drawn = re.search(r'<div class="hand".*?</div>', page, re.DOTALL)[0]
    scene = expected["frames"][-1]["scene"]
    assert re.findall(r'data-tile="(\d\d)"', drawn) == scene["places"][0]["piles"][0]["tiles"]
    assert page.count('data-number="') == len(expected["moves"])


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium: no browser test")
@pytest.mark.parametrize(
    ("address", "words"),
    [("game=jie-long", "This file holds another game."), (f"game={GAME}&with=checkpoint:x", "does not play here")],
)
def test_address_that_cannot_be_is_answered_in_one_line(file, address, words):
    assert words in re.search(r'class="wrong">([^<]*)<', shown(file, address))[1]


def test_command_writes_a_file_or_says_why_not(monkeypatch, tmp_path):
    monkeypatch.setattr("gupai_app.page.file.page_of", lambda game: f"<p>{game.id}</p>")
    out = tmp_path / "page.html"
    assert gupai("page", GAME, "-o", out).exit_code == 0 and out.read_text() == f"<p>{GAME}</p>"
    again = gupai("page", GAME, "-o", out)
    assert again.exit_code == 2 and again.stderr.count("\n") == 1 and "exists already" in again.stderr
    assert gupai("page", "chess", "-o", out, "--force").exit_code == 2


def test_game_that_was_not_compiled_is_refused_in_one_line(tmp_path):
    with pytest.raises(ValueError, match=f"^{GAME} was not compiled for browsers: python tools/machine_code.py --sys"):
        page_of(get_game(GAME), tmp_path)


def test_words_of_the_file_are_all_in_the_catalogue():
    assert not set(SAID.values()) - catalogue("zh-Hant").keys()
