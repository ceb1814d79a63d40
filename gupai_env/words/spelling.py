"""How people write tiles and moves, and how wide the rules are that they read."""

import re
import textwrap
import unicodedata

TILE = re.compile(r"(?:\[\s*)?([1-6])\s*:?\s*([1-6])(?:\s*\])?")
_RUN = re.compile(rf"(?:{TILE.pattern}[ ,]*)+")  # tiles that stand together
NARROWEST = 8  # columns of a text; a narrower terminal breaks its lines itself


def fill_rules(text: str, width: int) -> str:
    """Return the rules of a game in lines of at most `width` columns."""
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(" ") and lines:  # continues the line before
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(_filled(line, width) for line in lines)


def _filled(line: str, width: int) -> str:
    """Break a line of the rules; what follows a headword and spaces stays in its column."""
    head = re.match(r"\w+ {2,}", line)
    wide = sum(unicodedata.east_asian_width(letter) == "W" for letter in line)  # two columns each
    return textwrap.fill(line, max(width - wide, NARROWEST), subsequent_indent=" " * len(head[0]) if head else "")


def spelled(text: str, turned: bool = True) -> str:
    """Return the canonical spelling of an action's name, `[6:4]` for `46` or `6:4`.

    Tiles that stand together may come in any order, and groups between slashes too, but for those of one tile that
    there are several of. Which number of a tile comes first is kept unless tiles are `turned`.
    """

    def run(match: re.Match[str]) -> str:
        tiles = [(int(a), int(b)) for a, b in TILE.findall(match[0])]
        tiles = [(max(tile), min(tile)) for tile in tiles] if turned else tiles
        return " " + "".join(f"[{a}:{b}]" for a, b in sorted(tiles, reverse=True)) + " "

    groups = [" ".join(_RUN.sub(run, group).split()) for group in text.lower().split("/")]
    sizes = [group.count("[") for group in groups]
    placed = sorted(zip(sizes, groups, strict=True), key=lambda entry: entry if entry[0] > 1 else (entry[0], ""))
    return " / ".join(group for _, group in placed)
