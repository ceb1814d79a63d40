"""The catalogues are whole, slots keep their places, and sentences are found by their parts."""

import ast
import json
import re
from gettext import NullTranslations
from importlib.resources import files
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from fastapi.testclient import TestClient

import gupai_agents
import gupai_app
import gupai_env
import gupai_training
from commands import gupai
from gupai_agents.evaluation.claims.schema import Condition, Named
from gupai_app.server.app import create_app
from gupai_app.words.languages import ENGLISH, LANGUAGES, catalogue, preferred, simplified, speak
from gupai_app.words.sentences import being_prepared, title_in
from gupai_env.core.move import Move
from gupai_env.core.tiles import kind_of
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import fewest_first
from gupai_env.games.phrases import says
from gupai_env.messages import TRANSLATIONS, alias, capitalized, count, joined, messages_in, say, with_messages, word

CHINESE = [language for language in LANGUAGES if language != ENGLISH]
SLOT = re.compile(r"\{\w+[^{}]*\}")
MAKERS = ("say", "message", "worded", "note", "Mistake", "put", "table_of")  # of messages of one template
HOME = "http://127.0.0.1:8420"
ALIKE = {
    "zh-Hant": "龍紅點贏發對覆螢賬著「",
    "zh-Hans": "龙红点赢发对复屏账着“",
}  # letters that only one of them writes


@pytest.fixture
def pages():
    return TestClient(create_app(), base_url=HOME)


@pytest.fixture(params=CHINESE)
def chinese(request):
    token = speak(request.param)
    yield request.param
    TRANSLATIONS.reset(token)


def test_texts_have_both_translations_with_the_same_slots():
    first, second = map(catalogue, CHINESE)
    assert first.keys() == second.keys() and len(first) > 700
    many = {entry.id[0]: entry.id[1] for entry in entries() if entry.pluralizable}  # Chinese has one form for both
    for known in (first, second):
        for text, there in known.items():
            forms = text, many.get(text, text)
            assert sorted(SLOT.findall(there)) in [sorted(SLOT.findall(form)) for form in forms], text
            bare = SLOT.sub("", text)
            assert re.search(r"[\u3001-\u9fff\uff0c-\uff1b]", there) or not re.search(r"[A-Za-z]", bare), text
            assert set(re.findall(r"[A-Za-z]{2,}", there)) <= set(re.findall(r"[A-Za-z]{2,}", " ".join(forms))), text


def entries():
    """The entries of the catalogue, as its file has them."""
    with (files("gupai_app.words") / "locale" / "zh_Hant" / "LC_MESSAGES" / "gupai.po").open("rb") as file:
        return [entry for entry in read_po(file) if entry.id]


def test_entries_are_neither_empty_nor_repeated():
    with (files("gupai_app.words") / "locale" / "zh_Hant" / "LC_MESSAGES" / "gupai.po").open("rb") as file:
        lines = file.read().decode().splitlines()
    assert all(str(entry.string).strip() and not entry.fuzzy for entry in entries())
    assert len(entries()) == sum(line.startswith("msgid ") for line in lines) - 1  # the head


def test_two_chinese_scripts_are_not_mixed():
    for language, other in (CHINESE, CHINESE[::-1]):
        assert not set(ALIKE[other]) & set("".join(catalogue(language).values()))


@pytest.mark.parametrize(("locale", "answer"), [("zh_TW.UTF-8", "棄"), ("zh_CN", "弃"), ("en_GB.UTF-8", "discard")])
def test_terminal_speaks_the_language_of_the_locale(locale, answer):
    ran = gupai("watch", "jie-long", "random", "--seed", "3", env={"LC_ALL": locale})
    assert answer in ran.stdout and not ran.exit_code
    ran = gupai("--language", "zh-Hant", "rules", "jie-lon", env={"LC_ALL": locale})
    assert "沒有" in ran.stderr and ran.exit_code == 2


def templates():
    """Yield the templates of all messages that are made in the sources."""
    for package in (gupai_app, gupai_env, gupai_agents, gupai_training):
        for path in Path(package.__file__).parent.rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            made = re.search(r"(words.messages|phrases|streams|errors|language|screen) import", source)
            for node in ast.walk(ast.parse(source)) if made else ():
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    places = {"count": [0, 1], "says": [1, 2]}.get(node.func.id, [0] if node.func.id in MAKERS else [])
                    texts = [node.args[place] for place in places if place < len(node.args)]
                    yield tuple(text.value for text in texts if isinstance(text, ast.Constant))


def test_templates_have_an_entry_each():
    token = speak("zh-Hant")
    try:
        spoken = TRANSLATIONS.get()
        for texts in filter(None, templates()):
            there = spoken.ngettext(*texts, 2) if texts[1:] else spoken.gettext(texts[0])
            assert there not in texts or not re.search("[A-Za-z]", SLOT.sub("", texts[0])), texts
    finally:
        TRANSLATIONS.reset(token)


def test_simplified_chinese_uses_mainland_words():
    texts = "螢幕旁的檔案", "覆盤：「存檔」", "亂數種子 {0}", "變異"
    assert simplified(texts) == ["屏幕旁的文件", "复盘：“存档”", "随机种子 {0}", "方差"]


def test_sentence_of_parts_is_found_by_its_slots(chinese):
    known = catalogue(chinese)
    assert word(Move("discard", (kind_of(6, 4),)).name) == known["discard {tiles}"].format(tiles="[6:4]")
    assert word("nobody wrote this 3 times") == "nobody wrote this 3 times"
    for game in map(get_game, GAMES):
        assert not re.search("[A-Za-z]", title_in(game.title)), game.title
    assert title_in("Another Game") == "Another Game"


def test_english_stays_as_written():
    assert word("discard [6:4]") == "discard [6:4]" and title_in("Jie Long 接龍") == "Jie Long 接龍"


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
def test_first_preferred_language_of_the_browser_is_used(header, language):
    assert preferred(header) == language


def test_language_is_chosen_by_the_address_and_kept(pages):
    address = "/table?game=jie-long&seed=5&seat=0&with=greedy"
    here = {"referer": f"{HOME}{address}"}
    answer = pages.get("/language?lang=zh-Hans", headers=here)
    assert address in str(answer.url) and '<html lang="zh-Hans">' in answer.text
    shown = pages.get(address.replace("/table", "/document")).json()
    assert catalogue("zh-Hans")["hand"] == shown["frames"][-1]["scene"]["places"][0]["piles"][0]["label"]
    assert '<html lang="zh-Hans">' in pages.get("/claim/jl-attack-2").text
    assert '<html lang="en">' in pages.get("/claim/jl-attack-2?lang=en").text  # not a field of the claim
    assert '<html lang="en">' in pages.get("/?lang=xx").text


def test_messages_survive_a_file(chinese):
    chips = count("{number:g} chip", "{number:g} chips", 2.5)
    told = [say("You win {chips}.", chips=chips), alias("Jie", "Jie Long"), "win", say("win")]
    content = {"told": told, "number": 3}
    file = json.loads(json.dumps({**content, "messages": messages_in(content)}))
    assert file["told"] == ["You win 2.5 chips.", "Jie", "win", "win"]
    read = with_messages(file, file["messages"])["told"]
    assert list(map(word, read)) == list(map(word, told)) and word(read[0]) != read[0]


def test_messages_of_equal_english_stay_apart_in_a_file(chinese):
    """One text may be several messages: of another context, with other slots, within another, or no message."""
    inner = say("{name} {number:.1f}", name=say("West"), number=2)
    content = {
        "same": [alias("claim", context="column"), alias("claim", context="heading"), "claim"],
        "slots": [say("{name} 2.0", name=say("West")), inner, say("West {number:.1f}", number=2), "West 2.0"],
        "within": [say("{text}.", text=inner), say("{text}.", text="West 2.0"), say("West 2.0.")],
    }
    assert all(len(set(messages)) == 1 for messages in content.values())
    file = json.loads(json.dumps({**content, "messages": messages_in(content)}))
    read = with_messages({name: file[name] for name in content}, file["messages"])
    assert messages_in(read) == messages_in(content)
    for name, messages in content.items():
        assert list(map(word, read[name])) == list(map(word, messages))


def test_messages_of_older_files_are_found_by_their_english():
    told = {"told": ["You win 2.5 chips.", "win"]}
    parts = {"template": "You win {chips}.", "arguments": {"chips": "2.5 chips"}}
    inner = {"template": "{number:g} chip", "arguments": {"number": 2.5}, "many": "{number:g} chips"}
    read = with_messages(told, {"You win 2.5 chips.": parts, "2.5 chips": inner})["told"]
    assert (read[0].template, read[0].arguments["chips"].arguments) == (parts["template"], {"number": 2.5})
    assert read[1] == "win"


BRACES = ["{", "}", "{}", "{0}", "{tiles}", "{{tiles}}", "{number!r:>{x}}"]


@pytest.mark.parametrize("name", BRACES)
def test_braces_in_a_name_are_braces(name, chinese):
    """Of a verb, of a feature, of players, opponents, labels and statements that a stranger has named."""
    tile, two = (0,), (kind_of(6, 4),) * 2
    moves = [Move(name), Move(name, two), Move(name, two, takes=tile), Move(name, two, takes=(5, 5))]
    assert [move.name for move in moves] == [
        name,
        f"{name} [6:4][6:4]",
        f"[6:4][6:4] {name} [1:1]",
        f"[6:4][6:4] {name}",
    ]
    features = [Named(feature=name), Named(feature=name, number=3), Condition(feature=name, number=3, exactly=2)]
    named = [*(move.name for move in moves), *(feature.what for feature in features), str(features[2])]
    assert named[4:] == [name, f"{name} 3", f"{name} 3", f"{name} 3 exactly 2"]
    labels = joined(", ", [say("{player}, with {dose}", player=say(name), dose=name), capitalized(name), name])
    for text in (*named, labels, say("{label}: {text}", label=labels, text=moves[1].name)):
        assert name in word(text) and word(with_messages([str.__str__(text)], messages_in([text]))[0]) == word(text)


def test_no_template_is_made_of_a_name_that_is_not_escaped():
    """A template that is put together from variables, and formatted, takes only what `escaped` or the code wrote."""
    made = []
    for package in (gupai_env, gupai_agents, gupai_training, gupai_app):
        for path in Path(package.__file__).parent.rglob("*.py"):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                template = call.args[0] if isinstance(call, ast.Call) and call.keywords and call.args else None
                if isinstance(template, ast.JoinedStr) and getattr(call.func, "id", "") in ("say", "count", "message"):
                    slots = [part.value for part in template.values if isinstance(part, ast.FormattedValue)]
                    made += [(path.name, ast.unparse(slot)) for slot in slots]
    assert sorted(made) == [*[("move.py", "verb")] * 3, ("schema.py", "escaped(self.feature)")]


def test_text_without_an_entry_stays_english(chinese):
    assert word("win") == catalogue(chinese)["win"]
    for text in ("nobody wrote this", "You win 1 chip. Nobody wrote this", "win, nobody wrote this"):
        assert word(text) == text


@pytest.mark.parametrize("part", [".", ". ", ": ", ", ", "Seat 0 ", "East: ", "[6:4]", "9"])
def test_name_of_any_kind_is_read_at_once(part, chinese):
    assert word(f"nobody{2000 * part}")


@pytest.mark.parametrize(
    ("text", "there"),
    [
        (fewest_first([say("West"), "greedy"], [7, 12]), "失點最少者勝：西 7，greedy 12。"),
        (says(say("East"), "{name} discards {tiles}", "{name} discard {tiles}", tiles="[6:4]"), "東棄 [6:4]"),
        (
            being_prepared(
                say("Tien Gow"), say("{part} of {game}", part=alias("hints", context="part"), game=say("Jie Long")), 3.2
            ),
            "正在準備打天九（本機只需一次）：機器空閒時不超過半分鐘。目前：接龍的提示，已 3 秒。",
        ),
    ],
)
def test_text_of_parts_is_put_together_in_traditional_chinese(text, there):
    token = speak("zh-Hant")
    try:
        assert word(text) == there
    finally:
        TRANSLATIONS.reset(token)


def test_plurals_are_those_of_the_number_in_the_language():
    class Numbered(NullTranslations):
        def ngettext(self, one, many, number):
            return f"{{number:g}} ({number})"

    token = TRANSLATIONS.set(Numbered())
    try:
        assert [word(count("{number} chip", "{number} chips", number)) for number in (1, 2, 1.5)] == [
            "1 (1)",
            "2 (2)",
            "1.5 (2)",
        ]
    finally:
        TRANSLATIONS.reset(token)
