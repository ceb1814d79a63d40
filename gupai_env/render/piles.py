"""Piles of tiles laid into the space there is: rows, stacks, and the connected line as a snake."""

import functools
from collections.abc import Callable, Sequence
from math import ceil, inf
from typing import NamedTuple

from gupai_env.core.scene import Pile
from gupai_env.render.letters import drawable, fitted, length
from gupai_env.render.pieces import (
    LENGTH,
    LYING_LEFT,
    LYING_RIGHT,
    UPRIGHT,
    Box,
    Piece,
    badge_at,
    short,
    slot_at,
    text_at,
    tile_at,
)

SMALLEST = 17  # a tile's width that can be read on a phone
COUNT = 1.4  # from the left edge of a stack to the number of its tiles, in widths of a tile


class Block(NamedTuple):
    """The space of a pile at one tile width, without its label; `columns` counts the tiles of a full row."""

    pile: Pile
    w: float
    h: float
    columns: int


def label_of(piles: tuple[Pile, ...]) -> float:
    return 17.0 if any(pile.label for pile in piles) else 0.0


@functools.lru_cache(maxsize=2048)  # most of a table is as it was a move before
def lay_piles(piles: tuple[Pile, ...], box: Box, largest: int, smallest: int = SMALLEST) -> tuple[Piece, ...]:
    """Lay piles side by side, in as many rows as they need, with the largest tiles that fit into `box`.

    Args:
        piles: In the order in which they lie.
        box: The room, in pixels; of height 0 where it is not bounded.
        largest: The most pixels of a tile's shorter side.
        smallest: The fewest with which it can be read.
    """
    label = label_of(piles)
    size, rows = fit(piles, box if box.h > 0 else box._replace(h=inf), largest, label, smallest)
    gap = gap_of(size)
    pieces: list[Piece] = []
    y = box.y + max(box.h - height_of(rows, label, gap), 0) / 2
    for row in rows:
        x = box.x + max(box.w - sum(block.w for block in row) - gap * (len(row) - 1), 0) / 2
        for block in row:
            if block.pile.label:
                text = fitted(drawable(block.pile.label), block.w, 13)
                pieces.append(text_at(x, y + 4, text, 13, "quiet"))  # above the rim of a marked tile
            lay = {"row": _lay_row, "fan": _lay_fan, "line": _lay_line, "stack": _lay_stack}[block.pile.form]
            pieces += lay(block, x, y + label, size)
            x += block.w + gap
        y += max(block.h for block in row) + label + gap
    return tuple(pieces)


@functools.lru_cache(maxsize=2048)
def fit(
    piles: tuple[Pile, ...], box: Box, largest: int, label: float, smallest: int = SMALLEST
) -> tuple[int, list[list[Block]]]:
    """Return the largest tile width at which the piles fit into `box`, and their rows then.

    Where the height is not bounded, it is the largest one that takes as few rows of tiles as the smallest tiles that
    can be read.

    Args:
        piles: In the order in which they lie.
        box: The room, in pixels; its height may be infinite.
        largest: The most pixels of a tile's shorter side.
        label: Height of a label above a pile, in pixels.
        smallest: The fewest with which a tile can be read.
    """
    if box.h == inf:
        fewest = _lines(_rows(piles, smallest, box.w), smallest)
        return _largest(piles, box.w, smallest, largest, lambda rows, size: _lines(rows, size) <= fewest)
    return _largest(piles, box.w, 1, largest, lambda rows, size: height_of(rows, label, gap_of(size)) <= box.h)


def _largest(
    piles: tuple[Pile, ...], width: float, low: int, high: int, fits: Callable[[list[list[Block]], int], bool]
) -> tuple[int, list[list[Block]]]:
    """Return the largest tile width from `low` to `high` whose rows fit, and the rows; `low` where none does."""
    best = low, _rows(piles, low, width)
    while low < high:  # larger tiles need more room, so that halving finds the last width that fits
        middle = (low + high + 1) // 2
        rows = _rows(piles, middle, width)
        if fits(rows, middle):
            low, best = middle, (middle, rows)
        else:
            high = middle - 1
    return best


def _rows(piles: Sequence[Pile], size: int, width: float) -> list[list[Block]]:
    """Return the piles in rows no wider than `width`, at one tile width: as few as they take, of as many piles each."""
    blocks = [_block(pile, size, width) for pile in piles]
    rows = _filled(blocks, width, gap_of(size), len(blocks))
    even = _filled(blocks, width, gap_of(size), ceil(len(blocks) / max(len(rows), 1)))
    return even if len(even) == len(rows) else rows


def _filled(blocks: Sequence[Block], width: float, gap: float, most: int) -> list[list[Block]]:
    """Return rows that are filled one after another with up to `most` piles."""
    rows: list[list[Block]] = []
    free = 0.0
    for block in blocks:
        if not rows or block.w > free or len(rows[-1]) == most:
            rows.append([])
            free = width
        rows[-1].append(block)
        free -= block.w + gap
    return rows


def _lines(rows: Sequence[Sequence[Block]], size: int) -> int:
    return sum(round(max(block.h for block in row) / tall(size)) for row in rows)


def _block(pile: Pile, size: int, width: float) -> Block:
    """Return the space of `pile` where no more than `width` is free."""
    if pile.form == "line":
        first, last = _row_range(_snake(pile, size, width))
        count = max(last - first + 1, _expected_rows(pile, size, width))
        return Block(pile, width, count * _pitch(size), 0)
    least = min(length(drawable(pile.label), 13), width)
    if pile.form == "stack":
        words = length(f"x {max(pile.capacity, pile.hidden)}", _letters(size))
        return Block(pile, max(COUNT * size + words, least), tall(size), 1)
    count = max(pile.capacity, len(pile.tiles) + pile.hidden, 1)
    if pile.form == "fan":
        return Block(pile, max(size + (count - 1) * _overlapping(size), least), tall(size), count)
    lines = -(-count // tiles_per_row(size, width))
    columns = -(-count // lines)  # rows of the same length look calmer than full ones and a rest
    return Block(
        pile,
        max(columns * (size + _between(size)) - _between(size), least),
        lines * (tall(size) + _between(size)) - _between(size),
        columns,
    )


def height_of(rows: Sequence[Sequence[Block]], label: float, gap: float) -> float:
    """Return how high rows of piles are.

    Args:
        rows: Blocks side by side, row by row.
        label: Height of a label above a pile, in pixels.
        gap: Between rows, in pixels.
    """
    return sum(max(block.h for block in row) + label for row in rows) + gap * max(len(rows) - 1, 0)


def gap_of(size: float) -> float:
    """Return the space between piles."""
    return max(0.5 * size, 12)


def tiles_per_row(size: int, width: float) -> int:
    """Return how many tiles fit next to each other, at least one."""
    return max(int((width + _between(size)) / (size + _between(size))), 1)


def _overlapping(size: int) -> int:
    """Return how much of a tile is seen in a fan."""
    return round(0.4 * size)


def _between(size: int) -> int:
    return max(round(0.14 * size), 1)


def tall(size: int) -> int:
    """Return the length of a tile."""
    return round(LENGTH * size)


def _lay_row(block: Block, x: float, y: float, size: int) -> list[Piece]:
    pile, step, pieces = block.pile, _between(size), []
    tiles = (*pile.tiles, *[None] * pile.hidden)
    # Marked tiles come last, so that no neighbour covers their rim.
    for index in sorted(range(max(pile.capacity, len(tiles))), key=lambda index: index in pile.marked):
        row, column = divmod(index, block.columns)
        corner = x + column * (size + step), y + row * (tall(size) + step)
        if index < len(tiles):
            pieces += tile_at(tiles[index], *corner, size, marked=index in pile.marked)
        else:
            pieces.append(slot_at(*corner, size))
    return pieces


def _lay_fan(block: Block, x: float, y: float, size: int) -> list[Piece]:
    step = _overlapping(size)
    if not block.pile.hidden:
        return [slot_at(x, y, size)]
    return [piece for index in range(block.pile.hidden) for piece in tile_at(None, x + index * step, y, size)]


def _lay_stack(block: Block, x: float, y: float, size: int) -> list[Piece]:
    hidden = block.pile.hidden
    pieces: list[Piece] = []
    for index in range(min(hidden, 3)):
        pieces += tile_at(None, x + index * size / 7, y + (2 - index) * size / 14, size)
    if not hidden:
        pieces.append(slot_at(x, y, size))
    return [*pieces, text_at(x + COUNT * size, y + tall(size) / 2, f"x {hidden}", _letters(size), "ink")]


def _letters(size: int) -> float:
    """Return the size of the letters next to a stack."""
    return max(0.5 * size, 11)


# --- the connected line ---------------------------------------------------------------------------


def _lay_line(block: Block, x: float, y: float, size: int) -> list[Piece]:
    """Lay the line as a snake: rows right and left in turn, doubles crosswise, a thread at each turn."""
    pile, pitch, pieces = block.pile, _pitch(size), []
    slots = _snake(pile, size, block.w)
    first, last = _row_range(slots)
    top = y - first * pitch
    if pile.lead is not None:
        top += (block.h - (last - first + 1) * pitch) / 2
    middles = [(x + start + along / 2, top + (row + 0.5) * pitch) for row, start, along in slots]
    for index in range(len(slots) - 1):
        row, (here_x, here_y), (there_x, there_y) = slots[index][0], middles[index], middles[index + 1]
        if here_y != there_y:
            edge = x + (block.w - size / 8 if row % 2 == 0 else size / 8)
            pieces.append(_thread([(here_x, here_y), (edge, here_y), (edge, there_y), (there_x, there_y)], size / 12))
    before = 1 if pile.open_left else 0
    # Marked tiles come last, so that no neighbour covers their rim.
    for index in sorted(range(len(slots)), key=lambda index: index - before in pile.marked):
        (row, start, _), (_, middle), position = slots[index], middles[index], index - before
        if 0 <= position < len(pile.tiles):
            tile = pile.tiles[position]
            double = tile[0] == tile[1]
            turned = UPRIGHT if double else LYING_LEFT if row % 2 == 0 else LYING_RIGHT
            corner = x + start, middle - (tall(size) if double else size) / 2
            pieces += tile_at(tile, *corner, size, turned, position in pile.marked)
        else:
            number = pile.open_left if position < 0 else pile.open_right
            pieces += badge_at(number, x + start, middle - size / 2, size)
    return pieces


def _thread(points: Sequence[tuple[float, float]], thick: float) -> Piece:
    """Return a line through some points."""
    (x, y), margin = points[0], thick + 1
    along = [(px - x, py - y) for px, py in points]
    low = [min(values) for values in zip(*along, strict=True)]
    high = [max(values) for values in zip(*along, strict=True)]
    box = Box(low[0] - margin, low[1] - margin, high[0] - low[0] + 2 * margin, high[1] - low[1] + 2 * margin)
    path = " ".join(f"{short(px)} {short(py)}" for px, py in along)
    more = f' class="g-line-quiet" stroke-width="{short(max(thick, 1))}" stroke-linejoin="round" points="{path}"'
    return Piece(x, y, box, "polyline", more)


def _snake(pile: Pile, size: int, width: float) -> list[tuple[int, float, int]]:
    """Return row, left edge and length of all that is on the line, open numbers included, in its order.

    Even rows run to the right and odd rows to the left. The lead, if known, is in the middle of row 0; the
    right arm continues from it to rows below and the left arm to rows above, so no tile moves along the line
    when either grows.
    """
    margin, joint = size / 3, max(size // 16, 1)
    lengths = [size if first == second else tall(size) for first, second in pile.tiles]
    lengths = [size] * (pile.open_left > 0) + lengths + [size] * (pile.open_right > 0)
    slots: list[tuple[int, float, int]] = [(0, 0.0, 0)] * len(lengths)
    start, end = margin, width - margin
    lead = 0 if pile.lead is None else pile.lead + (pile.open_left > 0)
    origin = start if pile.lead is None else (width - lengths[lead]) / 2

    row, along = 0, origin  # `along` runs from `start` to `end` in the direction of the row
    for index in range(lead, len(lengths)):
        if along + lengths[index] > end:
            row, along = row + 1, start
        slots[index] = row, along, lengths[index]
        along += lengths[index] + joint
    row, along = 0, origin - joint
    for index in reversed(range(lead)):
        if along - lengths[index] < start:
            row, along = row - 1, end
        along -= lengths[index]
        slots[index] = row, along, lengths[index]
        along -= joint
    return [(row, along if row % 2 == 0 else width - along - length, length) for row, along, length in slots]


def _row_range(slots: list[tuple[int, float, int]]) -> tuple[int, int]:
    rows = [row for row, _, _ in slots]
    return min(rows, default=0), max(rows, default=0)


def _expected_rows(pile: Pile, size: int, width: float) -> int:
    """Return how many rows a full line is likely to need: three in eight tiles of a set are doubles."""
    long = pile.capacity * size * (3 + 5 * LENGTH) / 8
    return ceil(long / max(width - size - tall(size), size)) + (pile.lead is not None)


def _pitch(size: int) -> int:
    return tall(size) + 2 * _between(size)
