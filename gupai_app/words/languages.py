"""The languages that are spoken: one catalogue of traditional Chinese, from which simplified Chinese is made."""

import functools
import re
from collections.abc import Collection, Mapping, Sequence
from contextvars import Token
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO
from typing import Any

from gupai_env.messages import TRANSLATIONS

ENGLISH = "en"
LANGUAGES = {ENGLISH: "English", "zh-Hant": "繁體中文", "zh-Hans": "简体中文"}
# Where OpenCC's words for the mainland are not those of this game:
MAINLAND = {
    "「": "“", "」": "”", "覆盘": "复盘", "存盘": "存档", "乱数": "随机", "预设": "默认", "水准": "水平",
    "实时": "即时", "确认键": "回车键", "变异": "方差", "套件": "软件包", "唯读": "只读", "数据档": "数据",
    "终端机": "终端",
}  # fmt: skip
TRADITIONAL = ("zh-hant", "zh-tw", "zh-hk", "zh-mo")  # how tags of traditional Chinese begin
MOST_HEADER = 200  # characters of what a browser says of its languages


@functools.cache
def catalogue(language: str, context: str = "") -> Mapping[str, str]:
    """Return the texts of a language by the English ones: those of a context, or all of them."""
    return {
        str(entry.id[0] if entry.pluralizable else entry.id): _string(entry)
        for entry in _entries(language)
        if entry.context in (None, "error") and context in ("", entry.context)
    }


def texts_of(language: str, mentioned: Collection[str]) -> dict[str, str | list[str]]:
    """Return the texts of a language by the English ones, as a page in a browser takes them.

    A context stands before the English text, with "\\x04" between; a text that depends on a number is a list.

    Args:
        mentioned: The English texts that are needed; "\\0" stands for any words in them, and "_" for a blank.
    """
    patterns = [text.split("\0") for text in sorted(mentioned) if re.search("[a-z]", text) and "\0" in text]
    like = re.compile("|".join(".+".join(map(re.escape, parts)) for parts in patterns) or "(?!)")
    texts: dict[str, str | list[str]] = {}
    for entry in _entries(language):
        english = str(entry.id[0] if entry.pluralizable else entry.id)
        if {english, english.replace(" ", "_")} & {*mentioned} or like.fullmatch(english):
            key = f"{entry.context}\x04{english}" if entry.context else english
            texts[key] = [_string(entry)] if entry.pluralizable else _string(entry)
    return texts


def _string(entry: Any) -> str:
    return str(entry.string[0] if entry.pluralizable else entry.string)


def spoken() -> str:
    """Return the language of the context."""
    return str(TRANSLATIONS.get().info().get("language", ENGLISH))


def speak(language: str) -> Token[NullTranslations]:
    """Let messages be worded in a language in this context; return what `TRANSLATIONS.reset` takes."""
    return TRANSLATIONS.set(_translations(language))


@functools.cache
def _translations(language: str) -> NullTranslations:
    """Return the catalogue of a language."""
    if language == ENGLISH:
        return NullTranslations()
    from babel.messages.catalog import Catalog
    from babel.messages.mofile import write_mo

    compiled, entries = BytesIO(), Catalog(language.replace("-", "_"), charset="utf-8")
    for entry in _entries(language):
        entries[entry.id] = entry
    write_mo(compiled, entries)
    compiled.seek(0)
    translations = GNUTranslations(compiled)
    translations.info()["language"] = language
    return translations


@functools.cache
def _entries(language: str) -> list[Any]:
    """Return the entries of a language."""
    if language == ENGLISH:
        return []
    from babel.messages.pofile import read_po

    place = files("gupai_app.words") / "locale" / "zh_Hant" / "LC_MESSAGES" / "gupai.po"
    with place.open("rb") as file:
        entries = [entry for entry in read_po(file) if entry.id and entry.string]
    if language == "zh-Hans":
        for entry, text in zip(entries, simplified([_string(entry) for entry in entries]), strict=True):
            entry.string = (text,) if entry.pluralizable else text
    return entries


def simplified(texts: Sequence[str]) -> list[str]:
    """Return texts in traditional Chinese as they are written in simplified Chinese."""
    from opencc import OpenCC

    joined: str = OpenCC("tw2sp").convert("\n".join(texts))
    for converted, better in MAINLAND.items():
        joined = joined.replace(converted, better)
    return joined.split("\n")


def preferred(header: str) -> str:
    """Return the first language of `Accept-Language` that there is; English if none is."""
    for part in header[:MOST_HEADER].split(","):
        tag = part.partition(";")[0].strip().lower()
        if tag == "zh" or tag.startswith("zh-"):
            return "zh-Hant" if tag.startswith(TRADITIONAL) else "zh-Hans"
        if tag.partition("-")[0] == ENGLISH:
            return ENGLISH
    return ENGLISH
