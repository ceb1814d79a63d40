"""A table as a drawing: ivory tiles with red and black pips on felt, as SVG.

This is the one drawing of a table. It is a list of pieces (a tile, a word, a panel), which `draw_svg` writes into a
document and `gupai_env.render.image` paints as pixels. Pieces name their colours by classes, so that a page may show
the same drawing light or dark: `style` says what a theme's classes look like, `symbols` defines the tiles.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, inf

from gupai_env.core.scene import Pile, Place, Scene
from gupai_env.render.letters import drawable, fitted, length, shrunk, wrapped
from gupai_env.render.pieces import DARK, THEMES, Box, Piece, escaped, short, sides, style, symbols, text_at
from gupai_env.render.piles import SMALLEST, fit, gap_of, height_of, label_of, lay_piles, tall, tiles_per_row

FINGERS = (40, 36)  # the largest and the smallest width of tiles that are chosen on a phone, 32 pixels or more
SEEN = (24, 20)  # of other seats' tiles there, which are only seen: larger ones would push the own hand off the page
LINE = (30, 24)  # of tiles of a connected line there, which are many and are not chosen
WIDTH, NARROW = (960, 400)  # units of a drawing's width: of a table with its seats around it, and of one for a phone


@dataclass(frozen=True)
class Layout:
    """Where everything lies: that of several scenes has room for each of them, so that nothing moves between them."""

    width: float
    height: float
    narrow: bool
    head: Box
    centre: Box
    areas: tuple[Box, ...]


@dataclass(frozen=True)
class TablePicture:
    """The pieces of a table: its felt, what stands above, the centre and, by place, panel, words and tiles."""

    felt: Sequence[Piece]
    head: Sequence[Piece]
    centre: Sequence[Piece]
    panels: Sequence[Sequence[Piece]]
    words: Sequence[Sequence[Piece]]
    tiles: Sequence[Sequence[Piece]]

    @property
    def parts(self) -> list[Sequence[Piece]]:
        """Its parts, in the order in which they are painted."""
        return [self.felt, self.head, self.centre, *self.panels, *self.words, *self.tiles]

    @property
    def pieces(self) -> list[Piece]:
        """All of them, in the order in which they are painted."""
        return [piece for part in self.parts for piece in part]


def draw_svg(scene: Scene, *, theme: str = DARK, narrow: bool = False) -> str:
    """Return a drawing of the table as an SVG document, in which every tile has a `<title>`.

    The first place is at the near side and the others follow anticlockwise. The sizes of tiles depend on the
    number of places and the `capacity` of the piles, so that they stay the same during a deal.

    Args:
        scene: The table, as `Game.scene` returns it.
        theme: "dark" or "light".
        narrow: Places below each other, to be read on a phone.

    Raises:
        ValueError: For another theme.
    """
    if theme not in THEMES:
        raise ValueError(f"theme must be {' or '.join(THEMES)}, got {theme!r}")
    layout = lay_out([scene], narrow=narrow)
    table = draw_table(scene, layout)
    body = "".join(piece.svg for piece in table.pieces)
    size = f"0 0 {short(layout.width)} {short(layout.height)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" width="{short(layout.width)}" '
        f'height="{short(layout.height)}"><title>{escaped(scene.title)}</title><style>{style(theme)}</style>'
        f"<defs>{symbols(body)}</defs>{body}</svg>"
    )


def lay_out(scenes: Sequence[Scene], *, narrow: bool = False) -> Layout:
    """Return where the parts of tables with the same places lie."""
    return _narrow(scenes) if narrow else _wide(len(scenes[0].places))


def draw_table(scene: Scene, layout: Layout) -> TablePicture:
    """Return the pieces of a table."""
    return TablePicture(
        felt=[_felt(layout)],
        head=_head(scene, layout),
        centre=draw_centre(scene, layout),
        panels=[_panel(place, area) for place, area in zip(scene.places, layout.areas, strict=True)],
        words=[draw_words(place, area) for place, area in zip(scene.places, layout.areas, strict=True)],
        tiles=[
            draw_tiles(place, area, layout, near=not index)
            for index, (place, area) in enumerate(zip(scene.places, layout.areas, strict=True))
        ],
    )


def draw_centre(scene: Scene, layout: Layout) -> tuple[Piece, ...]:
    """Return the pieces of the piles that belong to nobody."""
    sizes = _central(scene) if layout.narrow else (54,)
    return lay_piles(central_piles(scene, layout), layout.centre.inside(10), *sizes)


def central_piles(scene: Scene, layout: Layout) -> tuple[Pile, ...]:
    """Return the piles of the centre with the room they have in a drawing."""
    return _snug(scene.centre, layout.centre.inside(10), FINGERS[1]) if layout.narrow else scene.centre


def _felt(layout: Layout) -> Piece:
    box = Box(0, 0, layout.width, layout.height)
    return Piece(0, 0, box, "rect", sides(*box, 0, "", ' fill="url(#g-fill-felt)"'))


@functools.lru_cache(maxsize=2048)
def _panel(place: Place, area: Box) -> Sequence[Piece]:
    """Return the panel of a place, with a thick golden rim where it is to act."""
    thick = 3 if place.to_act else 1
    line = "accent" if place.to_act else "panel-line"
    inner = Box(thick / 2, thick / 2, area.w - thick, area.h - thick)
    more = f' fill-opacity=".8" stroke-width="{thick}"'
    rect = sides(*inner, 12, f"g-panel g-edge-{line}", more)
    return [Piece(area.x, area.y, Box(0, 0, area.w, area.h), "rect", rect)]


def _head(scene: Scene, layout: Layout) -> list[Piece]:
    """Return the title, the last move and the notes as pills: in a wide drawing in two rows."""
    box = layout.head
    if layout.narrow:
        return _narrow_head(scene, box)[0]
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


def _narrow_head(scene: Scene, box: Box) -> tuple[list[Piece], float]:
    """Return the title with the notes after it, the last move below them, and how high they are."""
    pieces: list[Piece] = []
    y = box.y + 12
    for row in wrapped(drawable(scene.title), box.w, 20):
        pieces.append(text_at(box.x, y, row, 20, "ink"))
        x = box.x + length(row, 20) + 12
        y += 26
    y -= 38  # the notes begin in the last row of the title
    for note in (fitted(drawable(note), box.w - 24, 14) for note in scene.notes):
        width = length(note, 14) + 20
        if x > box.x and x + width > box.x + box.w:
            x, y = box.x, y + 30
        pieces += _pill(note, x, y, 24, 14)
        x += width + 8
    y += 42
    for row in wrapped(drawable(scene.last_move), box.w, 16):
        if row:
            pieces.append(text_at(box.x, y, row, 16, "accent"))
        y += 21
    return pieces, y - 8 - box.y


@functools.lru_cache(maxsize=2048)
def draw_words(place: Place, area: Box) -> Sequence[Piece]:
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


def draw_tiles(place: Place, area: Box, layout: Layout, *, near: bool = False) -> tuple[Piece, ...]:
    """Return the piles of a seat; the near hand has rows of its own, with tiles for fingers, on a phone and where it
    would be small next to other piles.

    Args:
        place: A seat and its piles.
        area: The room of the seat, in pixels.
        layout: Of the whole picture.
        near: Whether it is the seat at the near side.
    """
    box, sizes = _tiles_box(place, area), SEEN if layout.narrow else (40,)
    piles = _piles_of(place, box, near) if layout.narrow else place.piles
    hand, others = place.piles[:1], piles[1:]
    high = _piles_height(hand, box, *FINGERS) if near else 0
    height = box.h - high - 8
    if not near or not (layout.narrow or _crowded(place, box, height)):
        return lay_piles(piles, box, *sizes)
    below = Box(box.x, box.y + high + 8, box.w, height)
    return lay_piles(hand, box._replace(h=high), *FINGERS) + lay_piles(others, below, SEEN[0])


def _crowded(place: Place, box: Box, height: float) -> bool:
    """Return whether the piles of a place in one row are too small to be chosen, and can be read in what is left."""
    label = label_of(place.piles)
    return height >= label + tall(SMALLEST) and fit(place.piles, box, FINGERS[0], label)[0] < FINGERS[1]


# --- where the parts lie --------------------------------------------------------------------------


def _wide(seats: int) -> Layout:
    """Return a layout with the places around the table: near side, right, far side right to left, left."""
    gap, top, bottom = 10.0, 74.0, 710.0
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
    return Layout(WIDTH, WIDTH * 3 / 4, False, Box(16, 0, WIDTH - 32, top), centre, tuple(areas))


def _narrow(scenes: Sequence[Scene]) -> Layout:
    """Return a layout of one column: the centre, the near seat, and the other seats, up to three in a row.

    The first page of a phone shows what a person plays with, however many tiles the rest of the table has.
    """
    gap, width = 8.0, NARROW - 16.0
    head = Box(gap + 2, 8, width - 4, 0)
    head = head._replace(h=max(_narrow_head(scene, head)[1] for scene in scenes))
    seats, y = len(scenes[0].places), head.y + head.h
    areas: dict[int, Box] = {}

    def put(row: Sequence[int], columns: int) -> None:
        nonlocal y
        step = (width + gap) / columns
        boxes = {seat: Box(gap + column * step, y, step - gap, 0) for column, seat in enumerate(row)}
        high = max(_place_height(scene.places[seat], boxes[seat], seat == 0) for scene in scenes for seat in row)
        areas.update({seat: box._replace(h=high) for seat, box in boxes.items()})
        y += high + gap

    centre = Box(gap, y, width, 0)
    inner = centre.inside(10)
    high = max(_piles_height(_snug(scene.centre, inner, FINGERS[1]), inner, *_central(scene)) for scene in scenes)
    centre = centre._replace(h=high + 20)
    y += centre.h + gap
    if seats:
        put([0], 1)
    others = range(1, seats)[::-1]  # the right neighbour last, as around the table
    columns = ceil(len(others) / ceil(len(others) / 3)) if others else 1
    for first in range(0, len(others), columns):
        put(others[first : first + columns], columns)
    return Layout(NARROW, ceil(y), True, head, centre, tuple(areas[seat] for seat in range(seats)))


def _central(scene: Scene) -> tuple[int, int]:
    """Return the largest and the smallest width of tiles in the centre of a narrow drawing."""
    return LINE if any(pile.form == "line" for pile in scene.centre) else (FINGERS[1], FINGERS[1])


def _snug(piles: tuple[Pile, ...], box: Box, size: int) -> tuple[Pile, ...]:
    """Return piles that keep space for full rows of the tiles they have and one more, so that a table is not too high
    for a phone; a line keeps space for up to eight more tiles."""
    step = tiles_per_row(size, box.w)

    def capacity(pile: Pile) -> int:
        count = len(pile.tiles) + pile.hidden
        row = 8 if pile.form == "line" else step
        return min(pile.capacity, row * (count // row + 1))

    return tuple(replace(pile, capacity=capacity(pile)) for pile in piles)


def _piles_of(place: Place, box: Box, near: bool) -> tuple[Pile, ...]:
    """Return the piles of a seat on a phone: other seats have no empty ones, and those face down are stacked."""
    if near:
        return _snug(place.piles, box, SEEN[0])
    return tuple(
        replace(pile, capacity=0, form=pile.form if pile.tiles else "stack")
        for pile in place.piles
        if pile.tiles or pile.hidden
    )


def _place_height(place: Place, area: Box, near: bool) -> float:
    box = _tiles_box(place, area)
    piles = _piles_of(place, box, near)
    if near:
        high = _piles_height(place.piles[:1], box, *FINGERS) + 8 + _piles_height(piles[1:], box, SEEN[0])
    else:
        high = _piles_height(piles, box, *SEEN)
    return box.y - area.y + high + 12


def _piles_height(piles: tuple[Pile, ...], box: Box, largest: int, smallest: int = SMALLEST) -> float:
    label = label_of(piles)
    size, rows = fit(piles, box._replace(h=inf), largest, label, smallest)
    return height_of(rows, label, gap_of(size))
