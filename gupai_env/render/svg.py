"""A table as a drawing: ivory tiles with red and black pips on felt, as SVG.

This is the one drawing of a table. It is a list of pieces (a tile, a word, a panel), which `draw_svg` writes into a
document and `gupai_env.render.image` paints as pixels. Pieces name their colours by classes, so that a page may show
the same drawing light or dark: `style` says what a theme's classes look like, `symbols` defines the tiles.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from gupai_env.core.scene import Place, Scene
from gupai_env.render.letters import drawable, fitted, length, shrunk, wrapped
from gupai_env.render.pieces import DARK, THEMES, Box, Piece, escaped, short, sides, style, symbols, text_at
from gupai_env.render.piles import SMALLEST, fit, gap_of, height_of, label_of, lay_piles, tall

HAND = (40, 36)  # the largest and the smallest width of the tiles of a near hand that has rows of its own
BESIDE = 24  # the largest width of the other tiles there
WIDTH, HEIGHT, TOP = 960, 720, 74.0  # units of a drawing, and of what stands above its seats


@dataclass(frozen=True)
class Layout:
    """Where everything is at a table of so many seats."""

    centre: Box
    areas: tuple[Box, ...]


def draw_svg(scene: Scene, *, theme: str = DARK) -> str:
    """Return a drawing of the table as an SVG document, in which every tile has a `<title>`.

    The first place is at the near side and the others follow anticlockwise. The sizes of tiles depend on the
    number of places and the `capacity` of the piles, so that they stay the same during a deal.

    Args:
        scene: The table, as `Game.scene` returns it.
        theme: "dark" or "light".

    Raises:
        ValueError: For another theme.
    """
    if theme not in THEMES:
        raise ValueError(f"theme must be {' or '.join(THEMES)}, got {theme!r}")
    body = "".join(piece.svg for piece in draw_table(scene))
    width, height = short(WIDTH), short(HEIGHT)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}"><title>{escaped(scene.title)}</title><style>{style(theme)}</style>'
        f"<defs>{symbols(body)}</defs>{body}</svg>"
    )


def draw_table(scene: Scene) -> list[Piece]:
    """Return the pieces of a table, in the order in which they are painted."""
    layout, felt = lay_out(len(scene.places)), Box(0, 0, WIDTH, HEIGHT)
    seats = list(zip(scene.places, layout.areas, strict=True))
    return [
        Piece(0, 0, felt, "rect", sides(*felt, 0, "", ' fill="url(#g-fill-felt)"')),
        *_head(scene),
        *lay_piles(scene.centre, layout.centre.inside(10), 54),
        *(piece for place, area in seats for piece in _panel(place, area)),
        *(piece for place, area in seats for piece in _words(place, area)),
        *(piece for index, (place, area) in enumerate(seats) for piece in _tiles(place, area, near=not index)),
    ]


@functools.lru_cache(maxsize=2048)
def _panel(place: Place, area: Box) -> Sequence[Piece]:
    """Return the panel of a place, with a thick golden rim where it is to act."""
    thick = 3 if place.to_act else 1
    line = "accent" if place.to_act else "panel-line"
    inner = Box(thick / 2, thick / 2, area.w - thick, area.h - thick)
    more = f' fill-opacity=".8" stroke-width="{thick}"'
    rect = sides(*inner, 12, f"g-panel g-edge-{line}", more)
    return [Piece(area.x, area.y, Box(0, 0, area.w, area.h), "rect", rect)]


def _head(scene: Scene) -> list[Piece]:
    """Return the title and the last move, and the notes as pills below them."""
    box = Box(16, 0, WIDTH - 32, TOP)
    title, size = shrunk(drawable(scene.title), 560, 25)
    pieces = [text_at(box.x, 24, title, size, "ink")]
    last_move, small = shrunk(drawable(scene.last_move), box.w - 16 - length(title, size), 17)
    if last_move:
        pieces.append(text_at(box.x + box.w, 24, last_move, small, "accent", "end"))
    size, pad = 14.0, 10.0
    notes = [drawable(note) for note in scene.notes]
    wanted = sum(length(note, size) + 3 * pad for note in notes)
    size = round(size * min(1.0, box.w / max(wanted, 1)), 2)  # many notes are written smaller
    x = box.x
    for note in notes:
        pieces += _pill(note, x, 43, 24, size)
        x += length(note, size) + 3 * pad
    return pieces


@functools.lru_cache(maxsize=1024)
def _pill(note: str, x: float, y: float, height: float, size: float) -> Sequence[Piece]:
    """Return a note in a rounded frame."""
    width = round(length(note, size) + 20, 1)
    inner = Box(0.5, 0.5, width - 1, height - 1)
    frame = sides(*inner, height / 2, "g-panel g-edge-panel-line")
    return [Piece(x, y, Box(0, 0, width, height), "rect", frame), text_at(x + 10, y + height / 2, note, size, "ink")]


@functools.lru_cache(maxsize=2048)
def _words(place: Place, area: Box) -> Sequence[Piece]:
    """Return a seat's name, and its note next to it, or below it if that is too long."""
    inner = area.inside(10)
    middle = inner.y + 7
    indent = 15 if place.to_act else 0
    name = fitted(drawable(place.name), inner.w - indent, 17)
    pieces = [text_at(inner.x + indent, middle, name, 17, "accent" if place.to_act else "ink")]
    if place.to_act:  # for those who do not see which rim is golden
        pointer = Piece(inner.x, middle, Box(0, -6, 12, 12), "path", ' class="g-accent" d="M0-6 10 0 0 6z"')
        pieces.append(pointer._replace(title="to act"))
    rows = _note_rows(place, inner.w)
    if not rows and place.note:
        pieces.append(text_at(inner.x + inner.w, middle, drawable(place.note), 14, "quiet", "end"))
    for row, text in enumerate(rows, 1):
        pieces.append(text_at(inner.x, middle + 2 + 17 * row, text, 14, "quiet"))
    return pieces


def _note_rows(place: Place, width: float) -> tuple[str, ...]:
    """Return the rows that a note takes below the name; none where it is next to it."""
    note = drawable(place.note)
    # As if the pointer stood there always, so that no note moves when it appears.
    name = min(length(drawable(place.name), 17) + 15, width)
    return () if length(note, 14) <= width - name - 8 else wrapped(note, width, 14)


def _tiles_box(place: Place, area: Box) -> Box:
    """Return where the tiles of a place lie: below its words."""
    inner = area.inside(10)
    rows = len(_note_rows(place, inner.w))
    # Narrow seats keep rows free for the count, so that nothing moves when it is written.
    note_rows = max(rows, 2 if inner.w < 240 else 0)
    top = 22 + 17 * note_rows + 2 * (note_rows > 0)
    return Box(inner.x, inner.y + top, inner.w, inner.h - top)


def _tiles(place: Place, area: Box, *, near: bool = False) -> tuple[Piece, ...]:
    """Return the piles of a seat; the near hand has rows of its own where it would be small next to other piles.

    Args:
        place: A seat and its piles.
        area: The room of the seat, in pixels.
        near: Whether it is the seat at the near side.
    """
    box, hand, others = _tiles_box(place, area), place.piles[:1], place.piles[1:]
    label = label_of(hand)
    size, rows = fit(hand, box._replace(h=inf), HAND[0], label, HAND[1])
    high = height_of(rows, label, gap_of(size)) if near else 0
    height = box.h - high - 8
    if not near or not _crowded(place, box, height):
        return lay_piles(place.piles, box, HAND[0])
    below = Box(box.x, box.y + high + 8, box.w, height)
    return lay_piles(hand, box._replace(h=high), *HAND) + lay_piles(others, below, BESIDE)


def _crowded(place: Place, box: Box, height: float) -> bool:
    """Return whether the piles of a place in one row are too small to be chosen, and can be read in what is left."""
    label = label_of(place.piles)
    return height >= label + tall(SMALLEST) and fit(place.piles, box, HAND[0], label)[0] < HAND[1]


# --- where the parts lie --------------------------------------------------------------------------


def lay_out(seats: int) -> Layout:
    """Return a layout with the places around the table: near side, right, far side right to left, left."""
    gap, top, bottom = 10.0, TOP, 710.0
    left, right = gap, WIDTH - gap
    sides = seats > 3
    near = 148.0 if seats > 2 else 222.0 if seats else 0.0
    far = 0.0 if seats < 2 else 150.0 if seats == 2 else 124.0 if sides else 224.0
    side = 206.0 if sides else 0.0
    middle_top = top + (far + gap if far else 0)
    middle_bottom = bottom - (near + gap if near else 0)
    middle = middle_bottom - middle_top
    opposite = max(seats - (3 if sides else 1), 0)
    across = (right - left + gap) / max(opposite, 1)

    areas = [Box(left, bottom - near, right - left, near)] if seats else []
    if sides:
        areas.append(Box(right - side, middle_top, side, middle))
    for k in range(opposite):
        areas.append(Box(right - (k + 1) * across + gap, top, across - gap, far))
    if sides:
        areas.append(Box(left, middle_top, side, middle))
    indent = side + gap if sides else 0
    centre = Box(left + indent, middle_top, right - left - 2 * indent, middle)
    return Layout(centre, tuple(areas))
