"""A table as a page shows it: what the person may see, frame by frame since their last move, and their moves."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

from gupai_agents.agent import ask
from gupai_agents.search import SearchAgent
from gupai_app.moves import ADVISER, Move, Worth, headed, moves_of, result, worths
from gupai_app.page import LAYOUTS, Parts
from gupai_app.session import table_of
from gupai_app.web.address import Address, agent_called, check_legal, play_on
from gupai_env.core.hints import PLAY, TILE
from gupai_env.core.phrases import chips, seat_names
from gupai_env.core.scene import Scene
from gupai_env.render.pieces import LENGTH, Piece
from gupai_env.render.svg import Table, draw_table, lay_out

FACE_UP = re.compile(r'href="#g-[ulr](\d)(\d)"')
_WIDTH = 100  # of a tile in its own measures


class Frame(NamedTuple):
    """What the person sees after a move. paid: chips by seat where it ended a deal, whose count is then shown."""

    scene: Scene
    words: str
    paid: list[float] | None = None


class Choice(NamedTuple):
    """A button: an action in words."""

    action: int
    words: str


class Line(NamedTuple):
    """A line of the list of moves.

    question: tells its choices apart, "" if there is one. groups: its tiles by group, such as "64 3322", of a
    split. worth: chips with their interval if that was asked. best: whether nothing is worth more.
    """

    number: int
    words: str
    question: str
    choices: list[Choice]
    groups: str = ""
    worth: str = ""
    best: bool = False


def answered(address: Address, action: int | None = None) -> Address:
    """Return the table after the person's action and those of the agents that follow.

    Raises: ValueError, in one line, for moves that are not legal and agents that fail.
    """
    session, agents = address.session(), address.agents()
    play_on(session, address.moves)
    if action is not None:
        if session.over or session.seat != address.seat:
            raise ValueError("it is not your turn; go back to the table")
        check_legal(session, action, len(session.actions) + 1)
        session.play(action)
    while not session.over and (agent := agents[session.seat]) is not None:
        try:
            chosen = int(ask(agent, session.game, session.variant, session.turns())[0])
        except Exception as error:  # of whatever kind: a table must say who failed
            said = " ".join(str(error).split())
            raise ValueError(f"{agent.name} failed at seat {session.seat}: {said}") from error
        session.play(chosen)
    return address.after(session.actions)


class Sitting:
    """A game as the person at it sees it now.

    frames: what they saw since their last move, the last one the table now. lines: their moves under their headings.
    """

    def __init__(self, address: Address) -> None:
        """Raises: ValueError, in one line, for moves that are not legal."""
        self.address, self.session = address, address.session()
        self.names = seat_names(address.variant.players, address.seat)
        self.hints = address.game.hints(address.game, address.variant)
        movers = _movers(address)
        own = [at for at, seat in enumerate(movers) if seat == address.seat]
        self.undo = address.after(address.moves[: own[-1]]) if own and address.practice else None
        play_on(self.session, address.moves[: own[-1]] if own else ())
        self.frames = list(self._watched(own[-1] if own else 0))
        self.over = self.session.over
        self.total = [float(each) for each in self.session.state.total[: address.variant.players]]
        self.moves: list[Move] = []
        if not self.over and self.session.seat == address.seat:
            self.moves = moves_of(self.hints, self.session.view(address.seat), self.session.mask())

    def _watched(self, first: int) -> Iterator[Frame]:
        """Play the moves from number `first` on; yield what the person sees after each that shows them something."""
        shown = None
        if first == 0:
            yield (shown := self._frame())
        for action in self.address.moves[first:]:
            paid = self.session.play(action)
            if paid is not None:
                scene = table_of(self.session, self.names, paid, first=self.address.seat)
                yield Frame(scene, f"{scene.last_move}. {result(paid[self.address.seat])}", paid)
                if self.session.over:
                    return
            frame = self._frame()
            if paid is not None or frame != shown:  # something happened that the person may know of
                yield (shown := frame)

    def _frame(self) -> Frame:
        view = self.session.view(self.address.seat)
        scene = self.address.game.scene(self.address.variant, [view], self.names)
        return Frame(scene, scene.last_move)

    def lines(self, *, advice: bool = False) -> tuple[dict[str, list[Line]], str]:
        """Return the moves under their headings, and a sentence on what they are worth if that is asked."""
        if not self.moves:
            return {}, ""
        found: list[Worth] = []
        told = ""
        if advice:
            adviser = agent_called(ADVISER, self.address.game, self.address.variant)
            assert isinstance(adviser, SearchAgent)
            found, told = worths(adviser, self.session.turns(), self.moves)
        most = max((each.mean for each in found), default=0.0)
        listed = {
            heading: [self._line(at, move, found[at - 1] if found else None, most) for at, move in numbered]
            for heading, numbered in headed(self.hints, self.moves).items()
        }
        return listed, told

    def _line(
        self,
        number: int,
        move: Move,
        worth: Worth | None = None,
        most: float = 0.0,
        *,
        headed_by: bool = True,
    ) -> Line:
        """Return a move as it is shown, under its heading or alone; with a question where its tiles can be turned."""
        view = self.session.view(self.address.seat)
        label = self.hints.label(view, move.actions) if headed_by or move.verb == PLAY else move.name
        question, choices = "", [Choice(move.actions[0], label)]
        if len(move.actions) > 1:
            question, answers = self.hints.choice(view, move.actions)
            choices = [Choice(action, answer) for answer, action in answers.items()]
        told = f"{worth.mean:+.1f} ±{worth.half:.1f}" if worth else ""
        best = worth is not None and worth.mean == most
        return Line(number, label, question, choices, _groups(move.name), told, best)

    def menus(self) -> dict[str, list[Line]]:
        """Return what can be done with a tile where that is more than one thing, by the tile's name such as "64"."""
        return {
            f"{high}{low}": [self._line(number, move, headed_by=False) for number, move in moves]
            for (high, low), moves in self.by_tile().items()
            if not _at_once(moves)
        }

    def by_tile(self) -> dict[tuple[int, int], list[tuple[int, Move]]]:
        """Return the moves of one tile, with their numbers."""
        found: dict[tuple[int, int], list[tuple[int, Move]]] = {}
        for number, move in enumerate(self.moves, 1):
            if len(move.tiles) == 1:
                found.setdefault(move.tiles[0], []).append((number, move))
        return found

    def drawing(self) -> "Drawing":
        """Return the frames drawn, wide and narrow, with the tiles that may be played."""
        return Drawing(self.frames, self.by_tile())


def _at_once(moves: Sequence[tuple[int, Move]]) -> bool:
    """True if there is one thing to do with a tile."""
    return len(moves) == 1 and len(moves[0][1].actions) == 1


class Drawing:
    """Frames as SVG. stages: what the page shows. definitions: what they are made of."""

    def __init__(
        self, frames: Sequence[Frame], by_tile: dict[tuple[int, int], list[tuple[int, Move]]]
    ) -> None:
        parts, self.stages = Parts(), ""
        scenes = [frame.scene for frame in frames]
        drawn: list[tuple[str, int, int, str, str]] = []
        for name, narrow in LAYOUTS.items():
            layout = lay_out(scenes, narrow=narrow)
            for at, scene in enumerate(scenes):
                table, last = draw_table(scene, layout), at == len(scenes) - 1
                hot = "".join(_targets(scene, table, by_tile)) if last else ""
                box = f"0 0 {layout.width:g} {layout.height:g}"
                drawn.append((name, at, parts.add(table.pieces), box, hot))
        for name, at, part, box, hot in drawn:
            state = "" if at == len(scenes) - 1 else " past"
            self.stages += (
                f'<svg class="stage {name}{state}" data-frame="{at}" viewBox="{box}" role="group" '
                f'aria-label="The table">{parts.uses([part])}{hot}</svg>'
            )
        self.definitions = parts.definitions


def _targets(
    scene: Scene, table: Table, by_tile: dict[tuple[int, int], list[tuple[int, Move]]]
) -> Iterator[str]:
    """Yield buttons over the tiles of the near hand that can be played: at once, or by a list of what can be done."""
    if not scene.places or not scene.places[0].piles:
        return
    hand = len(scene.places[0].piles[0].tiles)
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
        words = escape(" or ".join(move.name for _, move in moves))
        yield (
            f'<foreignObject x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}">'
            f'<button class="tile" form="moves" tabindex="-1" data-numbers="{numbers}" {does} '
            f'aria-label="{words}" title="{words}"></button></foreignObject>'
        )


def _covered(piece: Piece) -> tuple[float, float, float, float]:
    """Return where an upright tile lies, with a rim."""
    rim = 5 * piece.scale
    w, h = _WIDTH * piece.scale, _WIDTH * LENGTH * piece.scale
    return piece.x - rim, piece.y - rim, w + 2 * rim, h + 2 * rim


def score(sitting: Sitting) -> list[tuple[str, str]]:
    """Return what everybody has won so far in the match, by seat."""
    called = [
        name if who == "human" else f"{name} {who}"
        for name, who in zip(sitting.names, sitting.address.sitting, strict=True)
    ]
    return [(name, chips(won)) for name, won in zip(called, sitting.total, strict=True)]


def _movers(address: Address) -> list[int]:
    """Return who made each move of a game."""
    session = address.session()
    play_on(session, address.moves)
    return session.movers


def _groups(name: str) -> str:
    """Return the tiles of an action's name by group, "22 6432 665542", or "" if they are not in groups."""
    if "/" not in name:
        return ""
    return " ".join("".join(f"{a}{b}" for a, b in TILE.findall(group)) for group in name.split("/"))
