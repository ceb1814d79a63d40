"""What the app says in Chinese: every text of a game, of a template and of a page has an entry in the catalogue."""

import ast
import json
import re
import shutil
from dataclasses import fields
from errno import ENOSPC
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from string import punctuation

import pytest
from fastapi.testclient import TestClient
from jinja2 import nodes
from typer.main import get_command

import gupai_agents
import gupai_app
import gupai_env
import gupai_training
from checkout import ROOT, files
from commands import gupai
from gupai_agents.evaluation.atlas import tables_in
from gupai_agents.evaluation.pages.chart import templates
from gupai_agents.shipped import LEVELS
from gupai_app.claims.routes import known
from gupai_app.play.address import Address
from gupai_app.play.moves import entries_of, headed
from gupai_app.play.pictures import rules_in_words
from gupai_app.play.reasons import reason
from gupai_app.play.session import Session
from gupai_app.play.table import LABELS, WebGame
from gupai_app.review.document import REPLAY_LABELS
from gupai_app.server.app import create_app
from gupai_app.server.players import NAMED
from gupai_app.shell.cli import app
from gupai_app.words import sentences as words
from gupai_app.words.languages import catalogue, speak
from gupai_app.words.sentences import choice_in, error_in, option_in
from gupai_env.core.rng import draw
from gupai_env.core.variant import typed
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import guide_of
from gupai_env.messages import TRANSLATIONS, say, word
from gupai_env.storage.files import describe
from web_room import RUN, furnish, played
from web_room import said as problem_of

HOME = "http://127.0.0.1:8420"
LATIN, CHINESE = re.compile("[A-Za-z]{2,}"), re.compile("[\u3400-\u9fff]")
DATA = ("done", "how", "zones", "makes", "none", "wrong", "spare")  # that scripts show
SAID = ("title", "aria-label", "alt", "placeholder", "label", *(f"data-{each}" for each in DATA))  # attributes of words
FOLDER = Path(gupai_app.__file__).parent
PLAYER = re.compile(r"(?:[a-z]+|(?=\+))[:+][\w=+-]*=[\w+=-]*")  # such as search:playouts=20 and +attack_2=40
SOURCES = {"A. Kam", "Pagat", "navpil.github.io/gupai", "attack_2", "same", "any"}
# Templates of files that commands write:
ENGLISH = {"file", "stepper"}
TEMPLATES = sorted(path for path in FOLDER.glob("*/templates/*.html") if path.stem not in ENGLISH)


@pytest.fixture(autouse=True)
def _chinese():
    token = speak("zh-Hant")
    yield
    TRANSLATIONS.reset(token)


class Words(HTMLParser):
    """Gathers what people read on a page, apart from code, keys and the names of other languages."""

    def __init__(self, html):
        super().__init__()
        self.silent, self.found = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "style", "code", "kbd") or "hreflang" in dict(attrs):
            self.silent.append(tag)
        self.found += [value for name, value in attrs if name in SAID and value]

    def handle_endtag(self, tag):
        if self.silent[-1:] == [tag]:
            self.silent.pop()

    def handle_data(self, data):
        if not self.silent:
            self.found.append(data)


def english(texts, allowed=()):
    """The texts in which there are Latin words besides names that are allowed."""
    names = sorted(map(re.escape, {*allowed, "gupai", "--record", "PNG"}), key=len, reverse=True)
    known = re.compile(rf"(?<![A-Za-z])(?:{'|'.join(names)})(?![A-Za-z])|\w+…")  # some are cut in drawings
    return [text for text in texts if LATIN.search(known.sub("", text))]


# What nobody reads:
CODES = "address language game again other_coach undo record form spot goes ghost tiles action begin table code now"


def texts_in(content, name=""):
    """The texts of a table as data that people read."""
    if isinstance(content, dict):
        for key, member in content.items():
            if key not in CODES.split() or name == "labels":
                yield from texts_in(member, key)
    elif isinstance(content, list):
        for member in content:
            yield from texts_in(member, name)
    elif isinstance(content, str):
        yield content


# A Latin mark next to Chinese; slots, tiles, code and names count as Chinese, and a key stands apart.
SLOTS = r"`[^`]*`|\{[^{}]*\}|\[\d:\d\]|<[^>]*>"
CODE = re.compile(rf"{SLOTS}|[,:]?\.\.\.|[A-Z]\.|\s[!?]\s|(?:[A-Za-z]|\.(?=[a-z]))[!-~]*?(?=[.,;:!?]*(?![!-~]))")
MARK = re.compile(r"[\u3400-\u9fff」）》][.,;:?!]|[.,;:?!] ?[\u3400-\u9fff「（《]|[\u3400-\u9fff] \((?!\d\))")


def latin_marks(texts):
    """The texts with a Latin comma, full stop or bracket where Chinese has its own."""
    return [text for text in texts if CHINESE.search(text) and MARK.search(CODE.sub("字", text))]


# --- texts as they are written ---------------------------------------------------------------------


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_template_texts_are_all_in_the_catalogue(path):
    source = path.read_text(encoding="utf-8")
    calls = templates().parse(source).find_all(nodes.Call)
    said = [call.args[0] for call in calls if isinstance(call.node, nodes.Name) and call.node.name == "_"]
    assert not {each.value for each in said if isinstance(each, nodes.Const)} - catalogue("zh-Hant").keys()
    assert not re.findall(r"\}\}(?:</\w+>)?[.,;:?!](?=[\s<{])|\(\{\{", source)  # such marks are in the catalogue
    bare = re.sub(r"\{%.*?%\}|\{\{.*?\}\}", "", source, flags=re.DOTALL)
    assert not english(Words(bare).found)


def test_catalogue_has_chinese_marks():
    assert latin_marks(["完。", "{a}。{b}", "（1, 2）", "按 ! 看"]) == []
    assert len(latin_marks(["完.", "{name}: 完", "完 (一)", "{a}, 完", "完;"])) == 5
    assert not latin_marks(catalogue("zh-Hant").values())


@pytest.mark.parametrize("name", GAMES)
def test_game_texts_are_chinese(name):
    game = get_game(name)
    guide, found = guide_of(game, game.variant()), []
    found += [
        guide.kind + ".",
        guide.goal,
        game.hints(game, game.variant()).reminder(),
        *guide.terms,
        *guide.terms.values(),
    ]
    for option in fields(game.variant):
        choices, allowed = option.metadata["choices"], game.variant.allowed(option.name)
        found += [option.metadata["help"], *([] if choices else [allowed])]
        for value in (*(choices or (option.default,)), *((True, False) if type(option.default) is bool else ())):
            found.append(choice_in(option.name, typed(value)))
        found.append(option_in(option.name))
    found += [part for rule in rules_in_words(game) for part in rule]
    found += [text for feature in game.features for text in (feature.meaning, feature.unit)]
    for phrase in guide.phrases.values():
        slots = dict.fromkeys(set(re.findall(r"\{(\w+)", f"{phrase.many}{phrase.none}")) - {"number"}, 2)
        found += [phrase.words(number, slots) for number in range(3)]
    assert not english(map(word, found), {f"`{feature.name}`" for feature in game.features})


@pytest.mark.parametrize(
    "file", [*files("results/atlas", name="*.json"), *files("results/facts", name="*.json")], ids=lambda file: file.stem
)
def test_facts_are_chinese(file):
    tables = tables_in(json.loads(file.read_text(encoding="utf-8")))
    words_in = [text for table in tables for text in (table.title, table.note, *table.heads)]
    words_in += [say(cell) for table in tables for row in table.rows for cell in row if isinstance(cell, str)]
    words_in = [text for text in words_in if "=" not in text]  # options
    assert not english(map(word, words_in), {"random", "greedy", "tuned", "best"})


def test_other_texts_of_the_app_are_chinese():
    assert not english(map(word, [*LEVELS, *words.HEADS.values(), words.REFUSED, *words.COMPASS]))


def test_catalogue_has_no_stale_entry():
    # Most pairs of words of an entry stand next to each other in the sources; f-strings break a few.
    known = set()
    packages = FOLDER, Path(gupai_env.__file__).parent, Path(gupai_agents.__file__).parent
    claims = ROOT / "configs" / "claims"
    for folder in (*packages, Path(gupai_training.__file__).parent, claims):
        for path in folder.rglob("*.*"):
            if path.suffix == ".py":
                tree = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
                texts = [node.value for node in tree if isinstance(node, ast.Constant) and isinstance(node.value, str)]
            else:
                texts = [path.read_text(encoding="utf-8")] if path.suffix in (".html", ".js", ".yaml", ".json") else []
            known |= {pair for text in texts for pair in pairwise(_words(text))}
    for text in catalogue("zh-Hant"):
        pairs = list(pairwise(_words(text)))
        there = sum(pair in known for pair in pairs)
        assert len(pairs) < 6 or there >= 0.6 * len(pairs), text


def _words(text):
    text = re.sub(r"\{\w+[^{}]*\}|\[\d:\d\]", " ", text)
    return [word.strip(punctuation) for word in text.lower().split() if LATIN.search(word)]


# --- what commands say ---------------------------------------------------------------------------


def commands(command, *words):
    yield words
    for name, part in getattr(command, "commands", {}).items():
        yield from commands(part, *words, name)


# What a person types, and names:
TYPED = re.compile(r"`[^`]*`|\[[^\]]*\]|<[^>]*>|gupai [a-z]+ [\w -]*|[\w./:=+|-]*[-A-Z./:=_+|][\w./:=+|-]*")
COMMANDS = list(commands(get_command(app)))
KEPT = {*sum(COMMANDS, ()), *GAMES, *("en", "root", "one", "two", "mixed", "all", "tuning", "network", "zip", "plya")}
SPOKEN = [
    *(" ".join([*words, "--help"]) for words in COMMANDS),
    *("plya", "watch --tabels", "claim show", "claim list x1", "play --seed", "play --seed x", "replay"),
    *("play --seat 9", "replay nowhere.jsonl", "train", "train --resume RUN --set seed=1"),
    *("tournament jie-long greedy random --resume", "verify /nowhere", "ladder jie-long --deals 5 --few 9"),
    *("watch jie-long human", "watch jie-long greedy --record=", "claim run", "rules"),
    *("gate jie-long greedy random --most 20", "gate jie-long nobody greedy"),
]


@pytest.mark.parametrize("words", SPOKEN)
def test_a_command_says_nothing_in_english(words):
    ran = gupai("--language", "zh-Hant", *words.split(), env={"COLUMNS": "400"})
    texts = [" ".join(line.split()) for line in TYPED.sub(" ", ran.output).splitlines()]
    assert re.search("[\u4e00-\u9fff]", ran.output), ran.output
    assert not english(texts, {*KEPT, "nobody", "search", *NAMED.known(get_game("jie-long"))})


@pytest.mark.parametrize("name", GAMES)
def test_game_in_the_terminal_says_nothing_in_english(name):
    game = get_game(name)
    helps = [line for topic in ("", " rules", " terms", " options") for line in (f"?{topic}", *[""] * 4)]
    hints = ["!"] * 3 if name == "jie-long" else []  # which take a while to compile
    typed = [*helps, "foo", "99", *hints, "q", "n", "u", "1", "u", *["1"] * 99]
    allowed = {*KEPT, *(field.name for field in fields(game.variant)), "foo", "Enter", "terms", "options", "card"}
    for options, lines in ((["--seed", 5, "--seat", 0], typed), (["--daily"], ["!", "1", "q", "y"])):
        done = gupai("--language", "zh-Hant", "play", name, *options, input="".join(f"{line}\n" for line in lines))
        assert (done.exit_code, done.stderr) == (0, "")
        assert not english(TYPED.sub(" ", done.stdout).splitlines(), allowed)
        assert not latin_marks(done.stdout.splitlines())


# --- texts as they come up -------------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_texts_of_a_deal_are_chinese(name):
    game = get_game(name)
    variant = game.variant()
    guide, hints, found = guide_of(game, variant), game.hints(game, variant), set()
    for deal in range(2):
        session = Session(game, variant, deal)
        while not session.terminated:
            view, mask = session.view(session.seat), session.mask()
            entries = entries_of(hints, view, mask)
            found |= {guide.task(view, mask), *guide.lessons_at(view, mask), *headed(hints, entries)}
            moves = [entry.actions[0] for entry in entries]
            some = moves[:: len(moves) // 4 + 1]
            found |= {reason(guide, view, *pair) for move in pairwise(some) for pair in (move, move[::-1])}
            for entry in entries:
                found |= {hints.label(view, entry.actions), entry.move.name, entry.move.verb}
                if len(entry.actions) > 1:
                    question, answers = hints.choice(view, entry.actions)
                    found |= {question, *answers}
            paid = session.play(entries[draw(deal, len(session.actions), len(entries))].actions[0])
        views = session.as_paid(paid).views()
        for you in range(variant.players):
            names = words.names_at(variant.players, 0, you)
            found |= {words.headline(names, paid), words.result(paid[you])}
            found |= {words.payment(each, names) for each in guide.payments(views, paid)}
            found |= set(guide.reasons(views, names, paid))
    assert not english(map(word, found))


@pytest.mark.parametrize("name", GAMES)
def test_page_shows_no_english(name):
    pages = TestClient(create_app(), base_url=HOME, headers={"accept-language": "zh-Hant"})
    seating = WebGame(Address.read({"game": name, "seed": "5", "seat": "0", "with": "greedy"}))
    tables = [seating.address.query]
    while not seating.terminated:
        entries = seating.entries
        seating = WebGame(seating.address, entries[len(seating.address.moves) % len(entries)].actions[:1])
        tables.append(seating.address.query)
    data = [pages.get(f"/document?{query}").json() for query in (*tables[:-1:9], tables[-1])]
    data += [pages.get(f"/document?game={name}&{page}=1").json() for page in ("begin", "rules")]
    shown = [f"/table?{tables[0]}"]
    shown += ["/", "/review", "/nowhere"] if name == next(iter(GAMES)) else []
    found = []
    for address in shown:
        text = pages.get(address).text
        assert '<html lang="zh-Hant">' in text
        found += Words(text).found
    assert data[0]["labels"]["again"] == catalogue("zh-Hant")["Play again"]
    found += [text for content in data for text in texts_in(content)]
    assert not english(found, NAMED.known(get_game(name)))


JIE_LONG = "/document?game=jie-long&seed=5&seat=0"
REFUSED = {  # what pages refuse, with what of it stays as it came
    "/nowhere": (),
    "/document?game=jie-long&begin=1&o.players=5": (),
    "/table?game=jie-lon": ("jie-lon", *GAMES),
    f"{JIE_LONG}&options=deals=26": (),
    f"{JIE_LONG}&options=stake=x": ("x",),
    f"{JIE_LONG}&options=stake=1e30": ("stake=1e+30", "e+"),
    f"{JIE_LONG}&options=stake=-1": (),
    f"{JIE_LONG}&options=stakes=2": (
        "stakes",
        "jie-long",
        *(each.name for each in fields(get_game("jie-long").variant)),
    ),
    f"{JIE_LONG}&options=players": ("players", "name=value"),
    f"{JIE_LONG}&options=forced_play=maybe": ("maybe", "true", "false"),
    f"{JIE_LONG}&options=leader=7": ("random",),
    f"{JIE_LONG}&options=deck=tiny;players=4": ("tiny",),
    "/table?game=da-ling&options=stakes=1,2": (),
    "/table?game=da-ling&options=stakes=a": ("a",),
    "/table?game=ding-niu&options=smothered_numbers=1,1": (),
    f"{JIE_LONG}9": (),
    f"{JIE_LONG}&seed=1": ("seed",),
    "/table?game=jie-long&seed=-1": (),
    f"{JIE_LONG}&with=nobody": ("nobody", *NAMED.known(get_game("jie-long"))),
    f"{JIE_LONG}&with=random;random;random;random": (),
    f"{JIE_LONG}&moves=999": (),
    f"{JIE_LONG}&moves=1": (),
    f"{JIE_LONG}&moves=a": (),
    f"{JIE_LONG}&moves={'1.' * 6001}1": (),
    f"{JIE_LONG}&play=x": ("x",),
    f"{JIE_LONG}&with=random&play=31.0.0": (),
    f"/review/game{JIE_LONG[9:]}": (),
    f"/review/game{JIE_LONG[9:]}&sat=x": ("sat", "JSON"),
    f"/review/game{JIE_LONG[9:]}&sat=[1,2,3,4]": (),
    f"/review/game{JIE_LONG[9:]}&sat=[%22a%22,%22b%22,%22c%22,%22d%22]": (),
    "/claim/jl-attack-2?nothing=1": ("nothing", "jl-attack-2"),
    "/compare?run=one": (),
    f"/table?game={'x' * 50_000}": (),
    "/review": (),
    "/review games=": (),
    "/review games=x": ("JSON",),
    "/review games=x number=2": (),
    "/review games=x number=y": ("y",),
    f"/review games={'x' * (1 << 20)}": (),
    "/tournaments game=jie-long": (),
    "/tournaments game=jie-long agent=random": (),
    "/tournaments game=jie-long agent=random;greedy deals=0": (),
    "/tournaments game=jie-long agent=random;greedy;variety;tuned;best deals=20000 table=all": (),
    "/claim/jl-attack-2 do=begin deals=x": ("x",),
}


@pytest.mark.parametrize("language", ["en", "zh-Hant", "zh-Hans"])
def test_error_is_a_sentence_in_the_language_of_the_page(language, tmp_path):
    pages = TestClient(create_app(runs=tmp_path, tournaments=tmp_path), base_url=HOME)
    for asked, kept in REFUSED.items():
        address, *sent = asked.split(" ")
        headers = {"accept-language": language, **({"origin": HOME} if sent else {})}
        body = {"data": dict(each.split("=", 1) for each in sent)} if sent or address == "/review" else {}
        answer = pages.request("POST" if body else "GET", address, headers=headers, **body)
        assert answer.status_code >= 400, asked
        said = problem_of(answer)
        if language == "en":
            assert re.fullmatch(r"[A-Z'\d].*[.?]", said) and not said.endswith("..."), said
        else:
            assert not english([said], kept) and said.endswith("。"), said


def test_other_errors_are_chinese_where_they_have_an_entry():
    known = catalogue("zh-Hant")
    for error, there in {
        say("{folder}: another process is {doing}", folder="a", doing="writing"): "a：另一個程序正在使用（writing）。",
        say("It failed: {problem}", problem=describe(OSError(ENOSPC, "", "x"))): "失敗了：x：磁碟已滿。",
        say("{name} is damaged ({problem})", name="one", problem=say("it is not JSON")): "one 已損壞（不是 JSON）。",
        "There is no such page.": known["There is no such page."],
        "nobody wrote this": "Nobody wrote this.",
        "nobody wrote this: [1, 2]": "Nobody wrote this: [1, 2].",
        f"nobody {'wrote: this; ' * 200}": f"Nobody {'wrote: this; ' * 200}".strip() + ".",
    }.items():
        assert error_in(error) == there


def test_two_people_at_a_screen_read_no_english():
    pages = TestClient(create_app(), base_url=HOME, headers={"accept-language": "zh-Hant"})
    address = "/document?game=jie-long&seed=1&seat=0&with=human&options=players=2;deals=2"
    covered, *tables = [list(texts_in(pages.get(f"{address}{at}").json())) for at in ("", "&at=0", "&at=1")]
    assert any(catalogue("zh-Hant")["Pass the screen to {0}"].format("") in text for text in covered)
    assert not english([*covered, *tables[0], *tables[1]])


def test_labels_of_a_table_are_all_in_the_catalogue():
    assert not set(LABELS.values()) - catalogue("zh-Hant").keys()


@pytest.mark.parametrize("name", ["jl-attack-2", "jl-lockout-2", "dn-number-character", "tg-banker"])
def test_claim_and_verdict_are_chinese(name):
    pages = TestClient(create_app(), base_url=HOME, headers={"accept-language": "zh-Hant"})
    claim, texts = known()[name], []
    for address in (f"/claim/{name}", f"/recorded/{name}", "/verdict/none"):
        texts += [PLAYER.sub("", text) for text in Words(pages.get(address).text).found]
    assert claim.readings and not english(texts, {name, *NAMED.known(get_game(claim.game)), *SOURCES})


def test_runs_and_their_comparison_are_chinese(tmp_path):
    room = furnish(tmp_path)
    shutil.copytree(room / "runs" / RUN, room / "runs" / "two")
    (room / "runs" / "two" / "config.yaml").write_text("game: jie-long\nseed: 2\n")
    pages = TestClient(create_app(runs=room / "runs"), base_url=HOME, headers={"accept-language": "zh-Hant"})
    for address in ("/runs", f"/run/{RUN}", "/run/broken", f"/compare?run={RUN}&run=two"):
        texts = [text for text in Words(pages.get(address).text).found if not text.startswith("game: ")]
        allowed = (RUN, "two", "broken", "tuned", "tu&ned", "jie-long", "Metrics.jsonl", "metrics.jsonl", "config.yaml")
        assert texts and not english(texts, {*allowed, "SVG", "PNG", "CSV", "IQM", "JSON", "metrics.jsonl, line 1"})


def test_review_by_a_player_is_chinese():
    pages = TestClient(create_app(), base_url=HOME, headers={"accept-language": "zh-Hant"})
    address = f"/document?{played(pages, game='pai-gow', options='players=2')[-1]}&review=1"
    game, values = pages.get(address).json(), pages.get(f"{address}&values=1&agent=greedy").json()
    assert game["labels"]["luck"] == catalogue("zh-Hant")["Luck"]
    turns = [
        [turn["name"], turn["sentences"], [bar["chips"] for bar in turn["bars"]]] for turn in values["turns"].values()
    ]
    told = [values[name] for name in ("how_found", "how_expected", "how_lucky", "near", "seats", "luck")]
    found = [*texts_in([game["places"], game["result"], [each["words"] for each in game["frames"]], turns, told])]
    assert len(found) > 20 and not english(found, NAMED.known(get_game("pai-gow")))
    assert not {*LABELS.values(), *REPLAY_LABELS.values()} - catalogue("zh-Hant").keys()
