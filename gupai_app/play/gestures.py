"""The drawing of a table with buttons over it: on the tiles that may be played, and on the places where they may go."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from markupsafe import Markup

from gupai_agents.evaluation.pages.chart import joined_lines
from gupai_app.play.moves import Entry, digits
from gupai_app.review.page import LAYOUTS, Parts
from gupai_app.server.html import filled
from gupai_app.words.sentences import translated
from gupai_env.core.move import Move
from gupai_env.core.scene import Pile, Scene
from gupai_env.core.tiles import kind_of, tile_name
from gupai_env.messages import say, word
from gupai_env.render.pieces import LENGTH, LYING_LEFT, LYING_RIGHT, SLOT, Box, Piece
from gupai_env.render.svg import Layout, TablePicture, central_piles, draw_centre, draw_table, lay_out, near_piles

FINGER = 34  # the least width of a place for a finger, in units of a drawing
_WIDTH = 100  # of a tile in its own units

ByTile = Mapping[int, list[tuple[int, Entry]]]
"""The moves that are made with a tile, by its kind, with their numbers."""


class Laid(NamedTuple):
    """What a tile that is laid looks like: the table then, and what it leaves open in words."""

    scene: Scene
    words: str


class Drawing(NamedTuple):
    """Frames as SVG. stages: what the page shows. definitions: what they are made of."""

    stages: Markup
    definitions: Markup


class Spot(NamedTuple):
    """A place on the table where tiles may go. ghost: the tile as it will lie there, if it is drawn."""

    name: str
    box: Box
    words: str
    ghost: Piece | None = None


def drawn(
    scenes: Sequence[Scene],
    by_tile: ByTile | None = None,
    laid: Mapping[int, Laid] = MappingProxyType({}),
    thrown: Mapping[int, int] = MappingProxyType({}),
    marked: Sequence[int] = (),
    *,
    splits: bool = False,
    asks: bool = False,
) -> Drawing:
    """Return tables drawn, wide and narrow; the last one has buttons on the tiles of the hand.

    Args:
        by_tile: The moves of the person, None where it is not their turn.
        laid: The tables after the actions that lay a tile at the end of a line.
        thrown: The actions that discard tiles, by tile.
        marked: Kinds of the hand to think about.
        splits: Whether the person splits the hand.
        asks: Whether no click on a tile plays it at once, for it could not be taken back.
    """
    parts, stages, named = Parts(), [], word("The table")
    scenes = [translated(scene) for scene in scenes]
    for name, narrow in LAYOUTS.items():
        layout = lay_out(scenes, narrow=narrow)
        for number, scene in enumerate(scenes):
            table, last = draw_table(scene, layout), number == len(scenes) - 1
            hot = Markup()
            if last and by_tile is not None:
                spots = list(_spots(scene, table, layout, by_tile, laid))
                more = {"thrown": thrown, "marked": marked, "splits": splits, "asks": asks, "parts": parts}
                hot = _buttons(scene, table, by_tile, spots, **more)
            uses = parts.uses([parts.add(part) for part in table.parts])
            stages.append(
                f'<svg class="stage {name}{"" if last else " past"}" data-frame="{number}" '
                f'viewBox="0 0 {layout.width:g} {layout.height:g}" role="group" aria-label="{named}">{uses}{hot}'
                "</svg>"
            )
    return Drawing(Markup("".join(stages)), parts.definitions)


def at_once(entries: Sequence[tuple[int, Entry]], *, asks: bool) -> bool:
    """True if a click on a tile plays it: there is one thing to do with it, and that does not throw it away."""
    (_, (move, actions)), *more = entries
    return not asks and not more and len(actions) == len(move.named) == 1 and not move.discards


# --- the tiles of the hand ------------------------------------------------------------------------


def _buttons(scene: Scene, table: TablePicture, by_tile: ByTile, spots: Sequence[Spot], **more: Any) -> Markup:
    """Return buttons over the tiles of the hand and, hidden, over the places where they may go; more: as of `drawn`."""
    hand, playable = _own(scene, table, by_tile)
    # Tiles that can only be discarded have no rim next to some that can be played.
    lays = any(not move.discards for entries in by_tile.values() for _, (move, _) in entries)
    more |= {"kind_of": _kind, "covered": _covered, "at_once": at_once, "spot_of": _spot_of, "word": word}
    more |= {"hand": hand, "playable": playable, "lays": lays, "places": {spot.name for spot in spots}}
    more |= {"digits": digits, "tile_name": tile_name}
    return joined_lines(filled("buttons.svg", by_tile=by_tile, spots=spots, **more))


def _own(scene: Scene, table: TablePicture, by_tile: ByTile) -> tuple[list[Piece], list[Piece]]:
    """Return the tiles of the hand with one that lies apart in the centre to be taken, and which of them may be played.

    Where every move is made with the tile in the centre, such as the top one of a stock, no tile of the hand is.
    """
    if not scene.places or not scene.places[0].piles:
        return [], []
    hand = _face_up(table.tiles[0])[: len(scene.places[0].piles[0].tiles)]
    before = 0
    for pile in scene.centre:
        if len(pile.tiles) == len(pile.marked) == 1 and not pile.capacity:
            apart = _face_up(table.centre)[before]
            own = [*hand, apart]
            return own, [apart] if set(by_tile) == {_kind(apart)} else own
        before += len(pile.tiles)
    return hand, hand


def _face_up(pieces: Sequence[Piece]) -> list[Piece]:
    return [piece for piece in pieces if piece.face]


def _kind(piece: Piece) -> int:
    """Return the kind of a tile that lies face up."""
    return kind_of(*map(int, piece.face[1:]))


def _spot_of(move: Move, action: int) -> str:
    """Return the name of the place where an action puts its tile."""
    return f"fish-{digits(move.takes[:1])}" if move.takes else move.to or f"line-{action}"


# --- the places -----------------------------------------------------------------------------------


def _spots(
    scene: Scene, table: TablePicture, layout: Layout, by_tile: ByTile, laid: Mapping[int, Laid]
) -> Iterator[Spot]:
    """Yield the places where the tiles of the near hand may go."""
    moves = [move for entries in by_tile.values() for _, (move, _) in entries]
    caught = {kind for move in moves for kind in move.takes}
    for piece in _face_up(table.centre):
        if (kind := _kind(piece)) in caught:
            yield Spot(f"fish-{digits([kind])}", _covered(piece, 5), say("catch {tiles}", tiles=tile_name(kind)))
    for entries in by_tile.values():
        yield from _ends([action for _, entry in entries for action in entry.actions if action in laid], layout, laid)
    for begin, verb in {move.to: move.verb for move in moves if move.to}.items():
        for piles, pieces in (
            (central_piles(scene, layout), table.centre),
            (near_piles(scene, layout), table.tiles[0]),
        ):
            if slot := _free_slot(piles, pieces, begin):
                yield Spot(begin, _covered(slot, 5), f"{verb} it")


def _ends(actions: Sequence[int], layout: Layout, laid: Mapping[int, Laid]) -> Iterator[Spot]:
    """Yield where a tile lies after each action that lays it; two at one place are drawn one below the other."""
    taken: set[tuple[float, float]] = set()
    for action in actions:
        pieces = draw_centre(laid[action].scene, layout)
        mark = next((index for index, piece in enumerate(pieces) if '"#g-mark' in piece.attributes), None)
        if mark is None:
            continue
        ghost = pieces[mark + 1]
        while (ghost.x, ghost.y) in taken:
            ghost = ghost._replace(y=ghost.y + 1.4 * max(_WIDTH * ghost.scale, FINGER))
        taken.add((ghost.x, ghost.y))
        yield Spot(f"line-{action}", _covered(ghost, 5, FINGER), laid[action].words, ghost)


def _free_slot(piles: Sequence[Pile], pieces: Sequence[Piece], begin: str) -> Piece | None:
    """Return the first free slot of the pile whose label begins so, None if there is none."""
    slots = [piece for piece in pieces if SLOT in piece.attributes]
    for pile in piles:
        free = 0 if pile.form != "row" else max(pile.capacity - len(pile.tiles) - pile.hidden, 0)
        if pile.label.startswith(begin):
            return slots[0] if free else None
        slots = slots[free:]
    return None


def _covered(piece: Piece, rim: float, least: float = 0) -> Box:
    """Return where a tile lies, with a rim of some units, and no narrower than a finger needs."""
    short, long = _WIDTH * piece.scale, _WIDTH * LENGTH * piece.scale
    w, h = (long, short) if piece.face.startswith((LYING_LEFT, LYING_RIGHT)) else (short, long)
    across, along = (max(rim, (least - side) / 2) for side in (w, h))
    return Box(piece.x - across, piece.y - along, w + 2 * across, h + 2 * along)


def groups_of(move: Move) -> str:
    """Return the tiles of a move, group by group: "22 6432 665542"."""
    return " ".join(map(digits, move.groups or (move.tiles,)))
