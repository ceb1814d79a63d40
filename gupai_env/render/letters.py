"""The letters of drawings: how wide they are, so that a drawing knows where its words end.

Their font, `letters.otf`, holds the Latin letters; a picture is drawn with it, the same everywhere. A browser takes
fonts of its own and is told the width of every text.
"""

import functools
import re
import struct
import unicodedata
from pathlib import Path

FONT = Path(__file__).parent / "letters.otf"
FAMILY = "Inter"  # the font's name
MIDDLE = 0.36  # from the line that letters stand on up to the middle of capitals, in font sizes
MISSING = "?"
DOTS = "…"
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@functools.cache
def _widths() -> dict[int, float]:
    """Return the width of every letter of the font, in font sizes, by its code point."""
    data = FONT.read_bytes()
    tables = {}
    for at in range(12, 12 + 16 * struct.unpack_from(">H", data, 4)[0], 16):
        name, _, start, _ = struct.unpack_from(">4sIII", data, at)
        tables[name] = start
    em = struct.unpack_from(">H", data, tables[b"head"] + 18)[0]
    measured = struct.unpack_from(">H", data, tables[b"hhea"] + 34)[
        0
    ]  # glyphs after these are as wide as the last
    found = {}
    for code, glyph in _glyphs(data, tables[b"cmap"]).items():
        at = tables[b"hmtx"] + 4 * min(glyph, measured - 1)
        found[code] = struct.unpack_from(">H", data, at)[0] / em
    return found


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """Return the number of the glyph of every code point, from the font's table in format 4."""
    for record in range(cmap + 4, cmap + 4 + 8 * struct.unpack_from(">H", data, cmap + 2)[0], 8):
        table = cmap + struct.unpack_from(">I", data, record + 4)[0]
        if struct.unpack_from(">H", data, table)[0] == 4:
            break
    parts = struct.unpack_from(">H", data, table + 6)[0] // 2
    ends, starts, deltas, offsets = (table + 14 + 2 * parts * row + 2 * (row > 0) for row in range(4))
    found = {}
    for part in range(parts):
        last, first, delta, offset = (
            struct.unpack_from(">H", data, row + 2 * part)[0] for row in (ends, starts, deltas, offsets)
        )
        for code in range(first, min(last, 0xFFFE) + 1):
            at = offsets + 2 * part + offset + 2 * (code - first)
            glyph = struct.unpack_from(">H", data, at)[0] if offset else code
            if glyph:
                found[code] = (glyph + delta) & 0xFFFF
    return found


@functools.lru_cache(maxsize=4096)
def length(text: str, size: float) -> float:
    """Return how wide a text is; of letters that the font does not have, wide ones take two places of others."""
    widths = _widths()
    other = widths[ord(MISSING)]
    wide = ("W", "F")
    return size * sum(
        widths.get(ord(letter), 1.0 if unicodedata.east_asian_width(letter) in wide else other)
        for letter in text
    )


def known(text: str) -> str:
    """Return a text in the letters of the font: accents it does not know are dropped, other letters become "?"."""
    if text.isascii():
        return text
    return "".join(letter if ord(letter) in _widths() else _plain(letter) for letter in text)


def _plain(letter: str) -> str:
    """Return a letter without its accents, or what stands for one that the font does not have."""
    bare = unicodedata.normalize("NFKD", letter)
    bare = "".join(each for each in bare if not unicodedata.combining(each))
    return bare if bare and all(ord(each) in _widths() for each in bare) else MISSING


def drawable(text: str) -> str:
    """Return a text in one line and without what XML cannot hold."""
    return NOT_IN_XML.sub("\ufffd", " ".join(text.split()))


def shrunk(text: str, room: float, size: float) -> tuple[str, float]:
    """Return a text and the size at which it fits; where that would be too small to read, it is cut."""
    size = round(size * min(1.0, max(room / max(length(text, size), 1), 0.6)), 2)
    return fitted(text, room, size), size


@functools.lru_cache(maxsize=1024)
def fitted(text: str, room: float, size: float) -> str:
    """Return a text, cut with dots where it is longer than `room`."""
    if length(text, size) <= room + 0.5:  # half a pixel, for the size has been rounded
        return text
    while text and length(text + DOTS, size) > room:
        text = text[:-1]
    return text + DOTS


@functools.lru_cache(maxsize=1024)
def wrapped(text: str, room: float, size: float) -> tuple[str, ...]:
    """Return a text in rows no longer than `room`, broken after commas rather than between words."""
    rows = [""]
    for part in re.split(r"(?<=,) ", text):
        for word in [part] if length(part, size) <= room else part.split():
            longer = f"{rows[-1]} {word}".strip()
            if length(longer, size) <= room or not rows[-1]:
                rows[-1] = longer
            else:
                rows.append(word)
    return tuple(fitted(row, room, size) for row in rows)
