"""What drawings are made of: pieces of SVG, the colours of the themes, tiles and words."""

import functools
from html import escape
from typing import NamedTuple

from gupai_env.core.scene import Tile, red_pips
from gupai_env.messages import say, word
from gupai_env.render.letters import FAMILY, MIDDLE, drawable, length

DARK, LIGHT = "dark", "light"

LENGTH = 2.25  # a tile's length in its widths
_UNIT = 100  # a tile's width in its own measures
_SIDE = 7  # of a tile's edge that shows below its face
_END = 0.53  # from the middle of a tile to the middle of the pips of either end, in widths
_COLUMN, _ROW = 0.225, 0.29  # from the middle of an end to its outer pips, in widths
_PIP, _SINGLE = 0.115, 0.215  # radius of a pip, and of the large single one, in widths
_LEFT, _RIGHT = -_COLUMN, _COLUMN

# Where the pips of a number lie, as (across, along), in widths from the middle of an end; a two lies side by
# side and a three aslant, as on Chinese tiles. The red pips of a six are its first three, a column.
_PIPS_AT = {
    1: ((0.0, 0.0),),
    2: ((_LEFT, 0.0), (_RIGHT, 0.0)),
    3: ((_LEFT, -_ROW), (0.0, 0.0), (_RIGHT, _ROW)),
    4: ((_LEFT, -_ROW / 2), (_RIGHT, -_ROW / 2), (_LEFT, _ROW / 2), (_RIGHT, _ROW / 2)),
    5: ((_LEFT, -_ROW), (_RIGHT, -_ROW), (0.0, 0.0), (_LEFT, _ROW), (_RIGHT, _ROW)),
    6: ((_LEFT, -_ROW), (_LEFT, 0.0), (_LEFT, _ROW), (_RIGHT, -_ROW), (_RIGHT, 0.0), (_RIGHT, _ROW)),
}

# What the colours of a theme are called in classes: those of the tiles are the same in both. Red and black differ in
# brightness too, 3:1 and more from each other and from ivory, also for people who do not see red.
_TILES = {
    "ivory": "#fcf6e6",
    "ivory-low": "#ece0c4",
    "ivory-side": "#baa67c",
    "back": "#2b6280",
    "back-low": "#1e4c68",
    "back-side": "#112e42",
    "back-line": "#7aaabe",
    "red": "#e03c24",
    "black": "#0a0a0c",
    "lip": "#ffffff",
    "shadow": "#000000",
}
COLOURS = {
    DARK: {
        **_TILES,
        "felt": "#1f5e48",
        "felt-mid": "#1b5440",
        "felt-edge": "#0e342a",
        "panel": "#103a2f",
        "panel-line": "#2c6853",
        "accent": "#f5c860",
        "ink": "#f7f0de",
        "quiet": "#b9d6c6",
    },
    LIGHT: {
        **_TILES,
        "felt": "#d9eadf",
        "felt-mid": "#d2e5d9",
        "felt-edge": "#bcd6c7",
        "panel": "#f3f8f4",
        "panel-line": "#a3c3b1",
        "accent": "#7d3b00",
        "ink": "#16261e",
        "quiet": "#35503f",
    },
}
THEMES = tuple(COLOURS)


class Pip(NamedTuple):
    """One pip of an upright tile: lengths in tile widths from its middle, x to the right and y down."""

    x: float
    y: float
    radius: float
    red: bool


class Box(NamedTuple):
    """An area: its left upper corner, its width and its height."""

    x: float
    y: float
    w: float
    h: float

    def inside(self, margin: float) -> "Box":
        """Return the area without a margin."""
        return Box(self.x + margin, self.y + margin, self.w - 2 * margin, self.h - 2 * margin)


class Piece(NamedTuple):
    """An SVG element, `<tag ...>content</tag>`, that is at (x, y) scaled by `scale`.

    box: what it covers, in its own measures, from (x, y) on. title: what it shows, for those who do not see it.
    """

    x: float
    y: float
    box: Box
    tag: str
    attributes: str = ""
    content: str = ""
    scale: float = 1.0
    title: str = ""

    @property
    def svg(self) -> str:
        """The element at its place."""
        return self.at(self.x, self.y)

    def at(self, x: float, y: float) -> str:
        """Return the element as it would stand at another place."""
        scale = "" if self.scale == 1 else f"scale({short(self.scale).removeprefix('0')})"
        head = f'{self.tag} transform="translate({short(round(x, 1))} {short(round(y, 1))}){scale}"{self.attributes}'
        content = titled(self.title) + self.content
        return f"<{head}>{content}</{self.tag}>" if content else f"<{head}/>"


def titled(title: str) -> str:
    """Return the element that gives a drawing a title, "" for none."""
    return f"<title>{escaped(word(title))}</title>" if title else ""


def short(number: float) -> str:
    """Return a number with at most two digits after its point."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if number % 1 else f"{number:.0f}"


def rectangle(x: float, y: float, w: float, h: float, radius: float, name: str, more: str = "") -> str:
    """Return a rectangle with round corners, of the class `name`.

    Args:
        x, y: The left upper corner, in pixels.
        w, h: Width and height.
        radius: Of its corners.
        name: The class, "" for none.
        more: Other attributes, with a blank before each.
    """
    return f"<rect{sides(x, y, w, h, radius, name, more)}/>"


def sides(x: float, y: float, w: float, h: float, radius: float, name: str, more: str = "") -> str:
    """Return the attributes of such a rectangle.

    Args:
        x, y, w, h, radius, name, more: As of `rectangle`.
    """
    corner = "".join(f' {key}="{short(value)}"' for key, value in (("x", x), ("y", y)) if value)
    called = f' class="{name}"' if name else ""
    return f'{called}{corner} width="{short(w)}" height="{short(h)}" rx="{short(radius)}"{more}'


def text_at(x: float, y: float, text: str, size: float, colour: str, anchor: str = "start") -> Piece:
    """Return a text whose capitals have their middle at the height y; `anchor` is where x is in it.

    Args:
        x, y: Where the text is, in pixels.
        text: In one line.
        size: Of the letters, in pixels.
        colour: The end of a class "g-...".
        anchor: "start", "middle" or "end".
    """
    size = round(size, 2)
    width = round(length(text, size), 1)
    offset = {"start": 0.0, "middle": -width / 2, "end": -width}[anchor]
    attributes = f' class="g-text g-{colour}" font-size="{short(size)}"'
    if anchor != "start":
        attributes += f' text-anchor="{anchor}"'
    if len(text) > 2:  # so that a font that is wider takes no more room
        attributes += f' textLength="{short(width)}" lengthAdjust="spacingAndGlyphs"'
    box = Box(offset - 2, -1.1 * size, width + 4, 1.5 * size)
    return Piece(x, y + MIDDLE * size, box, "text", attributes, escaped(text))


def escaped(text: str) -> str:
    return escape(drawable(text), quote=False)


# --- tiles ----------------------------------------------------------------------------------------


def pips_of(tile: Tile) -> tuple[Pip, ...]:
    """Return the pips that are painted on `tile` when it stands upright, its first number on top.

    On [6:6] one column of each six is red, on opposite sides, so that the tile looks the same both ways up.
    """
    pips = []
    for number, red, sign in zip(tile, red_pips(tile), (1, -1), strict=True):
        for index, (across, along) in enumerate(_PIPS_AT[number]):
            # The lower end is the upper one turned by half a circle.
            pips.append(Pip(sign * across, sign * (along - _END), _SINGLE if number == 1 else _PIP, index < red))
    return tuple(pips)


def style(theme: str) -> str:
    """Return the style sheet of a theme."""
    colours = COLOURS[theme]
    rules = [f".g-{name}{{fill:{colour}}}" for name, colour in colours.items()]
    rules += [f".g-stop-{name}{{stop-color:{colour}}}" for name, colour in colours.items() if name in _STOPS]
    rules += [f".g-line-{name}{{fill:none;stroke:{colours[name]}}}" for name in ("quiet", "back-line")]
    rules += [f".g-edge-{name}{{stroke:{colours[name]}}}" for name in ("panel-line", "accent")]
    rules.append(f".g-rim{{stroke:{colours['ivory-side']};stroke-opacity:.4}}")
    rules.append(f".g-text{{font-family:'{FAMILY}','{FAMILY} Medium',system-ui,sans-serif;font-weight:500}}")
    return "".join(rules)


_STOPS = ("felt", "felt-mid", "felt-edge", "ivory", "ivory-low", "back", "back-low")


def _gradient(name: str, first: str, last: str) -> str:
    return (
        f'<linearGradient id="g-fill-{name}" x2="0" y2="1"><stop class="g-stop-{first}"/>'
        f'<stop offset="1" class="g-stop-{last}"/></linearGradient>'
    )


_GRADIENTS = {
    "ivory": _gradient("ivory", "ivory", "ivory-low"),
    "back": _gradient("back", "back", "back-low"),
    "felt": '<radialGradient id="g-fill-felt" r=".71"><stop class="g-stop-felt"/>'
    '<stop offset=".5" class="g-stop-felt-mid"/>'
    '<stop offset="1" class="g-stop-felt-edge"/></radialGradient>',
}
SLOT = ' href="#g-slot"'
UPRIGHT, LYING_LEFT, LYING_RIGHT = "u", "l", "r"  # the first number on top, on the left, on the right


def symbols(*drawings: str) -> str:
    """Return the definitions of what some drawings use: gradients, tiles, backs."""
    used = {part.partition('"')[0] for text in drawings for part in text.split('href="#g-')[1:]}
    groups = [f'<g id="g-{name}">{titled(_title(name))}{_symbol(name)}</g>' for name in sorted(used)]
    return "".join([*_GRADIENTS.values(), *groups])


def _title(name: str) -> str:
    """Return what a symbol shows."""
    if name == "slot":
        return ""
    return {"mark": "marked", "marklying": "marked", "back": "face down"}.get(name) or f"[{name[1]}:{name[2]}]"


@functools.cache
def _symbol(name: str) -> str:
    """Return the definition of a tile, a back or the place of a tile, 100 units wide."""
    turned, numbers = name[0], name[1:]
    long = LENGTH * _UNIT
    w, h = (_UNIT, long) if turned not in (LYING_LEFT, LYING_RIGHT) else (long, _UNIT)
    if name == "slot":
        return rectangle(0, 0, w, h, 16, "g-line-quiet", ' stroke-opacity=".25" stroke-width="3"')
    if name in ("mark", "marklying"):
        w, h = (w, h) if name == "mark" else (h, w)
        return rectangle(-13, -13, w + 26, h + 26, 27, "g-accent")
    material = "back" if name == "back" else "ivory"
    parts = [
        rectangle(-grown, 7 - grown / 2, w + 2 * grown, h + grown, 16 + grown, "g-shadow", f' opacity="{opacity}"')
        for grown, opacity in ((7, 0.1), (4, 0.14), (1, 0.2))
    ]
    parts.append(rectangle(0, 0, w, h, 16, f"g-{material}-side"))
    face = f' fill="url(#g-fill-{material})" stroke-width="2"'
    parts.append(rectangle(1, 1, w - 2, h - _SIDE - 2, 15, "g-rim", face))
    if name == "back":
        for inset in (14, 21):
            inner = w - 2 * inset, h - _SIDE - 2 * inset
            parts.append(rectangle(inset, inset, *inner, 8, "g-line-back-line", ' stroke-width="3"'))
    else:
        cx, cy = w / 2, (h - _SIDE) / 2
        dots: dict[str, str] = {"lip": "", "black": "", "red": ""}
        for pip in pips_of((int(numbers[0]), int(numbers[1]))):
            x, y = {UPRIGHT: (pip.x, pip.y), LYING_LEFT: (pip.y, -pip.x), LYING_RIGHT: (-pip.y, pip.x)}[turned]
            x, y, r = cx + x * _UNIT, cy + y * _UNIT, pip.radius * _UNIT
            dots["lip"] += _dot(x, y + 1.8, r)  # light on the lower lip makes a pip look hollowed out
            dots["red" if pip.red else "black"] += _dot(x, y, r)
        # One path for all pips of a colour: a browser styles every element of every tile.
        parts += [f'<path class="g-{colour}" d="{path}"/>' for colour, path in dots.items() if path]
    return "".join(parts)


def _dot(x: float, y: float, r: float) -> str:
    """Return a circle as a part of a path."""
    radius, across = short(r), short(2 * r)
    return f"M{short(x - r)} {short(y)}a{radius} {radius} 0 1 0 {across} 0 {radius} {radius} 0 1 0-{across} 0"


def tile_at(
    tile: Tile | None, x: float, y: float, size: float, turned: str = UPRIGHT, marked: bool = False
) -> list[Piece]:
    """Return a tile, `size` wide, its left upper corner at (x, y), and its rim; None is a tile face down.

    Args:
        tile: Two numbers, or None.
        x, y: The left upper corner, in pixels.
        size: Its shorter side, in pixels.
        turned: UPRIGHT, LYING_LEFT or LYING_RIGHT.
        marked: Whether it has a rim.
    """
    name = "back" if tile is None else f"{turned}{tile[0]}{tile[1]}"
    lying = turned != UPRIGHT
    w, h = (LENGTH * _UNIT, _UNIT) if lying else (_UNIT, LENGTH * _UNIT)
    box = Box(-16, -16, w + 32, h + 32)
    names = [("marklying" if lying else "mark"), name] if marked else [name]
    return [Piece(x, y, box, "use", f' href="#g-{name}"', "", size / _UNIT) for name in names]


def slot_at(x: float, y: float, size: float) -> Piece:
    """Return the faint outline of a tile that may yet come to lie here.

    Args:
        x, y: The left upper corner, in pixels.
        size: The shorter side of the tile, in pixels.
    """
    box = Box(-2, -2, _UNIT + 4, LENGTH * _UNIT + 4)
    return Piece(x, y, box, "use", SLOT, "", size / _UNIT)


def badge_at(number: int, x: float, y: float, size: float) -> list[Piece]:
    """Return the number that is open at an end of the line, in a ring `size` wide.

    Args:
        number: 1 to 6.
        x, y: The left upper corner, in pixels.
        size: The width of the ring, in pixels.
    """
    half, more = size / 2, f' class="g-panel g-edge-accent" r="{short(0.39 * size)}"'
    more += f' stroke-width="{short(0.07 * size)}"'
    title = say("open end {end}", end=number)
    circle = Piece(x + half, y + half, Box(-half, -half, size, size), "circle", more, title=title)
    return [circle, text_at(x + half, y + half, str(number), 0.56 * size, "accent", "middle")]
