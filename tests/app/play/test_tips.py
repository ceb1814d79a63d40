"""Terms of a game have tips: buttons that open what they mean, without a script, once on a page."""

import re
from html import unescape

import pytest
from fastapi.testclient import TestClient

from gupai_app.play.pictures import Tips, split_term
from gupai_app.server.app import create_app
from gupai_app.words.languages import ENGLISH, speak
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import guide_of
from gupai_env.messages import TRANSLATIONS, word

TERMS = {"open end": "Where the next tile joins.", "double": "Such as [4:4].", "head seven, tail eight": "You pay."}
TIP = re.compile(
    r'<dfn><button type="button" class="term" popovertarget="([\w-]+)" title="([^"]*)">([^<]*)</button></dfn>'
    r'<span class="tip" id="\1" popover>(.*?)</span>'
)


def test_term_has_a_tip_where_it_first_comes_up():
    tipped = Tips(TERMS)
    first, second = tipped("Open ends & doubles: [6:4]."), tipped("A double, an open end, a tail eight, a head seven")
    assert [tip[2] for tip in TIP.findall(first)] == ["Open ends", "doubles"]
    assert [tip[2] for tip in TIP.findall(second)] == ["tail eight"]
    assert first.count("<img") == 2 and " &amp; " in first and second.startswith("A double, an open end, a <dfn>")


def test_shown_tip_is_also_the_description_of_its_button():
    name, description, word, shown = TIP.search(Tips(TERMS)("redoubled doubles")).groups()
    assert (word, description) == ("doubles", "Such as [4:4].") and 'alt="[4:4]"' in shown and name == "term-1"


def test_empty_terms_give_no_tips():
    assert Tips({})("A double <b>") == "A double &lt;b&gt;"


@pytest.mark.parametrize("language", [ENGLISH, "zh-Hant", "zh-Hans"])
@pytest.mark.parametrize("name", GAMES)
def test_rules_of_a_game_explain_its_terms(name, language):
    page = TestClient(create_app(), base_url="http://127.0.0.1:8420", headers={"accept-language": language})
    text = page.get(f"/rules/{name}").text
    tips = TIP.findall(text)
    names = [tip[0] for tip in tips]
    assert len(set(names)) == len(names) == len(re.findall('class="term"', text))
    guide, token = guide_of(get_game(name), get_game(name).variant()), speak(language)
    meanings = {part.lower(): word(said) for term, said in guide.terms.items() for part in split_term(word(term))}
    TRANSLATIONS.reset(token)
    assert len(tips) >= 2
    for _, description, term, _ in tips:
        term = unescape(term).lower()
        found = next(each for each in (term, term.removesuffix("s"), term.removesuffix("es")) if each in meanings)
        assert meanings[found] == unescape(description)
