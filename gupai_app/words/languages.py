"""The languages that are spoken: one catalogue of traditional Chinese, from which simplified Chinese is made."""

import functools
import json
import re
from collections.abc import Collection, Mapping, Sequence
from contextvars import Token
from gettext import NullTranslations
from importlib.resources import files
from typing import NamedTuple

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


class Entry(NamedTuple):
    """A text of the catalogue, and how a language says it; "" without a context, and without an English plural."""

    context: str
    english: str
    plural: str
    spoken: str


class Spoken(NullTranslations):
    """The catalogue of a language without plurals, as gettext asks it."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.info()["language"] = language
        self._texts = {(entry.context, entry.english): entry.spoken for entry in _entries(language)}

    def gettext(self, message: str) -> str:
        return self.pgettext("", message)

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self._texts.get(("", msgid1)) or super().ngettext(msgid1, msgid2, n)

    def pgettext(self, context: str, message: str) -> str:
        return self._texts.get((context, message), message)


@functools.cache
def catalogue(language: str, context: str = "") -> Mapping[str, str]:
    """Return the texts of a language by the English ones: those of a context, or all of them."""
    return {
        entry.english: entry.spoken
        for entry in _entries(language)
        if entry.context in ("", "error") and context in ("", entry.context)
    }


def texts_of(language: str, mentioned: Collection[str]) -> dict[str, str]:
    """Return the texts of a language by the English ones, as a page in a browser takes them.

    A context stands before the English text, with "\\x04" between.

    Args:
        mentioned: The English texts that are needed; "\\0" stands for any words in them, and "_" for a blank.
    """
    patterns = [text.split("\0") for text in sorted(mentioned) if re.search("[a-z]", text) and "\0" in text]
    like = re.compile("|".join(".+".join(map(re.escape, parts)) for parts in patterns) or "(?!)")
    return {
        f"{entry.context}\x04{entry.english}" if entry.context else entry.english: entry.spoken
        for entry in _entries(language)
        if {entry.english, entry.english.replace(" ", "_")} & {*mentioned} or like.fullmatch(entry.english)
    }


def spoken() -> str:
    """Return the language of the context."""
    return str(TRANSLATIONS.get().info().get("language", ENGLISH))


def speak(language: str) -> Token[NullTranslations]:
    """Let messages be worded in a language in this context; return what `TRANSLATIONS.reset` takes."""
    return TRANSLATIONS.set(_translations(language))


@functools.cache
def _translations(language: str) -> NullTranslations:
    """Return the catalogue of a language."""
    return NullTranslations() if language == ENGLISH else Spoken(language)


@functools.cache
def _entries(language: str) -> list[Entry]:
    """Return the entries of a language."""
    if language == ENGLISH:
        return []
    place = files("gupai_app.words") / "locale" / "zh_Hant" / "LC_MESSAGES" / "gupai.po"
    entries = []
    for block in place.read_text(encoding="utf-8").split("\n\n"):
        fields = {name: _text(lines) for name, lines in re.findall(r'^(msg\w+)(?:\[0\])? ((?:".*"\n?)+)', block, re.M)}
        entries.append(Entry(*(fields.get(name, "") for name in ("msgctxt", "msgid", "msgid_plural", "msgstr"))))
    entries = [entry for entry in entries if entry.english and entry.spoken]
    if language == "zh-Hans":
        texts = simplified([entry.spoken for entry in entries])
        entries = [entry._replace(spoken=text) for entry, text in zip(entries, texts, strict=True)]
    return entries


def _text(lines: str) -> str:
    """Return the text of the lines of a field; its escapes are those of JSON."""
    return "".join(map(json.loads, lines.strip().split("\n")))


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
