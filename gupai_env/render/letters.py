"""The letters of drawings: how wide they are, so that a drawing knows where its words end.

Their font, `letters.otf`, holds the Latin letters; a picture is drawn with it, the same everywhere. A browser takes
fonts of its own and gets the width of every text.
"""

import functools
import json
import re
import unicodedata
from pathlib import Path

FONT = Path(__file__).parent / "letters.otf"
WIDTHS = FONT.with_suffix(".json")  # of its letters, written by `tools/letters.py`
FAMILY = "Inter"  # the font's name
MIDDLE = 0.36  # from the line that letters stand on up to the middle of capitals, in font sizes
MISSING = "?"
DOTS = "…"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@functools.cache
def _widths() -> dict[str, float]:
    """Return the width of every letter of the font, in font sizes."""
    table = json.loads(WIDTHS.read_text(encoding="utf-8"))
    return {letter: int(width) / table["units"] for width, letters in table["letters"].items() for letter in letters}


@functools.lru_cache(maxsize=4096)
def length(text: str, size: float) -> float:
    """Return how wide a text is; of letters that the font does not have, wide ones take two places of others."""
    widths = _widths()
    other = widths[MISSING]
    wide = ("W", "F")
    return size * sum(
        widths.get(letter, 1.0 if unicodedata.east_asian_width(letter) in wide else other) for letter in text
    )


def known(text: str) -> str:
    """Return a text in the letters of the font: accents it does not know are dropped, other letters become "?"."""
    if text.isascii():
        return text
    return "".join(letter if letter in _widths() else _plain(letter) for letter in text)


def _plain(letter: str) -> str:
    """Return a letter without its accents, or what stands for one that the font does not have."""
    bare = unicodedata.normalize("NFKD", letter)
    bare = "".join(character for character in bare if not unicodedata.combining(character))
    return bare if bare and all(character in _widths() for character in bare) else MISSING


def drawable(text: str) -> str:
    """Return a text in one line and without what XML cannot hold."""
    return NOT_IN_XML.sub("\ufffd", " ".join(text.split()))


def shrunk(text: str, capacity: float, size: float) -> tuple[str, float]:
    """Return a text and the size at which it fits; where that would be too small to read, it is cut.

    Args:
        text: In one line.
        capacity: Its room, in pixels.
        size: Of the letters where it fits, in pixels.
    """
    size = round(size * min(1.0, max(capacity / max(length(text, size), 1), 0.6)), 2)
    return fitted(text, capacity, size), size


@functools.lru_cache(maxsize=1024)
def fitted(text: str, capacity: float, size: float) -> str:
    """Return a text, cut with dots where it is longer than `capacity`.

    Args:
        text: In one line.
        capacity: Its room, in pixels.
        size: Of the letters, in pixels.
    """
    if length(text, size) <= capacity + 0.5:  # half a pixel, for the size has been rounded
        return text
    while text and length(text + DOTS, size) > capacity:
        text = text[:-1]
    return text + DOTS


@functools.lru_cache(maxsize=1024)
def wrapped(text: str, capacity: float, size: float) -> tuple[str, ...]:
    """Return a text in rows no longer than `capacity`, broken after commas rather than between words.

    Args:
        text: In one line.
        capacity: Room of each row, in pixels.
        size: Of the letters, in pixels.
    """
    rows = [""]
    for part in re.split(r"(?<=,) ", text):
        for word in [part] if length(part, size) <= capacity else part.split():
            longer = f"{rows[-1]} {word}".strip()
            if length(longer, size) <= capacity or not rows[-1]:
                rows[-1] = longer
            else:
                rows.append(word)
    return tuple(fitted(row, capacity, size) for row in rows)
