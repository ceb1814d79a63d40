"""Sentences of verdicts in other languages: files keep them in English, so they are looked up by their parts.

A text is looked up with its numbers, tiles and players as {0}, {1}, ..., and then by its parts, so that sentences that
are put together have one entry: "greedy 0.5 ±0.1" is found as "{0} {1} ±{2}".
"""

import functools
import re
from collections.abc import Mapping

from gupai_agents.shipped import BEST, heuristic_names
from gupai_app.words.sentences import COMPASS
from gupai_env.games import GAMES, get_game
from gupai_env.words.scene import YOU

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


class Entries(dict[str, str]):
    """Texts by the English ones; one catalogue is one key of a cache."""

    __hash__ = object.__hash__  # type: ignore[assignment]


@functools.lru_cache(maxsize=1 << 12)
def parsed(known: "Entries", text: str) -> str | None:
    """Return a text in a language: the entry of all of it, or those of its parts; None if one is missing."""
    if not known:
        return None
    name, joint, value = text.partition("=")
    if joint and name.replace("_", " ") in known and not re.search(r"[\s,;+]", text):  # an option
        return f"{known[name.replace('_', ' ')]}：{known.get(text.lower()) or known.get(value.lower(), value)}"
    if text in known:
        return known[text]
    if all(re.fullmatch(_PLAYER, player) for player in text.split(" or ")):
        return "、".join(known.get(player, player) for player in text.split(" or "))
    slots: list[str] = []

    def slot(match: re.Match[str]) -> str:
        slots.append(_slot(known, match[0]))
        return f"{{{len(slots) - 1}}}"

    if (pattern := known.get(_SLOT.sub(slot, text))) is not None:
        return re.sub(r"\{(\d+)\}", lambda match: slots[int(match[1])], pattern)
    if not re.search("[A-Za-z]", _SLOT.sub("", text)):  # "nine / two" has no words around it
        plain = _SLOT.sub(lambda match: _slot(known, match[0]), text)
        return functools.reduce(lambda there, joint: there.replace(joint, _JOINTS[joint]), _JOINTS, plain)
    if text.endswith(".") and not text.endswith("..") and (there := parsed(known, text[:-1])) is not None:
        return f"{there}。"
    for joint, joined in _JOINTS.items():
        if joint in text:
            parts = [parsed(known, part) for part in text.split(joint)]
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
