"""Pages in Chinese: catalogues are whole, slots keep their places, and no button is left in English."""

import re
from html import unescape

import pytest
from fastapi.testclient import TestClient

from gupai_app import languages
from gupai_app.languages import ENGLISH, LANGUAGE, LANGUAGES, catalogue, preferred, title_in, translate
from gupai_app.web.app import create_app
from gupai_env.games import GAMES, get_game

CHINESE = [language for language in LANGUAGES if language != ENGLISH]
HOME = "http://127.0.0.1:8420"
ALIKE = {"zh-Hant": "龍紅點贏發對", "zh-Hans": "龙红点赢发对"}  # letters that only one of them writes


@pytest.fixture
def pages():
    return TestClient(create_app(), base_url=HOME)


@pytest.fixture(params=CHINESE)
def chinese(request):
    token = LANGUAGE.set(request.param)
    yield request.param
    LANGUAGE.reset(token)


def test_every_text_has_both_translations_with_the_same_slots():
    first, second = map(catalogue, CHINESE)
    assert first.keys() == second.keys() and len(first) > 150
    for known in (first, second):
        for text, there in known.items():
            slots = [sorted(re.findall(r"\{\d+\}", each)) for each in (text, there)]
            assert slots[0] == slots[1], text
            assert re.search(r"[\u4e00-\u9fff]", there) and not re.search(r"[A-Za-z]{2}", there), text


def test_the_two_ways_to_write_chinese_are_not_mixed():
    for language, other in (CHINESE, CHINESE[::-1]):
        assert not set(ALIKE[other]) & set("".join(catalogue(language).values()))


def test_a_sentence_of_parts_is_found_by_its_slots(chinese):
    known = catalogue(chinese)
    assert translate("discard [6:4]") == known["discard {0}"].format("[6:4]")
    paid = translate("East pays You 2.5 chips.")
    assert paid == known["{0} pays {1} {2} chips."].format(known["East"], known["You"], "2.5")
    assert translate("[6:5][6:1] / [5:3][3:3]  nine / two").endswith(f"{known['nine']} / {known['two']}")
    assert translate("nobody wrote this 3 times") == "nobody wrote this 3 times"
    for game in map(get_game, GAMES):
        assert not re.search("[A-Za-z]", title_in(game.title)), game.title
    assert title_in("Another Game") == "Another Game"


def test_english_is_as_it_is_written():
    assert translate("discard [6:4]") == "discard [6:4]" and title_in("Jie Long 接龍") == "Jie Long 接龍"


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("de, fr;q=0.5", "en"),
        ("de, zh-TW;q=0.9, en;q=0.8", "zh-Hant"),
        ("zh-Hant-HK", "zh-Hant"),
        ("zh-CN,zh;q=0.9", "zh-Hans"),
        ("zh", "zh-Hans"),
        ("en-GB, zh", "en"),
        ("x" * 10_000, "en"),
    ],
)
def test_the_first_language_that_a_browser_prefers_is_spoken(header, language):
    assert preferred(header) == language


def buttons_of(text):
    """The words of all buttons of a page."""
    found = re.findall(r"<(button|a)\b([^>]*)>(.*?)</\1>", text, re.DOTALL)
    shown = [words for tag, more, words in found if tag == "button" or 'class="button' in more]
    return [unescape(re.sub(r"<kbd>.*?</kbd>|<[^>]*>", "", words)).strip() for words in shown]


@pytest.mark.parametrize("game", GAMES)
def test_a_page_in_chinese_has_no_english_button(game, pages, chinese):
    pages.headers["accept-language"] = chinese
    address = f"/table?game={game}&seed=5&seat=0&with=greedy"
    seen, turns = [], 0
    while True:
        text = pages.get(address).text
        assert f'<html lang="{chinese}">' in text
        seen += buttons_of(text)
        moves = re.findall(r'name="play" value="(\d+)"', text)
        if not moves or (turns := turns + 1) > 40:
            break
        last = unescape(re.search(r'href="(/table\?[^"]*)&amp;hint=1"', text)[1])
        address = f"{last}&play={moves[turns % len(moves)]}"
    assert catalogue(chinese)["Play again"] in seen
    for path in ("/", f"/game/{game}", f"/rules/{game}", "/nowhere"):
        seen += buttons_of(pages.get(path).text)
    assert not [words for words in seen if re.search(r"[A-Za-z]{2}", words)]


def test_a_language_is_chosen_by_the_address_and_kept(pages):
    address = "/table?game=jie-long&seed=5&seat=0&with=greedy"
    here = {"referer": f"{HOME}{address}"}
    answer = pages.get("/language?lang=zh-Hans", headers=here)
    assert address in str(answer.url) and '<html lang="zh-Hans">' in answer.text
    assert catalogue("zh-Hans")["hand"] in answer.text  # drawn on the table
    assert '<html lang="zh-Hans">' in pages.get("/claim/jl-attack-2").text
    assert '<html lang="en">' in pages.get("/claim/jl-attack-2?lang=en").text  # not a field of the claim
    assert '<html lang="en">' in pages.get("/?lang=xx").text


def test_an_unknown_entry_is_a_bug_that_falls_back(monkeypatch, chinese):
    monkeypatch.setattr(languages, "catalogue", lambda language: {"pass": "過"})
    assert translate("pass") == "過" and translate("win") == "win"
