"""The table that an address tells: frames, moves and what ended, as one person may see them."""

import re
from dataclasses import replace
from itertools import pairwise
from urllib.parse import urlencode

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_agents.evaluation.records.games import game_of_line
from gupai_app.play.address import Address
from gupai_app.play.moves import MoveValue
from gupai_app.play.session import Session
from gupai_app.play.table import PLAYED, Played, Recent, WebGame
from gupai_app.words.sentences import compass
from gupai_env.core.tiles import kind_of, tile_name
from gupai_env.games import GAMES
from web_room import actions, document

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
        ("da-ling", "", ["single", "pair", "triple"]),
        ("da-ling", "deck=tiny;players=2", ["one tile", "one tile", "one tile"]),
        ("pai-gow", "", ["two tiles", "two tiles"]),
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
    listed = seating.moves(seating.notes(seating.advice()))
    numbered = sorted(listed, key=lambda move: move["number"])
    assert [move["best"] for move in numbered] == [at % 3 == 0 for at in range(len(values))]


def test_least_recently_shown_games_are_forgotten(monkeypatch):
    monkeypatch.setattr("gupai_app.play.table.MOST_RECENT", 2)
    recent, seating = Recent(), begun("jie-long")
    one, two, three = (replace(seating.address, seed=seed) for seed in range(3))
    held = Played(seating.session, seating.session, {})
    recent.put(one, held)
    recent.put(two, held)
    recent.put(one, held)  # it is shown again
    recent.put(three, held)
    assert [recent.get(each) is not None for each in (one, two, three)] == [True, False, True]


def test_discarded_tiles_have_an_action_each():
    for seed in range(20):
        seating = begun("tien-gow", seed)
        if seating.discards > 1 and len(seating.entries) > 1:
            break
    hand = {kind_of(*tile) for tile in seating.frames[-1].scene.places[0].piles[0].tiles}
    thrown = {kind_of(int(tile[0]), int(tile[1])): action for tile, action in seating.thrown().items()}
    assert hand <= thrown.keys() and len(hand) > sum(entry.move.discards for entry in seating.entries)
    names = GAMES["tien-gow"].action_names
    assert all(names[action] == f"discard {tile_name(kind)}" for kind, action in thrown.items())


@pytest.mark.parametrize("game", list(GAMES)[::3])  # test_scenes.py looks at the tables of all
def test_people_at_one_screen_see_only_their_own_tiles(game, pages):
    shown = document(pages, urlencode({"game": game, "seed": 5, "seat": 0, "with": "human"}))
    covered, seats = 0, []
    for _ in range(300):
        if shown.get("over"):
            break
        at = shown["address"]
        if "pass" in shown:
            covered += 1
            assert shown.keys() & {"frames", "moves"} == set()
            shown = document(pages, f"{at}&at={shown['at']}")
            continue
        seats.append(shown["at"])
        assert shown["place"] == compass(GAMES[game].variant().players)[shown["at"]]
        places = shown["frames"][-1]["scene"]["places"]
        assert not [tile for place in places[1:] for pile in place["piles"][:1] for tile in pile["tiles"]]
        shown = document(pages, f"{at}&play={actions(shown)[0]}")
    players = GAMES[game].variant().players
    assert game_of_line(shown["record"].encode()).agents == ("human",) * players
    assert covered == 1 + sum(one != other for one, other in pairwise(seats)) >= players


def test_single_person_is_not_asked_who_they_are(pages):
    shown = document(pages, "game=jie-long&seed=5&seat=0&with=greedy")
    assert "pass" not in shown and shown["at"] is None


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
