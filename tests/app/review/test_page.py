"""Games as pages: one file for a browser, which shows every table of a game and lets nothing else in."""

import base64
import functools
import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from chromium import browser  # noqa: F401
from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation.records.games import RecordWriter, read_games
from gupai_app.play.seats import called
from gupai_app.play.session import Session
from gupai_app.review import page
from gupai_app.review.document import replay
from gupai_env.games import GAMES, get_game
from gupai_env.games.phrases import chips

every_game = pytest.mark.parametrize("game", GAMES)


def a_game(name, agent="greedy", seed=7, **variant):
    """A game of one agent at all seats."""
    game = get_game(name)
    options = game.variant.make(**variant)
    session, player = Session(game, options, seed), make_agent(agent, game, **variant)
    while not session.terminated:
        session.play(int(player.act(session.decision_batch())[0]))
    return session.record([agent] * options.players)


@functools.cache
def game_of(name):
    """Such a game as it is unless anything is said."""
    return a_game(name)


@functools.cache
def page_of(name):
    """Its page."""
    return page.game_page(game_of(name))


class Elements(HTMLParser):
    """Every start of an element, and its attributes."""

    def __init__(self, text):
        super().__init__()
        self.found, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    handle_startendtag = handle_starttag

    def handle_data(self, data):
        self.texts.append(data)


def game_in(text):
    """The game that a page holds, as data."""
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', text, re.S)[1])


def tables_of(record):
    """Every table of a game, whole: places, and the same as the others see them."""
    places, closed = [], []
    for frame in replay(record)["frames"]:
        now = frame["scene"]["places"], frame["closed"]
        places, closed = (
            [new or old for new, old in zip(these, before or these, strict=True)]
            for these, before in zip(now, (places, closed), strict=True)
        )
        yield frame, places, closed


@every_game
def test_page_is_small_and_self_contained(game):
    text = page_of(game)
    assert len(text.encode()) < 480_000
    elements = Elements(text).found
    assert not {"img", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in elements}
    for tag, attributes in elements:
        if tag == "link":
            assert attributes == {"rel": "icon", "href": "data:,"}
            continue
        assert not {"src", "style", "onclick", "onload"} & attributes.keys(), tag
        assert attributes.get("href", "#").startswith("#")
        assert "xlink:href" not in attributes
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org/2000/svg)", text)


@every_game
def test_page_policy_admits_only_its_own_script_and_heuristic(game):
    text = page_of(game)
    policy = unescape(re.search(r'Content-Security-Policy" content="(.*?)">', text)[1])
    for tag, what in (("style", "style-src"), ('script type="module"', "script-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag.split()[0]}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{what} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy


@pytest.mark.parametrize(("game", "deals"), [*((game, 1) for game in GAMES), ("jie-long", 2)])
def test_page_words_equal_the_terminal(game, deals, tmp_path):
    record = game_of(game) if deals == 1 else a_game(game, deals=deals)
    path = tmp_path / "games.jsonl"
    with RecordWriter(path) as file:
        file.write([record])
    said = gupai("replay", path).output
    printed = re.findall(r"^ *(\d+)  (Seat \d .*?)(?:  .*)?$", said, re.M)
    text = page_of(game) if deals == 1 else page.game_page(record)
    shown = [frame for frame in game_in(text)["frames"] if frame["number"]]
    assert len(printed) == len(shown) == len(record.actions)
    for (number, words), frame in zip(printed, shown, strict=True):
        assert frame["number"] == number and frame["words"].startswith(words)


@every_game
def test_every_tile_that_is_drawn_is_defined(game):
    text = page_of(game)
    drawn = set(re.findall(r'"tiles":\s*\["(\d\d)"', json.dumps(game_in(text))))
    assert drawn and {f"g-u{max(tile)}{min(tile)}" for tile in drawn} <= {
        attributes["id"] for _, attributes in Elements(text).found if "id" in attributes
    }


@every_game
def test_closed_seat_shows_what_others_know_of_it(game):
    record = game_of(game)
    _, places, closed = next(tables_of(record))
    for seat, (shown, place) in enumerate(zip(places, closed, strict=True)):
        assert place["name"] == shown["name"] == called(record)[seat]
        assert not any(pile["tiles"] for pile in place["piles"])
        assert sum(pile["hidden"] for pile in place["piles"]) == sum(len(pile["tiles"]) for pile in shown["piles"]) > 0


def test_closing_a_seat_keeps_every_tile():
    records = [a_game("small-mahjong", seed=seed) for seed in range(8)]
    for record in [*records, a_game("jie-long", deals=2, players=2)]:
        for frame, places, closed in tables_of(record):
            for pair in zip(places, closed, strict=True):
                counts = [sum(len(pile["tiles"]) + pile["hidden"] for pile in place["piles"]) for place in pair]
                assert counts[0] == counts[1], (record.line, frame["number"])


def test_match_deals_each_begin_with_a_table():
    record = a_game("jie-long", deals=3, players=2)
    frames = replay(record)["frames"]
    begun = [frame["words"] for frame in frames if not frame["number"]]
    assert len(begun) == 3 and begun[1].startswith("Deal 2. ")
    ends = [frame["words"] for frame in frames if "The deal ends" in frame["words"]]
    assert len(ends) == 3 and ends[0].endswith(" chips")
    assert chips(record.payoffs[0][0]) in ends[0]


HOSTILE = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;"


def test_hostile_name_is_escaped():
    tame = a_game("da-ling")
    text = page.game_page(replace(tame, agents=(HOSTILE, *tame.agents[1:])))
    count = {tag: sum(each == tag for each, _ in Elements(text).found) for tag in ("script", "img", "style")}
    assert count == {"script": 2, "img": 0, "style": 1}
    assert game_in(text)["result"].startswith(f"Seat 0 {HOSTILE} ")


def test_command_writes_the_named_game_to_a_new_file(tmp_path):
    games, html = tmp_path / "games.jsonl", tmp_path / "game.html"
    records = [a_game("da-ling", seed=seed) for seed in (1, 2)]
    with RecordWriter(games) as file:
        file.write(records)
    assert gupai("replay", games, "--game", 2, "--html", html).exit_code == 0
    assert html.read_text(encoding="utf-8") == page.game_page(next(read_games(games, 2)))
    assert game_in(html.read_text(encoding="utf-8"))["seed"] == "2"
    again = gupai("replay", games, "--html", html)
    assert again.exit_code == 2 and again.stderr.count("\n") == 1
    assert f"--html {html} exists already" in again.stderr
    lost = gupai("replay", games, "--html", tmp_path / "missing" / "game.html")
    assert lost.exit_code == 2 and lost.stderr.count("\n") == 1


def test_browser_steps_through_a_game_and_closes_a_hand(browser, tmp_path):  # noqa: F811
    path = tmp_path / "game.html"
    path.write_text(page_of("jie-long"), encoding="utf-8")
    problems, tab = [], browser.new_page(viewport={"width": 390, "height": 844})
    tab.on("pageerror", lambda error: problems.append(str(error)))
    tab.on("console", lambda message: message.type == "error" and problems.append(message.text))
    tab.goto(f"file://{path}#game=1&move=3")
    frames = replay(game_of("jie-long"))["frames"]
    said = tab.locator(".say")
    assert said.get_attribute("role") == "status" and "North" not in said.text_content()
    for key, number in (("ArrowRight", "4"), ("End", frames[-1]["number"]), ("Home", ""), ("ArrowRight", "1")):
        tab.keyboard.press(key)
        (shown,) = tab.locator(".steps [aria-current]").all_text_contents()
        assert shown.strip().startswith(number)
        assert (f"move={number}" in tab.url) == bool(number)
    hand = tab.locator(".hand .tile:not(.backs .tile)")
    before = hand.count()
    tab.locator(".tools input").first.click()
    assert before > 4 and hand.count() == 0 and tab.locator(".hand .backs .tile").count() == before
    tab.close()
    assert problems == []
