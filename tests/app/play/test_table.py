"""The table that an address tells: frames, moves and what ended, as one person may see them."""

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_agents.evaluation.records.games import game_of_line
from gupai_app.play.address import Address
from gupai_app.play.moves import MoveValue
from gupai_app.play.recent import PLAYED, Played, Recent
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame
from gupai_app.words.sentences import compass
from gupai_env.core.tiles import kind_of, tile_name
from gupai_env.games import GAMES
from web_room import actions, said

every_game = pytest.mark.parametrize("game", GAMES)


def begun(game, seed=5, **options):
    """A table at which a person sits at seat 0."""
    return WebGame(Address.read({"game": game, "seed": str(seed), "seat": "0", "with": "greedy", **options}))


@every_game
def test_lessons_and_texts_are_never_repeated(game):
    seating, given = begun(game), []
    while not seating.terminated:
        given += seating.lessons
        scenes = [frame for frame in seating.frames if not frame.end]
        assert all(one != other for one, other in pairwise(scenes))
        seating = WebGame(seating.address, [seating.entries[-1].actions[0]])
    assert given and len(set(given)) == len(given)


@every_game
def test_readers_payments_are_first(game):
    seating = begun(game)
    while not seating.terminated:
        seating = WebGame(seating.address, [seating.entries[0].actions[0]])
    end = seating.frames[-1].end
    assert all(re.search(r"\byou\b", each.lower()) for each in end.yours)
    assert not any(re.search(r"\byou\b", each.lower()) for each in end.others)


@pytest.mark.parametrize(
    ("game", "options", "zones"),
    [
        ("da-ling", "", ["hand", "single", "pair", "triple"]),
        ("da-ling", "deck=tiny;players=2", ["hand", "one tile", "one tile", "one tile"]),
        ("pai-gow", "", ["hand", "two tiles", "two tiles"]),
        ("jie-long", "", []),
    ],
)
def test_groups_of_a_split_are_named_by_their_sizes(game, options, zones):
    assert begun(game, options=options).zones == zones


def test_best_moves_are_those_of_the_highest_value(monkeypatch):
    seating = begun("jie-long")
    values = [
        MoveValue(entry.actions[0], float(1 - at % 3), float(at % 3), float(at % 3), 1.0, 200, False)
        for at, entry in enumerate(seating.entries)
    ]
    monkeypatch.setattr("gupai_app.play.moves.move_values", lambda *_: values)
    listed = [line for lines in seating.valued_lines().values() for line in lines]
    assert [line.best for line in sorted(listed)] == [at % 3 == 0 for at in range(len(values))]


def test_least_recently_shown_games_are_forgotten():
    recent, seating = Recent(2), begun("jie-long")
    one, two, three = (replace(seating.address, seed=seed) for seed in range(3))
    held = Played(seating.session, seating.session, {})
    recent.put(one, held)
    recent.put(two, held)
    assert recent.get(one) is not None
    recent.put(three, held)
    assert [recent.get(each) is not None for each in (one, two, three)] == [True, False, True]


def test_discarded_tiles_have_an_action_each():
    for seed in range(20):
        seating = begun("tien-gow", seed)
        if seating.discards > 1 and len(seating.entries) > 1:
            break
    hand = {kind_of(*tile) for tile in seating.frames[-1].scene.places[0].piles[0].tiles}
    thrown = seating._thrown()
    assert hand <= thrown.keys() and len(hand) > sum(entry.move.discards for entry in seating.entries)
    names = GAMES["tien-gow"].action_names
    assert all(names[action] == f"discard {tile_name(kind)}" for kind, action in thrown.items())


@pytest.mark.parametrize("game", list(GAMES)[::3])  # test_scenes.py looks at the tables of all
def test_people_at_one_screen_see_only_their_own_tiles(game, pages):
    answer = pages.get(f"/table?{urlencode({'game': game, 'seed': 5, 'seat': 0, 'with': 'human'})}")
    covered, seats = 0, []
    for _ in range(300):
        text, at = answer.text, answer.url.query.decode()
        if "The game is over" in text:
            break
        if here := re.search(r'href="/table\?([^"]*)" id="here"', text):
            covered += 1
            assert "<svg" not in text and not actions(text)
            answer = pages.get(f"/table?{unescape(here[1])}")
            continue
        seat = compass(GAMES[game].variant().players).index(re.search(r"You are (\w+);", text)[1])
        seats.append(seat)
        scene = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at))), viewer=seat).frames[-1].scene
        assert not [tile for place in scene.places[1:] for pile in place.piles[:1] for tile in pile.tiles]
        answer = pages.get(f"/table?{re.sub('&at=[0-9]', '', at)}&play={actions(text)[0]}")
        assert answer.status_code == 200, said(answer)
    players = GAMES[game].variant().players
    record = game_of_line(pages.get(f"/record?{answer.url.query.decode()}").content)
    assert record.agents == ("human",) * players
    assert covered == 1 + sum(one != other for one, other in pairwise(seats)) >= players


def test_single_person_is_not_asked_who_they_are(pages):
    assert 'id="here"' not in pages.get("/table?game=jie-long&seed=5&seat=0&with=greedy").text


def test_move_continues_from_its_page_also_on_a_new_server(monkeypatch):
    plays, play = [], Session.play
    monkeypatch.setattr(Session, "play", lambda self, action: plays.append(action) or play(self, action))
    seating = WebGame(Address.read({"game": "jie-long", "seed": "5", "seat": "0", "options": "deals=3"}))
    for _ in range(12):
        before = len(plays)
        seating = WebGame(seating.address, seating.entries[0].actions[:1])
        assert len(plays) - before <= seating.address.variant.players  # moves that are new
    seen, moves = seating.frames, len(seating.address.moves)
    for least, most in ((0, 0), (moves, moves)):  # at hand, and not
        del plays[:]
        again = WebGame(seating.address)
        assert least <= len(plays) <= most
        assert len(again.frames) > 1 and again.frames == seen
        assert len(plays) <= most + seating.address.variant.players
        PLAYED.clear()


def test_pages_that_continue_from_one_page_are_independent():
    begin = WebGame(Address.read({"game": "jie-long", "seed": "5", "seat": "1"}))
    first, other = (entry.actions[0] for entry in begin.entries[:2])
    one, two = WebGame(begin.address, [first]), WebGame(begin.address, [other])
    PLAYED.clear()
    for found, action in ((one, first), (two, other)):
        assert found.address == WebGame(begin.address, [action]).address
        assert found.frames == WebGame(found.address).frames
        assert found.undo == WebGame(found.address).undo == begin.address
