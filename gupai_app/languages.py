"""The languages of pages: one catalogue for each, in gettext's format, with English where it has no entry.

A text is looked up as it is, then with its numbers, tiles and names of seats as {0}, {1}, ..., so that sentences that
are put together from parts have one entry: "discard [6:4]" is found as "discard {0}".
"""

import functools
import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import replace
from importlib.resources import files

from gupai_app.words import COMPASS
from gupai_env.core.phrases import YOU
from gupai_env.core.scene import Pile, Scene

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文"}
TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")  # how tags of traditional Chinese begin
MOST_HEADER = 200  # characters of what a browser says of its languages
LANGUAGE: ContextVar[str] = ContextVar("language", default=ENGLISH)

_RANKS = "zero|one|two|three|four|five|six|seven|eight|nine|gong|wong|pair"  # of the groups of Pai Gow, "nine / two"
_NAMES = rf"\b(?:{YOU}|{'|'.join(sorted(COMPASS, key=len, reverse=True))})\b(?!:)"
_TILES = r"(?:\[[1-6]:[1-6]\])+"
_SLOT = re.compile(
    rf"{_TILES}(?: / {_TILES})*|[+-]?\d+(?:\.\d+)?|{_NAMES}|\b(?:{_RANKS})(?= / )|(?<= / )(?:{_RANKS})\b"
)


@functools.cache
def catalogue(language: str) -> Mapping[str, str]:
    """Return the texts of a language by the English ones."""
    if language == ENGLISH:
        return {}
    from babel.messages.pofile import read_po

    place = files("gupai_app") / "locale" / language.replace("-", "_") / "LC_MESSAGES" / "gupai.po"
    with place.open("rb") as file:
        return {str(entry.id): str(entry.string) for entry in read_po(file) if entry.id and entry.string}


def translate(text: str) -> str:
    """Return a text in the language of the request, in English where its catalogue has no entry."""
    known = catalogue(LANGUAGE.get())
    if not known or text in known:
        return known.get(text, text)
    slots: list[str] = []

    def slot(found: re.Match[str]) -> str:
        slots.append(known.get(found[0], found[0]))
        return f"{{{len(slots) - 1}}}"

    pattern = known.get(_SLOT.sub(slot, text))
    # Ranks that stand alone, "nine / two", have no words around them.
    plain = pattern or (_SLOT.sub(lambda found: known.get(found[0], found[0]), text) if " / " in text else None)
    return text if plain is None else re.sub(r"\{(\d+)\}", lambda found: slots[int(found[1])], plain)


def title_in(title: str) -> str:
    """Return the title of a game, "Jie Long 接龍", by its name alone where the language has one."""
    name = title.rstrip("".join(each for each in title if ord(each) > 0x2E7F) + " ")
    there = catalogue(LANGUAGE.get())
    return there.get(name, title)


def translated(scene: Scene) -> Scene:
    """Return a table with its words in the language of the request."""
    if LANGUAGE.get() == ENGLISH:
        return scene

    def piles(found: tuple[Pile, ...]) -> tuple[Pile, ...]:
        return tuple(replace(pile, label=translate(pile.label)) for pile in found)

    places = tuple(
        replace(each, name=translate(each.name), note=translate(each.note), piles=piles(each.piles))
        for each in scene.places
    )
    notes = tuple(map(translate, scene.notes))
    words = {"title": translate(scene.title), "last_move": translate(scene.last_move)}
    return replace(scene, centre=piles(scene.centre), places=places, notes=notes, **words)


def preferred(header: str) -> str:
    """Return the first language of `Accept-Language` that there is; English if none is."""
    for part in header[:MOST_HEADER].split(","):
        tag = part.partition(";")[0].strip().lower()
        if tag == "zh" or tag.startswith("zh-"):
            return "zh-Hant" if tag.startswith(TRADITIONAL) else "zh-Hans"
        if tag.partition("-")[0] == ENGLISH:
            return ENGLISH
    return ENGLISH
