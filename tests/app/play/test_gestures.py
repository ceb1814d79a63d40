"""Buttons over the drawing of a table: on the tiles and the places of the moves."""

import re

import pytest

pytest.importorskip("fastapi", reason="the pages need gupai[web]")
pytest.importorskip("httpx", reason="pages are tested with httpx")

from gupai_app.play.address import Address
from gupai_app.play.table import WebGame
from web_room import actions, table


def test_playable_tiles_are_buttons_and_two_ways_are_asked(pages):
    text, _ = table(pages, game="jie-long", seat=1)
    assert len(re.findall(r'<button class="tile"', text)) == 2 * 8  # wide and narrow
    assert set(re.findall(r'popovertarget="(tile-\d\d)"', text)) == set(re.findall(r'id="(tile-\d\d)"', text))


def test_stock_tile_is_a_button_and_hand_tiles_are_not(pages):
    text, at = table(pages, game="shi-wu-hu", seed=7)  # the tile from the stock is in the hand too
    assert len(tile_buttons(text)) > 2
    text = pages.get(f"/table?{at}&play={actions(text)[0]}").text
    assert "from the stock" in text and len(tile_buttons(text)) == 2  # wide and narrow


def test_tiles_of_a_hand_that_only_wins_say_what_is_to_be_done(pages):
    text, at = table(pages, game="small-mahjong")
    text = pages.get(f"/table?{at}&play={actions(text)[1]}").text  # a claim
    assert len(actions(text)) == 1 and "declare your win" in text
    assert 'class="tile"' not in text and text.count('class="idle" type="button" popovertarget="idle"') == 2 * 3


def tile_buttons(text):
    """The classes of the buttons over tiles and what a click does: "value" plays at once."""
    found = re.findall(r'<button class="([^"]*)" form="moves" tabindex="-1" data-numbers="[^"]*" (\S+)', text)
    return [(look.split(), does) for look, does in found]


def test_playable_tiles_have_a_rim_and_no_click_discards_at_once(pages):
    text, at = table(pages, game="jie-long")
    seen = set()
    while choices := actions(text):
        seating = WebGame(Address.read(dict(re.findall(r"(\w+)=([^&]*)", at))))
        for numbers, (look, does) in zip(
            re.findall(r'tabindex="-1" data-numbers="([^"]*)"', text), tile_buttons(text), strict=True
        ):
            verbs = {seating.entries[int(number) - 1].move.verb for number in numbers.split()}
            lays = any(entry.move.verb != "discard" for entry in seating.entries)
            assert ("spare" in look) == (lays and verbs == {"discard"})
            assert "discard" not in verbs or does.startswith("type=")
            seen.add((lays, "spare" in look))
        answer = pages.get(f"/table?{at}&play={choices[0]}")
        text, at = answer.text, answer.url.query.decode()
    assert seen == {(True, True), (True, False), (False, False)}


@pytest.mark.parametrize("name", ["jie-long", "tiu-u", "small-mahjong", "deer-hunt"])
def test_no_click_on_a_tile_plays_it_where_nothing_is_taken_back(pages, name):
    serious, _ = table(pages, game=name, practice="0")
    assert tile_buttons(serious) and all(does.startswith("type=") for _, does in tile_buttons(serious))
    assert set(re.findall(r'popovertarget="(tile-\d\d)"', serious)) == set(re.findall(r'id="(tile-\d\d)"', serious))
    practice, _ = table(pages, game="deer-hunt")
    assert any(does.startswith("name=") for _, does in tile_buttons(practice))
