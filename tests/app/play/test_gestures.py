"""What can be done with the tiles of a table: the moves of each, and the places where it may go."""

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_env.games import GAMES
from web_room import actions, document, table


def own_tiles(shown):
    """The tiles that a person may choose, in the hand and in the centre, if any move is made with them."""
    scene = shown["frames"][-1]["scene"]
    piles = [*scene["places"][0]["piles"], *scene["centre"]]
    return [tile for pile in piles if pile["own"] for tile in pile["tiles"]]


@pytest.mark.parametrize("game", GAMES)
def test_tiles_of_every_move_may_be_chosen(game, pages):
    shown, at = table(pages, game=game)
    while choices := actions(shown):
        used = {tile for move in shown["moves"] for tile in move["tiles"]}
        assert used <= set(own_tiles(shown))
        shown = document(pages, f"{at}&play={choices[-1]}")
        at = shown["address"]


def test_stock_tile_may_be_chosen_and_hand_tiles_may_not(pages):
    shown, at = table(pages, game="shi-wu-hu", seed=7)  # the tile from the stock is in the hand too
    assert len(own_tiles(shown)) > 2
    shown = document(pages, f"{at}&play={actions(shown)[0]}")
    assert "from the stock" in shown["task"] and len(own_tiles(shown)) == 1


def test_hand_that_only_wins_has_no_move_of_a_tile(pages):
    shown, at = table(pages, game="small-mahjong")
    shown = document(pages, f"{at}&play={actions(shown)[1]}")  # a claim
    assert len(actions(shown)) == 1 and "declare your win" in shown["task"]
    assert [move["tiles"] for move in shown["moves"]] == [[]]


def test_no_click_discards_at_once(pages):
    shown, at = table(pages, game="jie-long")
    seen = set()
    while choices := actions(shown):
        for move in shown["moves"]:
            seen.add((move["discards"], move["plain"]))
            assert move["choices"][0]["goes"] == ("discard" if move["discards"] else "")
        shown = document(pages, f"{at}&play={choices[0]}")
        at = shown["address"]
    assert (True, True) not in seen and {(True, False), (False, True)} <= seen


def test_line_shows_where_a_tile_would_lie(pages):
    shown, _ = table(pages, game="ding-niu")
    (line,) = (pile for pile in shown["frames"][-1]["scene"]["centre"] if pile["form"] == "line")
    ghosts = [choice["ghost"] for move in shown["moves"] for choice in move["choices"] if choice["ghost"]]
    assert ghosts
    for ghost in ghosts:
        touching = ghost["tile"][1] if ghost["end"] == "left" else ghost["tile"][0]
        assert int(touching) == line["ends"][ghost["end"] == "right"] or 0 in line["ends"]


def test_bait_names_the_fish_that_it_catches(pages):
    shown, _ = table(pages, game="tiu-u")
    lake = shown["frames"][-1]["scene"]["centre"][0]
    places = {choice["goes"] for move in shown["moves"] for choice in move["choices"]}
    assert lake["spot"] == "lake" and "lake" in places
    assert {place[5:] for place in places - {"lake"}} <= set(lake["tiles"])


def test_document_is_equal_in_words_of_every_language_but_for_them(pages):
    def shape(content):
        match content:
            case dict():
                return {key: shape(member) for key, member in content.items()}
            case list():
                return [shape(member) for member in content]
            case str():
                return "" if not content.isascii() or any(map(str.isalpha, content)) else content
        return content

    english, at = table(pages, game="tien-gow")
    chinese = pages.get(f"/document?{at}&lang=zh-Hant").json() | {"labels": english["labels"]}
    assert chinese["language"] == "zh-Hant" and shape(chinese) == shape(english)
