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

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation.records.games import RecordWriter, read_games
from gupai_app.play.session import Session
from gupai_app.review import page
from gupai_env.games import GAMES, get_game

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


def moves_of(text):
    """What stands in the list of moves."""
    listed = re.search(r'<ol class="moves".*?</ol>', text, re.S)[0]
    return [unescape(re.sub("<.*?>", "", each)) for each in re.findall(r"<li>(.*?)</li>", listed)]


@every_game
def test_page_is_small_and_self_contained(game):
    text = page_of(game)
    assert len(text.encode()) < 420_000
    elements = Elements(text).found
    assert not {"link", "img", "iframe", "object", "embed", "form", "base"} & {tag for tag, _ in elements}
    for tag, attributes in elements:
        assert not {"src", "style", "onclick", "onload"} & attributes.keys(), tag
        assert attributes.get("href", "#").startswith("#")
        assert "xlink:href" not in attributes
    assert not re.search(r"url\((?!#)|@import|https?://", text)


@every_game
def test_page_policy_admits_only_its_own_script_and_heuristic(game):
    text = page_of(game)
    policy = unescape(re.search(r'Content-Security-Policy" content="(.*?)">', text)[1])
    for tag, what in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
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
    shown = [each for each in moves_of(page_of(game) if deals == 1 else page.game_page(record)) if each[0].isdigit()]
    assert len(printed) == len(shown) == len(record.actions)
    for (number, words), line in zip(printed, shown, strict=True):
        assert line.startswith(f"{number} {words}")


@every_game
def test_moves_name_existing_parts_and_pieces(game):
    text = page_of(game)
    elements = Elements(text).found
    ids = {attributes["id"] for _, attributes in elements if "id" in attributes}
    uses = {attributes["href"][1:] for tag, attributes in elements if tag == "use"}
    assert uses <= ids
    lists = json.loads(re.search(r'id="parts">(.*?)</script>', text)[1])
    assert {f"p-{piece}" for part in lists for piece in part.split()} <= ids
    moves = [attributes for tag, attributes in elements if tag == "a"]
    numbers = [each["href"][1:] for each in moves]
    assert numbers == ["start", *map(str, range(1, len(moves)))]
    for move in moves:
        for layout in page.LAYOUTS:
            parts = move[f"data-{layout}"].split()
            assert all(re.fullmatch(r"(a|[oc]\d)-\d+", part) for part in parts)
            assert {int(part.split("-")[1]) for part in parts} <= set(range(len(lists)))
            opened = [part.split("-")[0][1:] for part in parts if part[0] == "o"]
            assert sorted(opened) == sorted(part.split("-")[0][1:] for part in parts if part[0] == "c")


@every_game
def test_closed_seat_shows_what_others_know_of_it(game):
    record = game_of(game)
    start = next(iter(page.moments(record)))
    open_ones = {place.name: place for place in start.scene.places}
    for seat, place in enumerate(start.closed):
        assert place.name == page.called(record)[seat]
        assert not any(pile.tiles for pile in place.piles)
        shown = open_ones[place.name]
        assert sum(pile.hidden for pile in place.piles) == sum(len(pile.tiles) for pile in shown.piles) > 0


def test_closing_a_seat_keeps_every_tile():
    records = [a_game("small-mahjong", seed=seed) for seed in range(8)]
    for record in [*records, a_game("jie-long", deals=2, players=2)]:
        for moment in page.moments(record):
            for place in moment.scene.places:
                closed = next(each for each in moment.closed if each.name == place.name)
                counts = [sum(len(p.tiles) + p.hidden for p in each.piles) for each in (place, closed)]
                assert counts[0] == counts[1], (record.line, moment.anchor)


def test_match_deals_each_begin_with_a_table():
    record = a_game("jie-long", deals=3, players=2)
    anchors = [moment.anchor for moment in page.moments(record)]
    assert [each for each in anchors if not each.isdigit()] == ["start", "deal-2", "deal-3"]
    ends = [moment.words for moment in page.moments(record) if "The deal ends" in moment.words]
    assert len(ends) == 3 and ends[0].endswith(" chips")
    assert f"{record.payoffs[0][0]:+g} chips" in ends[0]


HOSTILE = "</title></script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&amp;"


def test_hostile_name_is_escaped():
    tame = a_game("da-ling")
    text = page.game_page(replace(tame, agents=(HOSTILE, *tame.agents[1:])))
    count = {tag: sum(each == tag for each, _ in Elements(text).found) for tag in ("script", "img", "style")}
    assert count == {"script": 2, "img": 0, "style": 1}
    assert f"Seat 0 {HOSTILE}" in "".join(Elements(text).texts)


def test_command_writes_the_named_game_to_a_new_file(tmp_path):
    games, html = tmp_path / "games.jsonl", tmp_path / "game.html"
    records = [a_game("da-ling", seed=seed) for seed in (1, 2)]
    with RecordWriter(games) as file:
        file.write(records)
    assert gupai("replay", games, "--game", 2, "--html", html).exit_code == 0
    assert html.read_text(encoding="utf-8") == page.game_page(next(read_games(games, 2)))
    assert "seed 2" in html.read_text(encoding="utf-8")
    again = gupai("replay", games, "--html", html)
    assert again.exit_code == 2 and again.stderr.count("\n") == 1
    assert f"--html {html} exists already" in again.stderr
    lost = gupai("replay", games, "--html", tmp_path / "missing" / "game.html")
    assert lost.exit_code == 2 and lost.stderr.count("\n") == 1


def test_tiles_all_lie_open_at_first():
    """What is drawn at first: parts that are always there and those of open seats, none of closed ones."""
    parts = page.Parts()
    drawn = page.stepper(a_game("jie-long"), parts)
    for layout in ("broad", "narrow"):
        named = re.search(rf'data-{layout}="([^"]*)"', drawn)[1].split()
        stage = re.search(rf'<svg class="stage {layout}"[^>]*>(.*?)</svg>', drawn)[1]
        opened = [int(name.partition("-")[2]) for name in named if name[0] in "ao"]
        assert stage == parts.uses(opened)
        closed = [int(name.partition("-")[2]) for name in named if name[0] == "c"]
        assert len(closed) >= 4
        assert stage != parts.uses([*(each for each in opened if f"a-{each}" in named), *closed])
