"""A game as one file: it asks nobody, it says what is wrong in a line, and a browser plays it as the server does."""

import base64
import gzip
import hashlib
import json
import re
from html import unescape
from urllib.parse import parse_qsl

import pytest

pytest.importorskip("jinja2", reason="pages need gupai[web]")

import firefox
from chromium import browser  # noqa: F401
from commands import gupai
from gupai_agents.shipped import best_file
from gupai_app.page.file import HEADS, document_of, page_of
from gupai_app.words.languages import catalogue
from gupai_env.games import get_game
from webassembly import modules_of

GAME = "da-ling"
ASKING = re.compile(r"\beval\(|new Function|\bimport\(|importScripts|\bfetch\(")  # what runs texts, or loads them


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / f"{GAME}.html"
    path.write_text(page_of(get_game(GAME), modules_of(GAME)), encoding="utf-8")
    return path


def packed(text, name):
    """Return what a packed part of a file holds."""
    (part,) = re.findall(rf'<script type="text/plain" id="{name}">(.*?)</script>', text, re.DOTALL)
    return gzip.decompress(base64.b85decode(part.replace(",", "<")))


def test_file_runs_its_own_script_alone_and_names_no_other_place(file):
    text = file.read_text(encoding="utf-8")
    policy = unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1])
    (loader,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    parts, script, sheet = (packed(text, name).decode() for name in ("parts", "script", "sheet"))
    for kind, content in (("script-src", loader), ("script-src", script), ("style-src", sheet)):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in re.search(f"{kind} ([^;]*)", policy)[1]
        assert not ASKING.search(content)
    assert not ASKING.search(json.loads(parts)["worker"])
    assert policy.startswith("default-src 'none'") and "unsafe-inline" not in policy and "connect-src" not in policy
    places = set(re.findall(r"https?://[^\s\"'`)\\]+", text + parts + script + sheet))
    assert places <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xhtml"}


def test_file_is_small_and_what_the_first_move_needs_comes_first(file):
    text = file.read_text(encoding="utf-8")
    first, network = text.split('<script type="text/plain" id="network">')
    assert len(first.encode()) <= 300_000 < len(network) and len(text.encode()) <= 1_500_000
    assert packed(text, "network") == best_file(get_game(GAME), get_game(GAME).variant()).read_bytes()


@pytest.fixture
def shown(browser, file):  # noqa: F811
    """Open the file at an address, and wait for what it shows."""
    problems, tab = [], browser.new_page(viewport={"width": 390, "height": 844})
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda message: message.type == "error" and problems.append(message.text))

    def show(address):
        tab.goto(f"file://{file}#{address}")
        tab.wait_for_selector(".stage, .wrong, .reading")
        return tab

    yield show
    tab.close()
    assert problems == []


QUERY = {"game": GAME, "seed": "5", "seat": "0", "with": "greedy"}
ADDRESS = "&".join(map("=".join, QUERY.items()))


def test_browser_shows_the_table_of_the_server(shown):
    tab, expected = shown(ADDRESS), document_of(QUERY)
    assert expected["deal"][:-1] in tab.text_content("main")
    tiles = tab.eval_on_selector_all(".hand [data-tile]", "tiles => tiles.map((tile) => tile.dataset.tile)")
    assert tiles == expected["frames"][-1]["scene"]["places"][0]["piles"][0]["tiles"]
    assert tab.locator("[data-number]").count() == len(expected["moves"])


PLAY = """async (most) => {
  const settled = (holds) => new Promise((resolve) => {
    const look = () => (holds() ? resolve() : setTimeout(look, 20));
    look();
  });
  const ready = () => document.querySelector("main:not(.busy) :is(.stage, .wrong)");
  await settled(ready);
  for (let move = 0; move < most && !document.querySelector(".over, .wrong"); move++) {
    const { hash } = location;
    document.querySelector(".moves button").click();
    await settled(() => location.hash !== hash && ready());
  }
  const winner = document.querySelector(".over .winner, .wrong")?.textContent;
  return [winner, location.hash.slice(1), document.querySelectorAll(".reasons li").length];
}"""


def check_played(winner, address, reasons):
    """Check that a page has shown the end of the game at its address."""
    document = document_of(dict(parse_qsl(address)))
    assert document["over"] and winner == document["frames"][-1]["end"]["winner"]
    assert reasons == sum(len(frame["end"]["reasons"]) for frame in document["frames"] if frame["end"])


def test_game_against_the_best_is_played_to_its_end_in_chromium(shown):
    check_played(*shown(f"{ADDRESS.replace('greedy', 'master')}&practice=0").evaluate(PLAY, 99))


@pytest.mark.skipif(not firefox.PROGRAM, reason="there is no Firefox")
def test_game_against_the_best_is_played_to_its_end_in_firefox(file):
    with firefox.firefox(ui_prefersReducedMotion=1) as tab:
        tab.goto(f"file://{file}#{ADDRESS.replace('greedy', 'master')}&practice=0")
        check_played(*tab.evaluate(PLAY, 99))


FRAMES = """() => {
  [window.drawn, window.deals] = [0, new Set()];
  const told = () => document.querySelector("#hint")?.textContent;
  const read = () => window.deals.add(Number(/in (\\d+) deals/.exec(told())?.[1] ?? 0));
  new MutationObserver(read).observe(document.body, { childList: true, subtree: true });
  const draw = () => {
    window.drawn += 1;
    if (!document.querySelector(".worth")) requestAnimationFrame(draw);
  };
  draw();
}"""


def test_page_is_awake_while_a_hint_is_searched(shown):
    tab = shown(ADDRESS)
    for number in (1, 2, 3):
        tab.evaluate(FRAMES)
        tab.keyboard.press("h")
        tab.wait_for_function("number => document.querySelectorAll('#hint p').length >= number", arg=number)
    tab.wait_for_selector(".worth", state="attached")
    assert tab.locator(".worth").count() == len(document_of(QUERY)["moves"])
    assert tab.evaluate("window.drawn") > 3
    tab.wait_for_selector("main:not(:has([aria-busy]))")
    first, last = tab.evaluate("[...window.deals]")
    assert first <= 100 < 200 <= last  # values of a quick search come first
    assert "is the best move" in tab.text_content("#hint")


def test_form_begins_the_table_that_is_chosen_or_says_why_not(shown):
    tab = shown(ADDRESS)
    tab.click("nav button")
    tab.wait_for_selector("form")
    assert [each.input_value() for each in tab.locator("[name=with]").all()] == ["greedy", "", "", ""]
    tab.select_option("[name='o.players']", "3")
    tab.wait_for_function("() => document.querySelectorAll('[name=with]').length === 2")
    tab.select_option("[name=practice]", "0")
    tab.fill("[name='o.stakes']", "1,x")
    tab.locator("[name=with]").last.select_option("tuned")
    tab.click("form .main")
    tab.wait_for_function("() => document.querySelector('[role=alert]').textContent.includes('Stakes=1,x')")
    tab.fill("[name='o.stakes']", "1,2,3")
    tab.click("form .main")
    tab.wait_for_selector(".stage")
    address = dict(parse_qsl(tab.evaluate("location.hash.slice(1)")))
    assert address["options"] == "players=3;stakes=1,2,3" and address["with"] == "easy;tuned"
    assert address["practice"] == "0" and tab.locator("[data-key=h]").count() == 0


def test_rules_are_in_the_file(shown):
    tab = shown(f"game={GAME}&rules=1")
    assert tab.locator("dt").count() > 5 and tab.locator(".term").count() >= 2
    tab.click("text=Rules and players")
    tab.wait_for_selector("form")


def test_address_bar_holds_what_is_shown(shown):
    tab = shown(ADDRESS)
    tab.keyboard.press("h")
    tab.wait_for_selector("#hint", state="attached")
    tab.reload()
    tab.wait_for_selector("#hint", state="attached")


@pytest.mark.parametrize(
    ("address", "words"),
    [("game=jie-long", "This file holds another game."), (f"game={GAME}&with=checkpoint:x", "does not play here")],
)
def test_address_that_cannot_be_is_answered_in_one_line(shown, address, words):
    tab = shown(address)
    assert words in tab.text_content(".wrong")
    tab.evaluate("address => { location.hash = address; }", ADDRESS)  # which can be, and is shown
    tab.wait_for_selector(".stage")


LONG = f"moves=1{'.1' * 30_000}"
HOSTILE = [
    "with=%3Cimg%20src=x%20onerror=alert(1)%3E", "with=__proto__", "with=greedy@1e400", "with=search:playouts=1e9",
    "options=__proto__=1", "options=deals=1e9", "options=stakes=1,,2", "seed=%00", "seed=1e400", "moves=0.0.0", LONG,
    "seed=9007199254740993", "play=NaN", "play=-1", "hint=99", "hint=constructor", "at=9", "score=1,x", "%E0%A4%A",
]  # fmt: skip


TOLD = """async (addresses) => {
  const told = [];
  for (const address of addresses) {
    const changed = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
    location.hash = address;
    await changed;
    while (document.querySelector("main.busy")) await new Promise((resolve) => setTimeout(resolve, 10));
    told.push(document.querySelector(".say, .wrong").textContent);
  }
  return told;
}"""


def test_hostile_addresses_are_answered_in_one_clear_line(shown):
    tab = shown(ADDRESS)
    told = tab.evaluate(TOLD, [f"game={GAME}&{words}" for words in HOSTILE])
    for words, line in zip(HOSTILE, told, strict=True):
        assert 0 < len(line) < 600 and "\n" not in line and "undefined" not in line, words
    refused = dict(zip(HOSTILE, told, strict=True))
    assert "is not" in refused["options=__proto__=1"] and "longer than" in refused[LONG]
    assert "<img" in told[0] and not tab.locator("main img").count()


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
    assert not set(HEADS.values()) - catalogue("zh-Hant").keys()
