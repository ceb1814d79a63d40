"""Games as a page: one HTML file that steps through recorded games, with all it needs inside.

The tables of a game share most of what they show, so each piece of a drawing is stored once in the page; a part (a
hand, the centre) lists its pieces, and a move the parts of its table.
"""

import base64
import functools
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from gupai_agents.evaluation.records.games import GameRecord
from gupai_app.play.session import Session, Step
from gupai_app.server.html import filled, sheet
from gupai_app.words.languages import spoken
from gupai_app.words.sentences import names_at, translated, translated_place
from gupai_env.core.scene import YOU, Place, Scene, seat_names
from gupai_env.games.phrases import chips, title
from gupai_env.messages import joined, say, word
from gupai_env.render.pieces import Piece, symbols
from gupai_env.render.svg import Layout, draw_table, lay_out

PERSON = "human"  # the name of a person among the players of a game


LAYOUTS = {"broad": False, "narrow": True}  # whether they are narrow, by their name in a page


class Moment(NamedTuple):
    """A table of a game and what led to it.

    anchor: the move's number, or "deal-2" where a deal begins. closed: every seat as the others see it, by seat.
    """

    anchor: str
    words: str
    scene: Scene
    closed: tuple[Place, ...]

    @property
    def closed_in_order(self) -> tuple[Place, ...]:
        """The same seats in the order of the scene."""
        by_name = {place.name: place for place in self.closed}
        return tuple(by_name[place.name] for place in self.scene.places)


def moments(record: GameRecord, near: int = 0) -> Iterator[Moment]:
    """Yield the tables of a game, from its first deal to its end, seat `near` at the near side."""
    session = Session.of(record)
    names = called(record)
    known: tuple[str, ...] = ()
    begins = True
    for action in (*record.actions, None):
        if begins and action is not None:
            deal = int(session.state.deal)
            scene = session.scene(names, first=near)
            words = joined(". ", [say("Deal {deal}", deal=deal + 1) if deal else "", scene.last_move])
            closed = _closed(session, names, None)
            yield Moment("start" if deal == 0 else f"deal-{deal + 1}", word(words), translated(scene), closed)
            known = scene.notes
        if action is None:
            return
        step = session.take(action, names, known, near)
        known, begins = step.scene.notes, step.payoffs is not None
        closed = _closed(session, names, step.payoffs)
        yield Moment(str(step.number), word(_words(step, names)), translated(step.scene), closed)


def _words(step: Step, names: Sequence[str]) -> str:
    words = say("{name}: {move}", name=names[step.seat], move=say(step.words))
    if step.payoffs is not None:
        return say("{move}. The deal ends: {result}", move=words, result=_results(names, step.payoffs))
    return say("{move} ({news})", move=words, news=say(step.news)) if step.news else words


def _results(names: Sequence[str], payoffs: Sequence[float]) -> str:
    return joined(
        ", ", [say("{name} {chips}", name=name, chips=chips(won)) for name, won in zip(names, payoffs, strict=True)]
    )


def near_of(record: GameRecord) -> int:
    """Return the seat from which a game is seen: of the first person, else seat 0."""
    return record.agents.index(PERSON) if PERSON in record.agents else 0


def called(record: GameRecord) -> list[str]:
    """Return a different name for each seat of a game: where a person sat, as the table called them."""
    players, agents = record.variant.players, record.agents
    if PERSON not in agents:
        return [
            say("{seat} {agent}", seat=seat, agent=say(agent))
            for seat, agent in zip(seat_names(players), agents, strict=True)
        ]
    near = near_of(record)
    names = names_at(players, near, near if agents.count(PERSON) == 1 else None)
    return [
        name if name == YOU else say("{place}: {agent}", place=name, agent=say(agent))
        for name, agent in zip(names, agents, strict=True)
    ]


def _closed(session: Session, names: Sequence[str], payoffs: Sequence[float] | None) -> tuple[Place, ...]:
    """Return every seat, from seat 0 on, as it looks when only the others' tiles are open."""
    session = session.as_paid(payoffs)
    views, paid, places = session.views(), session.paid() if session.terminated else None, []
    for seat in range(len(views)):
        others = [*views[seat + 1 :], *views[:seat]]
        scene = session.game.scene(session.variant, others, names, paid)
        places.append(translated_place(next(place for place in scene.places if place.name == names[seat])))
    return tuple(places)


# --- parts of drawings ----------------------------------------------------------------------------


@functools.lru_cache(maxsize=8192)
def svg_of(piece: Piece, language: str) -> str:
    """Return a piece as SVG in the language that is spoken; cached, since tables repeat most pieces."""
    return piece.svg


class Parts:
    """The distinct pieces of all drawings of a page, and its parts, each a list of pieces."""

    def __init__(self) -> None:
        self._pieces: dict[str, str] = {}  # with their short names
        self._parts: dict[str, int] = {}

    def add(self, pieces: Sequence[Piece]) -> int:
        """Add a part; return its number."""
        known, language = self._pieces, spoken()
        drawn = [svg_of(piece, language) for piece in pieces]
        names = " ".join([known.get(svg) or known.setdefault(svg, np.base_repr(len(known), 36)) for svg in drawn])
        return self._parts.setdefault(names, len(self._parts))

    def uses(self, parts: Sequence[int]) -> Markup:
        """Return parts as SVG uses them in a drawing."""
        texts = list(self._parts)
        return Markup("".join(f'<use href="#p-{name}"/>' for part in parts for name in texts[part].split()))

    @property
    def definitions(self) -> Markup:
        """The definitions of all pieces."""
        groups = "".join(f'<g id="p-{name}">{content}</g>' for content, name in self._pieces.items())
        defined = f"<defs>{symbols(*self._pieces)}{groups}</defs>"
        return Markup(f'<svg class="defined" aria-hidden="true">{defined}</svg>')

    @property
    def svg(self) -> Markup:
        """The definitions, and the lists of all parts."""
        lists = json.dumps(list(self._parts), separators=(",", ":"))
        return self.definitions + Markup(f'<script type="application/json" id="parts">{lists}</script>')


def _named(parts: Parts, moment: Moment, layout: Layout) -> str:
    """Return the parts of a table, in the order in which they are painted: "a-5" is always shown, "o1-6" if seat 1 is
    open and "c1-7" if it is not.
    """
    table = draw_table(moment.scene, layout)
    by_name = {place.name: seat for seat, place in enumerate(moment.closed)}
    closed = draw_table(Scene("", (), moment.closed_in_order), layout)
    references = [f"a-{parts.add(part)}" for part in (table.felt, table.head, table.centre, *table.panels)]
    for index, place in enumerate(moment.scene.places):
        seat = by_name[place.name]
        for opened, hidden in ((table.words, closed.words), (table.tiles, closed.tiles)):
            one, other = parts.add(opened[index]), parts.add(hidden[index])
            references += [f"a-{one}"] if one == other else [f"o{seat}-{one}", f"c{seat}-{other}"]
    return " ".join(references)


def stepper(
    record: GameRecord, parts: Parts, prefix: str = "", near: int | None = None, start: int = 0, address: str = ""
) -> Markup:
    """Return the part of a page that steps through a game.

    Args:
        prefix: The prefix of the anchors of its moves.
        near: The seat at the near side; None: see `near_of`.
        start: The number of the table that is shown first; one that is too large is the last.
        address: Of the page, to which the number of another table is added, for browsers without scripts; "" for a page
            that cannot be asked.
    """
    frames = list(moments(record, near_of(record) if near is None else near))
    start = min(start, len(frames) - 1)
    scenes = [moment.scene for moment in frames]
    # The layout also reserves space for closed seats and their notes.
    closed = [Scene(moment.scene.title, (), moment.closed_in_order, (), "") for moment in frames]
    layouts = {name: lay_out([*scenes, *closed], narrow=narrow) for name, narrow in LAYOUTS.items()}
    moves = [(moment, {name: _named(parts, moment, layout) for name, layout in layouts.items()}) for moment in frames]
    first = moves[start][1]
    stages = [
        (name, layout, parts.uses([int(part[part.index("-") + 1 :]) for part in first[name].split() if part[0] != "c"]))
        for name, layout in layouts.items()
    ]
    words = {"names": called(record), "moves": moves, "prefix": prefix, "at": start, "address": address}
    return filled("stepper.html", stages=stages, **words)


# --- pages ----------------------------------------------------------------------------------------


def result_of(record: GameRecord) -> str:
    """Return what everybody has won in a game."""
    won = [sum(chips) for chips in zip(*record.payoffs, strict=True)]
    return _results(called(record), won)


def game_page(record: GameRecord) -> str:
    """Return a page with one game."""
    parts, head = Parts(), title(record.game, record.variant)
    markup = stepper(record, parts)
    return page(head, filled("game.html", head=head, result=result_of(record), record=record, stepper=markup), parts)


def page(head: str, body: Markup, parts: Parts) -> str:
    """Return a self-contained HTML file, whose content security policy forbids loading anything else.

    Args:
        head: The title.
        body: The content.
        parts: The pieces that its pictures share.
    """
    rules = sheet("page.css")
    script = Markup((files("gupai_app.server") / "static" / "stepper.js").read_text(encoding="utf-8"))
    policy = f"default-src 'none'; style-src {_hash(rules)}; script-src {_hash(script)}; base-uri 'none'"
    words = {"head": head, "body": body, "parts": parts.svg, "sheet": rules, "script": script}
    return str(filled("file.html", policy=policy, **words))


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
