"""The form that begins a table, and the rules, as pages draw them: in every language, of every game."""

import re

import pytest

from gupai_app.page.documents import LABELS, begin, rules
from gupai_app.play.address import Address, complete
from gupai_app.server.players import NAMED
from gupai_app.words.languages import ENGLISH, catalogue, speak
from gupai_env.games import GAMES
from gupai_env.messages import TRANSLATIONS


@pytest.mark.parametrize("language", [ENGLISH, "zh-Hant", "zh-Hans"])
@pytest.mark.parametrize("name", GAMES)
def test_rules_of_a_game_use_the_terms_that_they_explain(name, language):
    token = speak(language)
    page = rules({"game": name})
    TRANSLATIONS.reset(token)
    text = " ".join([page["goal"], *(rule for _, rule in page["rules"])]).lower()
    terms = [part.lower() for term, _ in page["terms"] for part in re.split(", |、", term)]
    assert sum(term in text for term in terms) >= 2 and all(head and rule for head, rule in page["rules"])


@pytest.mark.parametrize("name", GAMES)
def test_form_as_it_comes_is_the_default_table(name):
    fields = [field for part in begin({"game": name}, NAMED)["parts"] for field in part["fields"]]
    for field in fields:
        assert not field["choices"] or field["now"] in [choice["code"] for choice in field["choices"]], field["code"]
    sent = {field["code"]: field["now"] for field in fields if field["code"] != "with"}
    others = [field["now"] for field in fields if field["code"] == "with"]
    query = {"game": name, "with": ";".join(filter(None, others)), **sent, "seed": "5"}
    assert Address.read(complete(query)) == Address.read(complete({"game": name, "seed": "5"}))


def test_words_of_forms_are_all_in_the_catalogue():
    assert not set(LABELS.values()) - catalogue("zh-Hant").keys()
