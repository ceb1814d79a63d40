"""A table as text for a terminal."""

import re
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence

from gupai_env.core.scene import Pile, Place, Scene, red_pips

NARROWEST = 40  # columns

_INDENT, _WIDEST_LABEL = 2, 16  # columns; a longer label is on a line of its own
_RED, _DEFAULT, _BOLD, _PLAIN = "\x1b[31m", "\x1b[39m", "\x1b[1m", "\x1b[22m"


def draw_text(
    scene: Scene, *, colour: bool = False, width: int = 80, near_last: bool = False, compact: bool = False
) -> str:
    """Return the table as lines of at most `width` columns, joined by newlines.

    A tile is [6:4], a face-down one [ : ], and * follows a marked one; > stands before the seat to act.
    Numbers open at the ends of a line stand next to it as (2).

    Args:
        scene: The table, as `Game.scene` returns it.
        colour: Paint ones and fours red by ANSI escapes; without these the text is the same.
        width: Columns, at least 40.
        near_last: Whether the other places come first, then the centre and the near place, as someone reads them who
            types below.
        compact: In few lines: in that order, each other place in one, without rule, blank lines and empty piles.

    Raises:
        ValueError: If `width` is less than 40.
    """
    if width < NARROWEST:
        raise ValueError(f"width must be at least {NARROWEST} columns, got {width}")
    lines = list(_few_lines(scene, width) if compact else _lines(scene, width, near_last))
    return "\n".join(_coloured(line) for line in lines) if colour else "\n".join(lines)


def columns(text: str) -> int:
    """Return how many columns a text takes; Chinese letters take two."""
    return len(text) + (not text.isascii() and sum(unicodedata.east_asian_width(letter) in "WF" for letter in text))


def wrap(text: str, width: int, initial_indent: str = "", subsequent_indent: str = "") -> list[str]:
    """Return a text in lines of at most `width` columns, as `textwrap.wrap`.

    Chinese is broken at any letter, but no line begins with a mark that closes, or ends with one that opens.

    Args:
        text: In one line.
        width: Columns; Chinese letters take two.
        initial_indent, subsequent_indent: What begins the first line and all others.
    """
    if columns(text) == len(text):
        return textwrap.wrap(text, width, initial_indent=initial_indent, subsequent_indent=subsequent_indent)
    lines, line = [], initial_indent
    for word in re.findall(r"[（「《“]*(?:[!-~]+|.)[）」》”，。、；：？！]* *", text):
        if columns(line + word.rstrip()) > width:
            lines.append(line.rstrip())
            line = subsequent_indent
        line += word
    return [*lines, line.rstrip()]


def _lines(scene: Scene, width: int, near_last: bool) -> Iterator[str]:
    yield from wrap(scene.title, width)
    yield "=" * width
    yield from wrap(" | ".join(scene.notes), width)
    yield from wrap(scene.last_move, width)
    column = _column([*scene.centre, *(pile for place in scene.places for pile in place.piles)])
    for place in scene.places[1:] if near_last else ():
        yield from _place(place, column, width)
    if scene.centre:
        yield ""
    for pile in scene.centre:
        yield from _pile(pile, column, width)
    for place in scene.places[:1] if near_last else scene.places:
        yield from _place(place, column, width)


def _few_lines(scene: Scene, width: int) -> Iterator[str]:
    yield from wrap(" | ".join(filter(None, [scene.title, *scene.notes, scene.last_move])), width)
    own, *others = ([pile for pile in place.piles if pile.tiles or pile.hidden] for place in scene.places)
    near, *heads = map(_head, scene.places)
    margin = min(max(map(columns, heads), default=0), _WIDEST_LABEL)
    for head, piles in zip(heads, others, strict=True):
        words = [text for pile in piles for text in (f" {pile.label}", *_words(pile))]
        yield from _row(head + " " * (margin - columns(head)), words, " " * 2 * _INDENT, width)
    column = _column([*scene.centre, *own])
    for pile in scene.centre:
        yield from _pile(pile, column, width)
    yield from wrap(near, width, subsequent_indent=" " * _INDENT)
    for pile in own:
        yield from _pile(pile, column, width)


def _column(piles: Sequence[Pile]) -> int:
    """Return the columns of the labels of some piles: one width, so that all tiles stand below each other."""
    return min(max((columns(pile.label) for pile in piles), default=0), _WIDEST_LABEL)


def _head(place: Place) -> str:
    return f"{'>' if place.to_act else ' '} {place.name}   {place.note}".rstrip()


def _place(place: Place, column: int, width: int) -> Iterator[str]:
    """Yield the lines of a place, an empty one before them."""
    yield ""
    yield from wrap(_head(place), width, subsequent_indent=" " * _INDENT)
    for pile in place.piles:
        yield from _pile(pile, column, width)


def _pile(pile: Pile, column: int, width: int) -> Iterator[str]:
    """Yield the label and the tiles next to it, or below it if the column is too narrow for the label."""
    label = pile.label
    if columns(label) > column:
        yield from wrap(label, width, initial_indent=" " * _INDENT, subsequent_indent=" " * _INDENT)
        label = ""
    head = f"{'':{_INDENT}}{label}{'':{column - columns(label)}} "
    yield from _row(head, list(_words(pile)), " " * (_INDENT + column + 2), width, joined=pile.form == "line")


def _row(line: str, words: Sequence[str], margin: str, width: int, *, joined: bool = False) -> Iterator[str]:
    """Yield words after the beginning of a line, and in as many further lines as they need; joined: as a line lies."""
    for index, word in enumerate(words):
        space = "" if index and joined and _joins(words[index - 1], word) else " "
        if index and columns(line) + len(space) + columns(word) > width:
            yield line.rstrip()
            line, space = margin, ""
        line += space + word
    yield line.rstrip()


def _words(pile: Pile) -> Iterator[str]:
    """Yield what must not be broken across lines: each tile, each open end, the count of face-down tiles."""
    if pile.open_left:
        yield f"({pile.open_left})"
    for index, (first, second) in enumerate(pile.tiles):
        yield f"[{first}:{second}]" + "*" * (index in pile.marked)
    if pile.hidden:
        yield "[ : ]" + f" x {pile.hidden}" * (pile.hidden > 1)
    if pile.open_right:
        yield f"({pile.open_right})"
    if not pile.tiles and not pile.hidden:
        yield "-"


def _joins(word: str, following: str) -> bool:
    return word[0] == following[0] == "["


def _coloured(line: str) -> str:
    if line.startswith(">"):
        line = f"{_BOLD}{line}{_PLAIN}"
    return re.sub(r"\[([1-6]):([1-6])\]", _coloured_tile, line)


def _coloured_tile(match: re.Match[str]) -> str:
    tile = int(match[1]), int(match[2])
    # Half of the twelve pips of [6:6] are red, so one of its two sixes is.
    red = (True, False) if tile == (6, 6) else [count > 0 for count in red_pips(tile)]
    first, second = (
        f"{_RED}{number}{_DEFAULT}" if is_red else str(number) for number, is_red in zip(tile, red, strict=True)
    )
    return f"[{first}:{second}]"
