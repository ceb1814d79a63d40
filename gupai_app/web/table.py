"""A table as a page shows it: what the person may see, frame by frame since their last move, and their moves."""

import functools
import re
import threading
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from gupai_app.languages import translate, translated
from gupai_app.moves import Move, TileValue, headed, moves_of, scores
from gupai_app.page import LAYOUTS, Parts
from gupai_app.session import Session
from gupai_app.web.address import PERSON, Address, check_legal
from gupai_app.web.players import adviser
from gupai_app.words import names_at, payment, result, signed_chips, winners
from gupai_env.core.deal import fields_of
from gupai_env.core.guide import guide_of
from gupai_env.core.hints import PLAY, TILE, tiles_named
from gupai_env.core.scene import Scene
from gupai_env.render.pieces import LENGTH, Piece
from gupai_env.render.svg import Table, draw_table, lay_out

DISCARD = "discard"  # the verb of what throws a tile away
CATCHES = " catches "  # between a bait and its fish
FACE_UP = re.compile(r'href="#g-[ulr](\d)(\d)"')
_WIDTH = 100  # of a tile in its own units


class End(NamedTuple):
    """How a deal ended, in sentences.

    winner: who won most. reasons: why, in the game's terms. yours, others: who pays whom, the reader's payments first.
    paid: chips by seat, each with the name of who won them.
    """

    winner: str
    reasons: list[str]
    yours: list[str]
    others: list[str]
    paid: list[tuple[str, str]]


class Frame(NamedTuple):
    """What the person sees after a move. end: how a deal ended, where it ended one, whose count is then shown."""

    scene: Scene
    words: str
    end: End | None = None


class Choice(NamedTuple):
    """A button: an action in words."""

    action: int
    words: str


class Line(NamedTuple):
    """A line of the list of moves.

    question: distinguishes its choices, "" if there is one. groups: its tiles by group, such as "64 3322", of a split.
    fish: the tile that it catches, such as "64". value: chips with their interval if asked for. best: whether no move
    has a higher value.
    """

    number: int
    words: str
    question: str
    choices: list[Choice]
    groups: str = ""
    fish: str = ""
    value: str = ""
    best: bool = False


class Played(NamedTuple):
    """A game at its beginning, now, and before the last move of each person; lessons: those that each has had."""

    begun: Session
    session: Session
    marks: dict[int, Session]
    lessons: dict[int, frozenset[str]]


class _Recent:
    """Games at the addresses that were shown last, so that a move continues from the one before."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._found: dict[Address, Played] = {}

    def get(self, address: Address) -> Played | None:
        """Return a game that may be continued, None if it is not cached."""
        with self._lock:
            if (found := self._found.pop(address, None)) is None:
                return None
            self._found[address] = found  # the latest are last
        return Played(found.begun, found.session.copy(), dict(found.marks), dict(found.lessons))

    def put(self, address: Address, played: Played) -> None:
        """Cache a game, which must not be played on from now."""
        with self._lock:
            self._found[address] = played
            while len(self._found) > self._most:
                del self._found[next(iter(self._found))]

    def clear(self) -> None:
        """Forget all games."""
        with self._lock:
            self._found.clear()


_PLAYED = _Recent(512)


class WebGame:
    """A game as the person whose turn it is sees it now.

    address: the table after the agents' moves. seat: of the person at the screen, who made the last move where the game
    is over. covered: whether that is another person than before, who has not confirmed yet that they are at the screen.
    undo: the table before that person's last move, None where it cannot be taken back.
    """

    def __init__(self, address: Address, action: int | None = None, at: int | None = None) -> None:
        """Play the moves of an address, then the person's action and those of the agents that follow.

        Args: at: the seat of who says that they are at the screen.
        Raises: ValueError, in one line, for moves that are not legal and agents that fail.
        """
        self._people, self._agents = address.people, address.agents()
        self.hints = address.game.hints(address.game, address.variant)
        self.guide = guide_of(address.game, address.variant)
        self._practice = address.practice
        self._begun, self.session, self._marks, self._taught = _PLAYED.get(address) or self._begin(address)
        if action is not None:
            if self.session.terminated or self.session.seat not in self._people:
                raise ValueError("it is not your turn; go back to the table")
            self._play(action)
        while not self.session.terminated and self.session.seat not in self._people:
            agent = self._agents[self.session.seat]
            assert agent is not None
            self._play(self.session.answer(agent))
        self.address, self.terminated = address.after(self.session.actions), self.session.terminated
        _PLAYED.put(self.address, Played(self._begun, self.session, self._marks, self._taught))
        last = max(self._marks, key=lambda seat: len(self._marks[seat].actions), default=None)
        self.seat = self.session.seat if not self.terminated else address.seat if last is None else last
        self.covered = len(self._people) > 1 and self.seat not in (last, at)
        self.undo = None
        if self.seat in self._marks and address.practice:
            self.undo = address.after(self._marks[self.seat].actions)
        self.names = names_at(address.variant.players, address.seat, None if self.covered else self.seat)
        self.total = [float(each) for each in self.session.state.total[: address.variant.players]]

    def _begin(self, address: Address) -> Played:
        """Play the moves of an address from the beginning."""
        self.session, self._marks, self._taught = address.session(), {}, {}
        begun = self.session.copy()
        for move in address.moves:
            self._play(move)
        return Played(begun, self.session, self._marks, self._taught)

    @functools.cached_property
    def _view(self) -> np.record:
        """What the person knows now."""
        return self.session.view(self.seat)

    @functools.cached_property
    def moves(self) -> list[Move]:
        """What the person can do; a page that only leads to the next one does not ask."""
        return [] if self.terminated else moves_of(self.hints, self._view, self.session.mask())

    def _play(self, action: int) -> None:
        session = self.session
        if session.terminated:
            raise ValueError(f"move {len(session.actions) + 1} comes after the end of the game")
        check_legal(session, action, len(session.actions) + 1)
        if session.seat in self._people:
            self._marks[session.seat] = session.copy()
            if self._practice:
                self._taught[session.seat] = self._taught.get(session.seat, frozenset()).union(self._lessons())
        session.play(action)

    def _lessons(self) -> list[str]:
        """Return the rules that matter to the seat to act now."""
        return list(self.guide.lessons(self.session.view(self.session.seat), self.session.mask()))

    @functools.cached_property
    def lessons(self) -> list[str]:
        """The rules that matter now for the first time; none in a serious game."""
        if self.terminated or not self._practice:
            return []
        known = self._taught.get(self.seat, ())
        return [each for each in self._lessons() if each not in known]

    @functools.cached_property
    def task(self) -> str:
        """What the person is to do now."""
        return self.guide.task(self._view, self.session.mask())

    @functools.cached_property
    def frames(self) -> list[Frame]:
        """What the person saw since their last move, the last one the table now."""
        mark = self._marks.get(self.seat, self._begun)
        return list(self._watched(mark.copy(), self.session.actions[len(mark.actions) :]))

    def _watched(self, session: Session, moves: Sequence[int]) -> Iterator[Frame]:
        """Play moves; yield what the person sees after each that shows them something."""
        shown = None
        if not session.actions:
            yield (shown := self._frame(session))
        for action in moves:
            paid = session.play(action)
            if paid is not None:
                scene = session.shown(paid).scene(self.names, first=self.seat)
                yield Frame(scene, f"{scene.last_move}. {result(paid[self.seat])}", self._end(session, paid))
                if session.terminated:
                    return
            frame = self._frame(session)
            if paid is not None or frame != shown:  # something happened that the person may know of
                yield (shown := frame)

    def _end(self, session: Session, paid: Sequence[float]) -> End:
        """Return how the deal that has just ended came out."""
        views = session.shown(paid).views()
        found = [(each, payment(each, self.names)) for each in self.guide.payments(views, paid)]
        yours = [said for each, said in found if self.seat in (each.payer, each.winner)]
        return End(
            winners(self.names, paid),
            list(self.guide.reasons(views, self.names, paid)),
            yours,
            [said for _, said in found if said not in yours],
            [(name, signed_chips(won)) for name, won in zip(self.names, paid, strict=True)],
        )

    def _frame(self, session: Session) -> Frame:
        view = fields_of(session.view(self.seat))
        scene = self.address.game.scene(self.address.variant, [view], self.names)
        return Frame(scene, scene.last_move)

    def lines(self, *, advice: bool = False) -> tuple[dict[str, list[Line]], str]:
        """Return the moves under their headings, and a sentence on their values if asked for."""
        if not self.moves:
            return {}, ""
        found: list[TileValue] = []
        how_found = ""
        if advice:
            search = adviser(self.address.game, self.address.variant)
            found, how_found = scores(search, self.session.decision_batch(), self.moves)
        most = max((each.mean for each in found), default=0.0)
        listed = {
            heading: [self._line(at, move, found[at - 1] if found else None, most) for at, move in numbered]
            for heading, numbered in headed(self.hints, self.moves).items()
        }
        return listed, how_found

    def _line(
        self, number: int, move: Move, value: TileValue | None = None, most: float = 0.0, *, headed_by: bool = True
    ) -> Line:
        """Return a move as it is shown, under its heading or alone; with a question where its tiles can be turned."""
        view = self._view
        label = self.hints.label(view, move.actions) if headed_by or move.verb == PLAY else move.name
        question, choices = "", [Choice(move.actions[0], label)]
        if len(move.actions) > 1:
            question, answers = self.hints.choice(view, move.actions)
            choices = [Choice(action, answer) for answer, action in answers.items()]
        said = f"{value.mean:+z.1f} ±{value.half:.1f}" if value else ""
        best = value is not None and value.mean == most
        return Line(number, label, question, choices, _groups(move.name), fish_of(move.name), said, best)

    def menus(self) -> dict[str, list[Line]]:
        """Return what can be done with a tile where that is more than one thing, by the tile's name such as "64"."""
        return {
            f"{high}{low}": [self._line(number, move, headed_by=False) for number, move in moves]
            for (high, low), moves in self.by_tile().items()
            if not _at_once(moves)
        }

    def seats(self) -> list[tuple[str, str, str]]:
        """Return who sits at each seat, "" for a person, and what they have won so far: names and chips."""
        who = ["" if each == PERSON else each for each in self.address.seating]
        return [(name, each, signed_chips(won)) for name, each, won in zip(self.names, who, self.total, strict=True)]

    def by_tile(self) -> dict[tuple[int, int], list[tuple[int, Move]]]:
        """Return the moves that begin with a tile, with their numbers: of a catch those of its bait alone."""
        found: dict[tuple[int, int], list[tuple[int, Move]]] = {}
        for number, move in enumerate(self.moves, 1):
            if "/" not in move.name:  # a split is made of all tiles
                bait = tiles_named(move.name.partition(CATCHES)[0])
                for tile in dict.fromkeys(bait):
                    found.setdefault(tile, []).append((number, move))
        return found

    def drawing(self) -> "Drawing":
        """Return the frames drawn, wide and narrow, with the tiles that may be played."""
        return drawn(self.frames, self.by_tile())


def _at_once(moves: Sequence[tuple[int, Move]]) -> bool:
    """True if a click on a tile plays it: there is one thing to do with it, and that does not throw it away."""
    (_, move), *more = moves
    return not more and len(move.actions) == len(move.tiles) == 1 and move.verb != DISCARD


class Drawing(NamedTuple):
    """Frames as SVG. stages: what the page shows. definitions: what they are made of."""

    stages: Markup
    definitions: Markup


def drawn(frames: Sequence[Frame], by_tile: dict[tuple[int, int], list[tuple[int, Move]]]) -> Drawing:
    """Return frames drawn, wide and narrow; the last one has buttons on the tiles that may be played."""
    parts, stages, named = Parts(), [], translate("The table")
    scenes = [translated(frame.scene) for frame in frames]
    for name, narrow in LAYOUTS.items():
        layout = lay_out(scenes, narrow=narrow)
        for at, scene in enumerate(scenes):
            table, last = draw_table(scene, layout), at == len(scenes) - 1
            hot = "".join([*_targets(scene, table, by_tile), *_fish(table, by_tile)]) if last else ""
            uses = parts.uses([parts.add(part) for part in table.parts])
            stages.append(
                f'<svg class="stage {name}{"" if last else " past"}" data-frame="{at}" '
                f'viewBox="0 0 {layout.width:g} {layout.height:g}" role="group" aria-label="{named}">{uses}'
                f"{hot}</svg>"
            )
    return Drawing(Markup("".join(stages)), parts.definitions)


def _targets(scene: Scene, table: Table, by_tile: dict[tuple[int, int], list[tuple[int, Move]]]) -> Iterator[str]:
    """Yield buttons over the tiles of the near hand that can be played: at once, or by a list of what can be done."""
    if not scene.places or not scene.places[0].piles:
        return
    hand = len(scene.places[0].piles[0].tiles)
    # Tiles that can only be discarded have no rim next to some that can be played.
    lays = any(move.verb != DISCARD for moves in by_tile.values() for _, move in moves)
    pieces = [(piece, found) for piece in table.tiles[0] if (found := FACE_UP.search(piece.attributes))]
    for piece, found in pieces[:hand]:
        high, low = sorted(map(int, found.groups()), reverse=True)
        moves = by_tile.get((high, low), [])
        if not moves:
            continue
        x, y, w, h = _covered(piece)
        numbers = " ".join(str(number) for number, _ in moves)
        if _at_once(moves):
            does = f'name="play" value="{moves[0][1].actions[0]}"'
        else:
            does = f'type="button" popovertarget="tile-{high}{low}"'
        words = escape(translate(" or ").join(translate(move.name) for _, move in moves))
        look = "tile" if not lays or any(move.verb != DISCARD for _, move in moves) else "tile spare"
        yield (
            f'<foreignObject x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}">'
            f'<button class="{look}" form="moves" tabindex="-1" data-numbers="{numbers}" {does} '
            f'aria-label="{words}" title="{words}"></button></foreignObject>'
        )


def _fish(table: Table, by_tile: dict[tuple[int, int], list[tuple[int, Move]]]) -> Iterator[str]:
    """Yield hidden buttons over the tiles that can be caught; a script shows those of the bait that is chosen."""
    caught = {fish_of(move.name) for moves in by_tile.values() for _, move in moves} - {""}
    for piece in table.centre:
        if not (found := FACE_UP.search(piece.attributes)):
            continue
        high, low = sorted(map(int, found.groups()), reverse=True)
        if f"{high}{low}" in caught:
            x, y, w, h = _covered(piece)
            words = translate(f"catch [{high}:{low}]")
            yield (
                f'<foreignObject x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}"><button class="fish" hidden '
                f'form="moves" name="play" data-fish="{high}{low}" aria-label="{words}"></button></foreignObject>'
            )


def _covered(piece: Piece) -> tuple[float, float, float, float]:
    """Return where an upright tile lies, with a rim."""
    rim = 5 * piece.scale
    w, h = _WIDTH * piece.scale, _WIDTH * LENGTH * piece.scale
    return piece.x - rim, piece.y - rim, w + 2 * rim, h + 2 * rim


def fish_of(name: str) -> str:
    """Return the tile that an action catches, "64", or "" if it catches none."""
    caught = tiles_named(name.partition(CATCHES)[2])
    return "{}{}".format(*caught[0]) if caught else ""


def _groups(name: str) -> str:
    """Return the tiles of an action's name by group, "22 6432 665542", or "" if they are not in groups."""
    if "/" not in name:
        return ""
    return " ".join("".join(f"{a}{b}" for a, b in TILE.findall(group)) for group in name.split("/"))
