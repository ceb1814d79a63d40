"""The languages of pages: one catalogue for each, in gettext's format, with English where it has no entry.

A text is looked up as it is, then with its numbers, tiles and names of seats as {0}, {1}, ..., and then by its parts,
so that sentences that are put together have one entry: "discard [6:4]" is found as "discard {0}", and "+2 chips, 3
tricks" as "{0} chips" and "{0} tricks". Entries with the context "error" are errors, whose slots hold any text.
"""

import functools
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from importlib.resources import files
from typing import Any

from gupai_agents.shipped import BEST, heuristic_names
from gupai_app.words import COMPASS
from gupai_env.core.phrases import YOU, capitalized
from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.games import GAMES, get_game

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文"}
# Where OpenCC's words for the mainland are not those of this game:
MAINLAND = {
    "「": "“", "」": "”", "覆盘": "复盘", "存盘": "存档", "乱数": "随机", "预设": "默认", "水准": "水平",
    "实时": "即时", "确认键": "回车键", "变异": "方差", "套件": "软件包", "唯读": "只读", "数据档": "数据",
    "终端机": "终端",
}  # fmt: skip
TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")  # how tags of traditional Chinese begin
BEGINNING = re.compile("[a-z]+(_[a-z]+)*[ =]")  # of an error: a word, and no file, key or agent, which stay as they are
MOST_ERROR = 1000  # characters of an error that is translated
MOST_HEADER = 200  # characters of what a browser says of its languages
LANGUAGE: ContextVar[str] = ContextVar("language", default=ENGLISH)

# The groups of Pai Gow: "nine / two", "nine (wins) and gong (loses)", "gong, wins".
_RANKS = "zero|one|two|three|four|five|six|seven|eight|nine|gong|wong|supreme pair|pair"
_PLACES = "|".join(sorted(COMPASS, key=len, reverse=True))
_AGENT = r"[^\s,;]*[^\s,;.:]"
# "West", and in a review "West: best" and "Seat 2 best":
_NAMES = rf"\b(?:(?:{_PLACES})(?:: {_AGENT})?|Seat \d {_AGENT}|{YOU}(?!:))(?![\w:])"
_GAMES = "|".join(" ".join(word for word in game.title.split() if word.isascii()) for game in GAMES.values())
# Players in sentences about claims, "greedy" and "search:playouts=20", and the numbers of doses, "five or more":
_NAMED = "|".join(sorted({BEST, "random", *(name for game in GAMES for name in heuristic_names(get_game(game)))}))
_PLAYER = rf"(?:(?:{_NAMED})(?![\w=])(?:[:+@][\w.:=+@-]*\w)?|search:[\w.:=+@-]*\w|\+[\w=+-]*\w)"
_NUMBERS = "0|one|two|three|four|five|six|seven|eight"
_DOSES = rf"(?:{_NUMBERS})(?: (?:and|to) (?:{_NUMBERS})| or more)?"
_TILES = r"(?:\[[1-6]:[1-6]\])+"
_SLOT = re.compile(
    rf"(?:(?<=[Aa]gainst )|(?<=among )|(?<=with )){_PLAYER}(?!\w)|^{_PLAYER}(?= (?:with |at |\(?[+-]?\d))"
    rf"|(?<=with )(?:{_DOSES})(?=$| (?:it |\(?[+-]\d))|(?:(?<=from )|(?<=up to ))(?:{_DOSES})$"
    rf"|{_TILES}(?: / {_TILES})*|\b(?:{_GAMES})\b|[+-]?\d+(?:[.,]\d+)*(?:e[+-]\d+)?|{_NAMES}"
    rf"|\b(?:{_RANKS})(?= / | and (?:{_RANKS})| \((?:wins|pushes|loses)\)|, (?:wins|pushes|loses)$)"
    rf"|(?:(?<= / )|(?<= has )|(?<= have )|(?<=\]  ))(?:{_RANKS})\b|(?<= and )(?:{_RANKS})(?=\.$| \()"
)
# What joins sentences and parts of them, with what joins them in Chinese, the widest first:
_JOINTS = {". ": "。", "; ": "；", ": ": "：", " > ": " > ", ", ": "，"}
_TITLE = re.compile(r"(.+?) \((.+)\)")  # of a game with options


@functools.cache
def catalogue(language: str, context: str = "") -> Mapping[str, str]:
    """Return the texts of a language by the English ones: those of a context, or all of them."""
    return {str(each.id): str(each.string) for each in _entries(language) if context in ("", each.context)}


@functools.cache
def _entries(language: str) -> list[Any]:
    """Return the entries of a language."""
    if language == ENGLISH:
        return []
    from babel.messages.pofile import read_po

    place = files("gupai_app") / "locale" / "zh_Hant" / "LC_MESSAGES" / "gupai.po"
    with place.open("rb") as file:
        entries = [entry for entry in read_po(file) if entry.id and entry.string]
    if language == "zh-Hans":
        for entry, text in zip(entries, simplified([str(entry.string) for entry in entries]), strict=True):
            entry.string = text
    return entries


def simplified(texts: Sequence[str]) -> list[str]:
    """Return texts in traditional Chinese as they are written in simplified Chinese."""
    from opencc import OpenCC

    joined: str = OpenCC("tw2sp").convert("\n".join(texts))
    for converted, better in MAINLAND.items():
        joined = joined.replace(converted, better)
    return joined.split("\n")


def translate(text: str) -> str:
    """Return a text in the language of the request, in English where its catalogue has no entry."""
    there = _found(LANGUAGE.get(), text)
    return text if there is None else there


def error_in(text: str) -> str:
    """Return an error as a sentence in the language of the request, in English where no entry is like it."""
    bare = " ".join(text.split())
    bare = bare if bare.endswith("..") else bare.removesuffix(".")
    there = _error(LANGUAGE.get(), bare)
    if there is not None:
        return there if there.endswith("。") else f"{there}。"
    begun = capitalized(bare) if BEGINNING.match(bare) else bare
    return begun if begun.endswith((".", "?", "!")) else f"{begun}."


@functools.cache
def _errors(language: str) -> list[tuple[re.Pattern[str], list[bool], str]]:
    """Return the errors of a language, those with most words first.

    Each: what it looks like, which of its slots are names, before a "=", and how it reads in the language.
    """
    found = catalogue(language, "error")
    split = {text: re.split(r"\{\d\}", text) for text in found}
    texts = sorted(found, key=lambda text: -len("".join(split[text])))
    return [
        (
            re.compile("(.+?)".join(map(re.escape, split[text]))),
            [after.startswith("=") for after in split[text][1:]],
            found[text],
        )
        for text in texts
    ]


@functools.lru_cache(maxsize=1 << 10)
def _error(language: str, text: str) -> str | None:
    """Return an error in a language; None if no entry is like it, or if it is too long to look for one."""
    if len(text) > MOST_ERROR or not catalogue(language):
        return None
    for pattern, named, there in _errors(language):
        if found := pattern.fullmatch(text):
            slots = [_in_error(language, *each) for each in zip(found.groups(), named, strict=True)]
            return "".join(slots[int(each)] if at % 2 else each for at, each in enumerate(re.split(r"\{(\d)\}", there)))
    if (known := _found(language, text)) is not None:
        return known
    where, joint, what = text.partition(": ")
    there_too = _error(language, what) if joint and re.search("[a-z]", what) else None
    return None if there_too is None else f"{where}：{there_too}"


def _in_error(language: str, text: str, named: bool) -> str:
    """Return what fills a slot of an error: the name of a value, and phrases, in the language; all else as it came."""
    if named:
        return catalogue(language).get(text.replace("_", " "), text)
    found = _error(language, text) if " " in text.replace(", ", ",") else None
    return text if found is None else found


@functools.lru_cache(maxsize=1 << 12)
def _found(language: str, text: str) -> str | None:
    """Return a text in a language: the entry of all of it, or those of its parts; None if one is missing."""
    known = catalogue(language)
    if not known:
        return None
    name, joint, value = text.partition("=")
    if joint and name.replace("_", " ") in known and not re.search(r"[\s,;+]", text):  # an option
        return f"{known[name.replace('_', ' ')]}：{known.get(text.lower()) or known.get(value.lower(), value)}"
    if text in known:
        return known[text]
    if all(re.fullmatch(_PLAYER, each) for each in text.split(" or ")):
        return "、".join(known.get(each, each) for each in text.split(" or "))
    slots: list[str] = []

    def slot(found: re.Match[str]) -> str:
        slots.append(_slot(known, found[0]))
        return f"{{{len(slots) - 1}}}"

    if (pattern := known.get(_SLOT.sub(slot, text))) is not None:
        return re.sub(r"\{(\d+)\}", lambda found: slots[int(found[1])], pattern)
    if not re.search("[A-Za-z]", _SLOT.sub("", text)):  # "nine / two" has no words around it
        plain = _SLOT.sub(lambda found: _slot(known, found[0]), text)
        return functools.reduce(lambda there, joint: there.replace(joint, _JOINTS[joint]), _JOINTS, plain)
    if text.endswith(".") and not text.endswith("..") and (there := _found(language, text[:-1])) is not None:
        return f"{there}。"
    for joint, joined in _JOINTS.items():
        if joint in text:
            parts = [_found(language, part) for part in text.split(joint)]
            if None not in parts:
                return joined.join(map(str, parts))
    return None


def _slot(known: Mapping[str, str], text: str) -> str:
    """Return what fills a slot: a number or tiles as they are, a name or a rank in the language."""
    place, joint, agent = text.partition(": ")
    if joint and place in known:
        return f"{known[place]}（{known.get(agent, agent)}）"
    if text.startswith("Seat "):
        _, seat, agent = text.split(" ", 2)
        return known["Seat {0} {1}"].format(seat, known.get(agent, agent))
    return known.get(text, text)


def title_in(title: str) -> str:
    """Return a title; that of a game, "Jie Long 接龍" or "Jie Long (deals=2)", with its name in the language alone."""
    if (found := _TITLE.fullmatch(title)) and found[1] in catalogue(LANGUAGE.get()):
        options = (option.partition("=") for option in found[2].split(", "))
        return f"{translate(found[1])}（{'，'.join(f'{option_in(n)}：{choice_in(n, v)}' for n, _, v in options)}）"
    name = title.rstrip("".join(each for each in title if ord(each) > 0x2E7F) + " ")
    there = catalogue(LANGUAGE.get())
    return there.get(name) or translate(title)


def game_in(game: str) -> str:
    """Return the name of a game by its id, as people of the language call it; the id of one that is not known."""
    return title_in(GAMES[game].title) if LANGUAGE.get() != ENGLISH and game in GAMES else game


def option_in(name: str) -> str:
    """Return the name of an option as people read it."""
    return translate(name.replace("_", " "))


def choice_in(name: str, value: object) -> str:
    """Return a value of an option; an entry such as "pay=both" is for that option alone."""
    known, text = catalogue(LANGUAGE.get()), str(value)
    return known.get(f"{name.replace(' ', '_')}={text.lower()}") or known.get(text.lower(), text)


def translated(scene: Scene) -> Scene:
    """Return a table with its words in the language of the request."""
    if LANGUAGE.get() == ENGLISH:
        return scene
    places, notes = tuple(map(translated_place, scene.places)), tuple(map(translate, scene.notes))
    words = {"title": title_in(scene.title), "last_move": translate(scene.last_move)}
    return replace(scene, centre=_piles(scene.centre), places=places, notes=notes, **words)


def translated_place(place: Place) -> Place:
    """Return a place of a table with its words in the language of the request."""
    return replace(place, name=translate(place.name), note=translate(place.note), piles=_piles(place.piles))


def _piles(found: tuple[Pile, ...]) -> tuple[Pile, ...]:
    return tuple(replace(pile, label=translate(pile.label)) for pile in found)


def preferred(header: str) -> str:
    """Return the first language of `Accept-Language` that there is; English if none is."""
    for part in header[:MOST_HEADER].split(","):
        tag = part.partition(";")[0].strip().lower()
        if tag == "zh" or tag.startswith("zh-"):
            return "zh-Hant" if tag.startswith(TRADITIONAL) else "zh-Hans"
        if tag.partition("-")[0] == ENGLISH:
            return ENGLISH
    return ENGLISH
