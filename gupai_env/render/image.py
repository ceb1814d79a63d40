"""A table as a picture: ivory tiles with red and black pips on green felt."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from gupai_env.core.scene import Pile, Place, Scene, Tile, red_pips

try:
    from PIL import Image, ImageDraw, ImageFilter, ImageFont
except ImportError as error:
    raise ImportError("Pictures need Pillow: pip install gupai[render]") from error

NARROWEST = 320  # pixels
_DESIGN = 960  # all measures below are pixels of a picture this wide; others are scaled
_SUPERSAMPLING = 4

_FELT, _FELT_EDGE = (31, 94, 72), (14, 52, 42)
_PANEL, _PANEL_LINE = (16, 58, 47), (44, 104, 83)
_GOLD, _PAPER, _SAGE = (245, 200, 96), (247, 240, 222), (160, 196, 176)
_IVORY, _IVORY_LOW, _IVORY_SIDE = (252, 246, 230), (236, 224, 196), (186, 166, 124)
_BACK, _BACK_LOW, _BACK_SIDE, _BACK_LINE = (43, 98, 128), (30, 76, 104), (17, 46, 66), (122, 170, 190)
_RED, _BLACK = (200, 22, 34), (26, 26, 28)

_NARROW, _COUNT_ROWS = 240, 2  # a seat's width below which that many rows are kept for its note

_LENGTH = 2.25  # a tile's length in its widths
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


class Pip(NamedTuple):
    """One pip of an upright tile: lengths in tile widths from its middle, x to the right and y down."""

    x: float
    y: float
    radius: float
    red: bool


class _Box(NamedTuple):
    x: float
    y: float
    w: float
    h: float

    def inside(self, margin: float) -> "_Box":
        return _Box(self.x + margin, self.y + margin, self.w - 2 * margin, self.h - 2 * margin)


def pips_of(tile: Tile) -> tuple[Pip, ...]:
    """Return the pips that are painted on `tile` when it stands upright, its first number on top.

    On [6:6] one column of each six is red, on opposite sides, so that the tile looks the same both ways up.
    """
    pips = []
    for number, red, sign in zip(tile, red_pips(tile), (1, -1), strict=True):
        for at, (across, along) in enumerate(_PIPS_AT[number]):
            # The lower end is the upper one turned by half a circle.
            pips.append(Pip(sign * across, sign * (along - _END), _SINGLE if number == 1 else _PIP, at < red))
    return tuple(pips)


def draw_image(scene: Scene, *, width: int = _DESIGN) -> np.ndarray:
    """Return a picture of the table, uint8 [3 * width // 4, width, 3], red, green, blue.

    The first place is at the near side and the others follow anticlockwise. The sizes of tiles depend on the
    number of places and the `room` of the piles, so that they stay the same during a deal. Pillow's own font
    has no letters outside ASCII: they lose their accents or become question marks.

    Args: width: pixels, at least 320.
    Raises: ValueError if `width` is less than 320.
    """
    if width < NARROWEST:
        raise ValueError(f"width must be at least {NARROWEST} pixels, got {width}")
    unit = width / _DESIGN
    frame = _backdrop(width, tuple(place.to_act for place in scene.places)).copy()
    pen = ImageDraw.Draw(frame)
    _header(pen, scene, unit)
    centre, areas = _areas(len(scene.places), unit)
    for place, area in zip(scene.places, areas, strict=True):
        _place(frame, pen, place, area, unit)
    _piles(frame, pen, scene.centre, centre.inside(10 * unit), 54, unit)
    return np.array(frame)


# --- the table ------------------------------------------------------------------------------------


def _areas(seats: int, unit: float) -> tuple[_Box, list[_Box]]:
    """Return the middle of the table and each seat's area: near side, right, far side right to left, left."""
    gap, top, bottom = 10.0, 74.0, 710.0
    left, right = gap, _DESIGN - gap
    sides = seats > 3
    near = 148.0 if seats > 2 else 186.0 if seats else 0.0
    far = 0.0 if seats < 2 else 186.0 if seats == 2 else 124.0 if sides else 224.0
    side = 206.0 if sides else 0.0
    middle_top = top + (far + gap if far else 0)
    middle_bottom = bottom - (near + gap if near else 0)
    middle = middle_bottom - middle_top
    opposite = max(seats - (3 if sides else 1), 0)
    across = (right - left + gap) / max(opposite, 1)

    boxes = [_Box(left, bottom - near, right - left, near)] if seats else []
    if sides:
        boxes.append(_Box(right - side, middle_top, side, middle))
    for k in range(opposite):
        boxes.append(_Box(right - (k + 1) * across + gap, top, across - gap, far))
    if sides:
        boxes.append(_Box(left, middle_top, side, middle))
    indent = side + gap if sides else 0
    centre = _Box(left + indent, middle_top, right - left - 2 * indent, middle)
    scaled = [_Box(*(value * unit for value in box)) for box in (centre, *boxes)]
    return scaled[0], scaled[1:]


@lru_cache(maxsize=16)
def _backdrop(width: int, to_act: tuple[bool, ...]) -> Image.Image:
    """Return the empty table: felt that darkens towards the rim, and a panel for each seat."""
    height, unit, fine = 3 * width // 4, width / _DESIGN, 2
    y, x = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j]
    dark = np.clip((x**2 + y**2) / 2, 0, 1)[:, :, None]
    felt = Image.fromarray((_FELT + dark * (np.array(_FELT_EDGE) - _FELT)).round().astype(np.uint8))
    panels = Image.new("RGBA", (width * fine, height * fine), (*_PANEL, 0))
    pen = ImageDraw.Draw(panels)
    for box, active in zip(_areas(len(to_act), unit * fine)[1], to_act, strict=True):
        pen.rounded_rectangle(
            (box.x, box.y, box.x + box.w, box.y + box.h),
            radius=12 * unit * fine,
            fill=(*_PANEL, 200),
            outline=(*_GOLD, 255) if active else (*_PANEL_LINE, 255),
            width=max(round((3 if active else 1) * unit * fine), 1),
        )
    panels = panels.resize((width, height), Image.Resampling.BOX)
    felt.paste(panels, (0, 0), panels)
    return felt


def _header(pen: ImageDraw.ImageDraw, scene: Scene, unit: float) -> None:
    """Write the title and the last move in one row, the notes as a row of pills below."""
    edge = 16 * unit
    title, size = _shrunk(scene.title, 560 * unit, 25 * unit)
    pen.text((edge, 24 * unit), title, _PAPER, _font(size), "lm")
    room = _DESIGN * unit - 3 * edge - _length(title, size)
    last_move, size = _shrunk(scene.last_move, room, 17 * unit)
    pen.text((_DESIGN * unit - edge, 24 * unit), last_move, _GOLD, _font(size), "rm")
    size, pad = 14 * unit, 10 * unit
    notes = [_ascii(note) for note in scene.notes]
    wanted = sum(_font(size).getlength(note) + 3 * pad for note in notes)
    size *= min(1.0, (_DESIGN * unit - 2 * edge) / max(wanted, 1))  # many notes are written smaller
    x = edge
    for note in notes:
        length = _font(size).getlength(note)
        pen.rounded_rectangle((x, 43 * unit, x + length + 2 * pad, 67 * unit), 12 * unit, _PANEL, _PANEL_LINE)
        pen.text((x + pad, 55 * unit), note, _PAPER, _font(size), "lm")
        x += length + 3 * pad


def _place(frame: Image.Image, pen: ImageDraw.ImageDraw, place: Place, box: _Box, unit: float) -> None:
    """Write a seat's name, its note beside it or where that is too long below, and lay its piles under them."""
    inner = box.inside(10 * unit)
    middle, small = inner.y + 7 * unit, 14 * unit
    name = _fitted(place.name, inner.w, 17 * unit)
    pen.text((inner.x, middle), name, _GOLD if place.to_act else _PAPER, _font(17 * unit), "lm")
    free = inner.w - _font(17 * unit).getlength(name) - 8 * unit
    rows = [] if _length(place.note, small) <= free else _wrapped(place.note, inner.w, small)
    if not rows:
        pen.text((inner.x + inner.w, middle), _ascii(place.note), _SAGE, _font(small), "rm")
    for row, text in enumerate(rows, 1):
        pen.text((inner.x, middle + (2 + 17 * row) * unit), text, _SAGE, _font(small), "lm")
    # Narrow seats keep rows free for the count, so that nothing moves when it is written.
    kept = max(len(rows), _COUNT_ROWS if inner.w < _NARROW * unit else 0)
    top = (22 + 17 * kept + 2 * (kept > 0)) * unit
    _piles(frame, pen, place.piles, _Box(inner.x, inner.y + top, inner.w, inner.h - top), 40, unit)


# --- piles ----------------------------------------------------------------------------------------


class _Block(NamedTuple):
    """The space of a pile at one tile width, without its label; `columns` counts the tiles of a full row."""

    pile: Pile
    w: float
    h: float
    columns: int


def _piles(
    frame: Image.Image,
    pen: ImageDraw.ImageDraw,
    piles: tuple[Pile, ...],
    box: _Box,
    largest: float,
    unit: float,
) -> None:
    """Lay piles side by side, in as many rows as they need, with the largest tiles that fit into `box`."""
    label = 17 * unit if any(pile.label for pile in piles) else 0.0
    size, rows = _fit(piles, box, round(largest * unit), label, unit)
    gap, font = _gap(size, unit), _font(13 * unit)
    y = box.y + max(box.h - _height(rows, label, gap), 0) / 2
    for row in rows:
        x = box.x + max(box.w - sum(block.w for block in row) - gap * (len(row) - 1), 0) / 2
        for block in row:
            pen.text((x, y + 6 * unit), _fitted(block.pile.label, block.w, 13 * unit), _SAGE, font, "lm")
            lay = {"row": _lay_row, "line": _lay_line, "stack": _lay_stack}[block.pile.form]
            lay(frame, pen, block, x, y + label, size)
            x += block.w + gap
        y += max(block.h for block in row) + label + gap


def _fit(
    piles: tuple[Pile, ...], box: _Box, largest: int, label: float, unit: float
) -> tuple[int, list[list[_Block]]]:
    """Return the largest tile width, in pixels, at which the piles fit into `box`, and their rows then."""
    for size in range(largest, 0, -1):
        rows: list[list[_Block]] = []
        free, gap = 0.0, _gap(size, unit)
        for pile in piles:
            block = _block(pile, size, box.w, unit)
            if not rows or block.w > free:
                rows.append([])
                free = box.w
            rows[-1].append(block)
            free -= block.w + gap
        if _height(rows, label, gap) <= box.h:
            break
    return size, rows


def _block(pile: Pile, size: int, width: float, unit: float) -> _Block:
    """Return the space of `pile` where no more than `width` pixels are free."""
    if pile.form == "line":
        first, last = _row_range(_snake(pile, size, width))
        count = max(last - first + 1, _expected_rows(pile, size, width))
        return _Block(pile, width, count * _pitch(size), 0)
    least = min(_font(13 * unit).getlength(_ascii(pile.label)), width)
    if pile.form == "stack":
        return _Block(pile, max(2.8 * size, least), _tall(size), 1)
    count = max(pile.room, len(pile.tiles) + pile.hidden, 1)
    fitting = max(int((width + _between(size)) / (size + _between(size))), 1)
    lines = -(-count // fitting)
    columns = -(-count // lines)  # rows of the same length look calmer than full ones and a rest
    return _Block(
        pile,
        max(columns * (size + _between(size)) - _between(size), least),
        lines * (_tall(size) + _between(size)) - _between(size),
        columns,
    )


def _height(rows: list[list[_Block]], label: float, gap: float) -> float:
    return sum(max(block.h for block in row) + label for row in rows) + gap * (len(rows) - 1)


def _gap(size: int, unit: float) -> float:
    return max(0.5 * size, 12 * unit)


def _between(size: int) -> int:
    return max(round(0.14 * size), 1)


def _tall(size: int) -> int:
    return round(_LENGTH * size)


def _lay_row(
    frame: Image.Image, pen: ImageDraw.ImageDraw, block: _Block, x: float, y: float, size: int
) -> None:
    pile, step = block.pile, _between(size)
    tiles = (*pile.tiles, *[None] * pile.hidden)
    # Marked tiles come last, so that no neighbour covers their rim.
    for at in sorted(range(max(pile.room, len(tiles))), key=lambda at: at in pile.marked):
        row, column = divmod(at, block.columns)
        corner = x + column * (size + step), y + row * (_tall(size) + step)
        sprite = _tile_sprite(tiles[at], size, 0, at in pile.marked) if at < len(tiles) else _slot(size)
        _stamp(frame, sprite, corner, size)


def _lay_stack(
    frame: Image.Image, pen: ImageDraw.ImageDraw, block: _Block, x: float, y: float, size: int
) -> None:
    for at in range(min(block.pile.hidden, 3)):
        _stamp(frame, _tile_sprite(None, size, 0, False), (x + at * size / 7, y + (2 - at) * size / 14), size)
    if not block.pile.hidden:
        _stamp(frame, _slot(size), (x, y), size)
    count = f"x {block.pile.hidden}"
    pen.text((x + 1.6 * size, y + _tall(size) / 2), count, _PAPER, _font(0.5 * size), "lm")


# --- the connected line ---------------------------------------------------------------------------


def _lay_line(
    frame: Image.Image, pen: ImageDraw.ImageDraw, block: _Block, x: float, y: float, size: int
) -> None:
    """Lay the line as a snake: rows right and left in turn, doubles crosswise, a thread at each turn."""
    pile, pitch = block.pile, _pitch(size)
    slots = _snake(pile, size, block.w)
    first, last = _row_range(slots)
    top = y - first * pitch
    if pile.lead is not None:
        top += (block.h - (last - first + 1) * pitch) / 2
    middles = [(x + left + length / 2, top + (row + 0.5) * pitch) for row, left, length in slots]
    for at in range(len(slots) - 1):
        row, (here_x, here_y), (there_x, there_y) = slots[at][0], middles[at], middles[at + 1]
        if here_y != there_y:
            edge = x + (block.w - size / 8 if row % 2 == 0 else size / 8)
            thread = [(here_x, here_y), (edge, here_y), (edge, there_y), (there_x, there_y)]
            pen.line(thread, _SAGE, max(round(size / 12), 1), joint="curve")
    before = 1 if pile.open_left else 0
    # Marked tiles come last, so that no neighbour covers their rim.
    for at in sorted(range(len(slots)), key=lambda at: at - before in pile.marked):
        (row, left, _), (_, middle), position = slots[at], middles[at], at - before
        if 0 <= position < len(pile.tiles):
            tile = pile.tiles[position]
            double = tile[0] == tile[1]
            turns = 0 if double else 1 if row % 2 == 0 else 3
            corner = x + left, middle - (_tall(size) if double else size) / 2
            _stamp(frame, _tile_sprite(tile, size, turns, position in pile.marked), corner, size)
        else:
            number = pile.open_left if position < 0 else pile.open_right
            _stamp(frame, _badge(number, size), (x + left, middle - size / 2), size)


def _snake(pile: Pile, size: int, width: float) -> list[tuple[int, float, int]]:
    """Return row, left edge and length of all that lies on the line, open numbers included, in its order.

    Even rows run to the right and odd rows to the left. The lead, if known, lies in the middle of row 0; the
    right arm goes on from it to rows below and the left arm to rows above, so no tile moves along the line
    when either grows.
    """
    margin, joint = size / 3, max(size // 16, 1)
    lengths = [size if first == second else _tall(size) for first, second in pile.tiles]
    lengths = [size] * (pile.open_left > 0) + lengths + [size] * (pile.open_right > 0)
    slots: list[tuple[int, float, int]] = [(0, 0.0, 0)] * len(lengths)
    start, end = margin, width - margin
    lead = 0 if pile.lead is None else pile.lead + (pile.open_left > 0)
    origin = start if pile.lead is None else (width - lengths[lead]) / 2

    row, along = 0, origin  # `along` runs from `start` to `end` in the direction of the row
    for at in range(lead, len(lengths)):
        if along + lengths[at] > end:
            row, along = row + 1, start
        slots[at] = row, along, lengths[at]
        along += lengths[at] + joint
    row, along = 0, origin - joint
    for at in reversed(range(lead)):
        if along - lengths[at] < start:
            row, along = row - 1, end
        along -= lengths[at]
        slots[at] = row, along, lengths[at]
        along -= joint
    return [(row, along if row % 2 == 0 else width - along - length, length) for row, along, length in slots]


def _row_range(slots: list[tuple[int, float, int]]) -> tuple[int, int]:
    rows = [row for row, _, _ in slots]
    return min(rows, default=0), max(rows, default=0)


def _expected_rows(pile: Pile, size: int, width: float) -> int:
    """Return how many rows a full line is likely to need: three in eight tiles of a set are doubles."""
    length = pile.room * size * (3 + 5 * _LENGTH) / 8
    return int(np.ceil(length / max(width - size - _tall(size), size))) + (pile.lead is not None)


def _pitch(size: int) -> int:
    return _tall(size) + 2 * _between(size)


# --- sprites and letters --------------------------------------------------------------------------


def _stamp(frame: Image.Image, sprite: Image.Image, corner: tuple[float, float], size: int) -> None:
    """Put a sprite on the frame so that what it shows, inside its rim, begins at `corner`."""
    frame.paste(sprite, (round(corner[0]) - _rim(size), round(corner[1]) - _rim(size)), sprite)


def _rim(size: int) -> int:
    """Return the pixels around a sprite for its shadow and its highlight."""
    return max(round(size / 4), 2)


@lru_cache(maxsize=1024)
def _tile_sprite(tile: Tile | None, size: int, turns: int, marked: bool) -> Image.Image:
    """Draw one tile, `size` pixels wide, with its rim; None is a tile face down.

    `turns` counts quarter turns against the clock from upright: with 1 the first number is on the left.
    """
    s = size * _SUPERSAMPLING
    rim = _rim(size) * _SUPERSAMPLING
    w, h = (s, _tall(size) * _SUPERSAMPLING) if turns % 2 == 0 else (_tall(size) * _SUPERSAMPLING, s)
    side = 0.07 * s  # the visible edge of the tile below its face
    body, face = (rim, rim, rim + w, rim + h), (rim, rim, rim + w, rim + h - side)
    full = (w + 2 * rim, h + 2 * rim)

    shadow = Image.new("L", full)
    ImageDraw.Draw(shadow).rounded_rectangle(
        (rim, rim + 0.06 * s, rim + w, rim + h + 0.06 * s), 0.16 * s, fill=110
    )
    sprite = Image.new("RGBA", full)
    sprite.putalpha(shadow.filter(ImageFilter.GaussianBlur(0.06 * s)))
    pen = ImageDraw.Draw(sprite)
    if marked:
        out = 0.13 * s
        pen.rounded_rectangle((rim - out, rim - out, rim + w + out, rim + h + out), 0.27 * s, fill=_GOLD)
    high, low, edge = (_BACK, _BACK_LOW, _BACK_SIDE) if tile is None else (_IVORY, _IVORY_LOW, _IVORY_SIDE)
    pen.rounded_rectangle(body, 0.16 * s, fill=edge)
    mask = Image.new("L", full)
    ImageDraw.Draw(mask).rounded_rectangle(face, 0.16 * s, fill=255)
    shade = Image.linear_gradient("L").resize(full)
    sprite.paste(
        Image.composite(Image.new("RGB", full, low), Image.new("RGB", full, high), shade), (0, 0), mask
    )

    if tile is None:
        for inset in (0.13 * s, 0.2 * s):
            pen.rounded_rectangle(
                (face[0] + inset, face[1] + inset, face[2] - inset, face[3] - inset),
                0.08 * s,
                outline=_BACK_LINE,
                width=max(round(0.03 * s), 1),
            )
    else:
        cx, cy = rim + w / 2, rim + (h - side) / 2
        for pip in pips_of(tile):
            x, y = {0: (pip.x, pip.y), 1: (pip.y, -pip.x), 3: (-pip.y, pip.x)}[turns]
            x, y, r = cx + x * s, cy + y * s, pip.radius * s
            lip = 0.018 * s  # light on the lower lip makes a pip look hollowed out
            pen.ellipse((x - r, y - r + lip, x + r, y + r + lip), fill=(255, 255, 255))
            pen.ellipse((x - r, y - r, x + r, y + r), fill=_RED if pip.red else _BLACK)
    return sprite.resize((full[0] // _SUPERSAMPLING, full[1] // _SUPERSAMPLING), Image.Resampling.BOX)


@lru_cache(maxsize=64)
def _slot(size: int) -> Image.Image:
    """Draw the faint outline of a tile that may yet come to lie here."""
    s, h, rim = size * _SUPERSAMPLING, _tall(size) * _SUPERSAMPLING, _rim(size) * _SUPERSAMPLING
    sprite = Image.new("RGBA", (s + 2 * rim, h + 2 * rim), (*_SAGE, 0))
    ImageDraw.Draw(sprite).rounded_rectangle(
        (rim, rim, rim + s, rim + h), 0.16 * s, outline=(*_SAGE, 60), width=_SUPERSAMPLING
    )
    return sprite.resize((size + 2 * _rim(size), _tall(size) + 2 * _rim(size)), Image.Resampling.BOX)


@lru_cache(maxsize=256)
def _badge(number: int, size: int) -> Image.Image:
    """Draw the number that is open at an end of the line, in a ring `size` pixels wide."""
    s, rim = size * _SUPERSAMPLING, _rim(size) * _SUPERSAMPLING
    sprite = Image.new("RGBA", (s + 2 * rim, s + 2 * rim), (*_GOLD, 0))
    pen = ImageDraw.Draw(sprite)
    inset = rim + 0.08 * s
    pen.ellipse(
        (inset, inset, s + 2 * rim - inset, s + 2 * rim - inset),
        fill=_PANEL,
        outline=_GOLD,
        width=round(0.07 * s),
    )
    pen.text((rim + s / 2, rim + s / 2), str(number), _GOLD, _font(0.56 * s), "mm")
    return sprite.resize((size + 2 * _rim(size), size + 2 * _rim(size)), Image.Resampling.BOX)


@lru_cache(maxsize=64)
def _font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(max(size, 6))


def _ascii(text: str) -> str:
    """Return `text` in the letters of Pillow's font: accents are dropped, foreign letters become "?"."""
    decomposed = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return bare.encode("ascii", "replace").decode()


def _length(text: str, size: float) -> float:
    """Return how many pixels a text takes."""
    return _font(size).getlength(_ascii(text))


def _shrunk(text: str, room: float, size: float) -> tuple[str, float]:
    """Return `text` and the size at which it fits; where that would be too small to read, it is cut."""
    size *= min(1.0, max(room / max(_length(text, size), 1), 0.6))
    return _fitted(text, room, size), size


@lru_cache(maxsize=1024)
def _wrapped(text: str, room: float, size: float) -> list[str]:
    """Return `text` in rows of no more than `room` pixels, broken after commas rather than between words."""
    rows = [""]
    for part in re.split(r"(?<=,) ", text):
        for word in [part] if _length(part, size) <= room else part.split():
            longer = f"{rows[-1]} {word}".strip()
            if _length(longer, size) <= room or not rows[-1]:
                rows[-1] = longer
            else:
                rows.append(word)
    return [_fitted(row, room, size) for row in rows]


@lru_cache(maxsize=1024)
def _fitted(text: str, room: float, size: float) -> str:
    """Return `text`, cut with three dots where it is longer than `room` pixels."""
    text, font = _ascii(text), _font(size)
    if font.getlength(text) <= room:
        return text
    while text and font.getlength(text + "...") > room:
        text = text[:-1]
    return text + "..."
