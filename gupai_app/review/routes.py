"""Pages that review a game, and the addresses of recorded ones."""

import contextlib
import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.records.games import GameRecord, game_of_line, order_of
from gupai_agents.shipped import best_heuristic
from gupai_app.kept.figures import note_review
from gupai_app.play.address import (
    MOST_DEALS,
    MOST_MOVES,
    Address,
    fits_a_page,
    moves_in,
    number_in,
    play_on,
    query_of,
    rules_of,
    words_of_rules,
)
from gupai_app.play.moves import ADVISER
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame
from gupai_app.review.analysis import AGAIN, Decision, decisions, expected_result, largest_losses, luck, mistakes
from gupai_app.review.page import Parts, called, near_of, result_of, stepper
from gupai_app.server.pages import Asked, Form, Query, page, whole
from gupai_app.server.players import SEARCHES, Players
from gupai_app.server.safety import MOST_QUERY
from gupai_app.server.warming import MATCHES
from gupai_env.core.rng import KEYS
from gupai_env.games.phrases import title
from gupai_env.messages import say
from gupai_env.messages.checks import refused, short_repr

MOST_GAMES = 100_000  # of what is sent
SAT = "sat"  # the word of an address that says who sat at the seats of a recorded game, as JSON
MOST_NAME = 1000  # characters

router = APIRouter()


@functools.lru_cache(maxsize=32)
def read_line(line: str) -> GameRecord:
    """Return the game of a line. Raises: RecordError."""
    return game_of_line(line.encode())


def lines_of(text: str) -> list[str]:
    """Return the lines of what was sent, without empty ones."""
    return [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def line_in(text: str, number: int = 1) -> str:
    """Return a line of what was sent. Raises: ValueError."""
    lines = lines_of(text)
    if not lines:
        raise ValueError("nothing was sent; paste a game, a line that begins with {")
    if not 1 <= number <= len(lines):
        raise ValueError(say("there is no game {number}; these are games 1 to {most}", number=number, most=len(lines)))
    return lines[number - 1] + "\n"


# --- addresses of recorded games ------------------------------------------------------------------


def address_of(record: GameRecord) -> str:
    """Return the query that holds a whole recorded game, "" for one that is too long for an address."""
    words = {
        **words_of_rules(record.game, record.variant),
        "seed": str(record.seed),
        "episode": str(record.episode or ""),
        SAT: json.dumps(record.agents, ensure_ascii=False, separators=(",", ":")),
        "order": ".".join(map(str, record.order)),
        "moves": ".".join(map(str, record.actions)),
    }
    query = query_of(words)
    return query if len(query) < MOST_QUERY - 1000 and len(record.actions) <= MOST_MOVES else ""


def record_of(query: Mapping[str, str], players: Players) -> GameRecord:
    """Return the game that an address holds, of a table or of `address_of`. Raises: ValueError, in one line."""
    if SAT not in query:
        seating = WebGame(Address.read(query, players))
        if not seating.terminated:
            raise ValueError("the game is not over; it can be looked at when it is")
        return seating.session.record(seating.address.seating)
    game, variant = rules_of(query)
    names = _names(query[SAT], variant.players)
    order = order_of(game, variant, list(moves_in(query["order"]))) if query.get("order") else ()
    seed, episode = number_in(query, "seed", 0, KEYS - 1), number_in(query, "episode", 0, 1 << 30)
    session = Session(game, variant, seed, episode, order)
    play_on(session, moves_in(query.get("moves", "")))
    if not session.terminated:
        raise ValueError(say("the game is not over after its {moves} moves", moves=len(session.actions)))
    return session.record(names)


def _names(text: str, seats: int) -> list[str]:
    """Return who sat at the seats. Raises: ValueError."""
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or len(names) != seats:
        raise refused(SAT, text, say("it is a list of {seats} names, as JSON", seats=seats))
    return check_names(names)


def check_names(names: Sequence[Any]) -> list[str]:
    """Return who sat at the seats of a recorded game, of an address and of a file alike. Raises: ValueError."""
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or len(name) > MOST_NAME:
            raise ValueError(
                say(
                    "{name} cannot name a player; a name has up to {most:,} characters, all of them printable",
                    name=short_repr(name),
                    most=MOST_NAME,
                )
            )
    return list(names)


def again_from(record: GameRecord, decision: Decision, agent: str, players: Players) -> str:
    """Return the address of a practice table at a decision, "" if tables do not deal as the game was dealt.

    Args:
        agent: Who sits where a person sat, or somebody who may not be named here.
    """
    if record.order:
        return ""

    def allowed(name: str) -> str:
        try:
            players.check(name, record.game, record.variant)
        except ValueError:
            return agent
        return name

    others = tuple(allowed(name) for seat, name in enumerate(record.agents) if seat != decision.seat)
    moves = record.actions[: decision.number - 1]
    episode = record.episode or 0
    return Address(record.game, record.variant, record.seed, episode, decision.seat, others, moves=tuple(moves)).query


# --- pages ----------------------------------------------------------------------------------------


@router.get("/review")
def choose() -> Response:
    return page("choose.html", head="Look at a game")


@router.get("/review/game")
def review_at(query: Query, server: Asked) -> Response:
    record, agent = record_of(query, server.players), query.get("agent", "")
    position = number_in(query, "table", 0, MOST_MOVES + MOST_DEALS)
    if agent:
        server.require(record.game, MATCHES)
    answer = reviewed(record, agent, server.players, position)
    if agent and server.games:
        with contextlib.suppress(OSError, ValueError):  # the page of the games says what is wrong with their file
            note_review(server.games, record, server.players.agent(agent, record.game, record.variant))
    return answer


@router.post("/review")
def review(sent: Form, server: Asked) -> Response:
    number = whole(sent.get("number") or "1", "number of the game", 1, MOST_GAMES)
    return show(line_in(sent.get("games", ""), number), server.players, sent.get("agent", ""))


def show(line: str, players: Players, agent: str = "") -> Response:
    """Return the page that reviews the game of a line, or redirect to it. Raises: ValueError.

    Args:
        line: The game, as a file of games has it.
        players: Those that a page may name.
        agent: The name of the one whose policy is shown, "" for none.
    """
    record = read_line(line)
    fits_a_page(record.variant)
    check_names(record.agents)
    # Its address is the whole game, so that a link to it lasts.
    address = address_of(record)
    if not address:
        return reviewed(record, agent, players)
    return RedirectResponse(f"/review/game?{address}{'&' if agent else ''}{query_of({'agent': agent})}", 303)


def reviewed(record: GameRecord, name: str, players: Players, position: int = 0) -> Response:
    """Return the page that reviews a game, with the policy of an agent if one is named; shown: the first table.

    Args:
        record: The game.
        name: Of the agent whose policy is shown, "" for none.
        players: Those that a page may name.
        position: The first table that is shown.
    """
    agent: Any = players.agent(name, record.game, record.variant) if name else None
    parts = Parts()
    address = address_of(record)
    here = f"/review/game?{address}{'&' if name else ''}{query_of({'agent': name})}" if address else ""
    game = stepper(record, parts, start=position, address=here)
    turns = decisions(record, agent) if agent else []
    allowed = players.names(record.game, record.variant)
    return page(
        "review.html",
        head=title(record.game, record.variant),
        result=result_of(record),
        game=game,
        parts=parts.svg,
        decisions=[(turn, again_from(record, turn, name, players)) for turn in turns],
        numbers=[turn.number for turn in turns],
        losses=largest_losses(turns),
        mistakes=mistakes(turns, called(record)),
        expected=expected_result(record, turns, near_of(record)),
        near=near_of(record),
        next=position + 1 if address else 0,
        address=here,
        luck=luck(record) if agent else [],
        heuristic=best_heuristic(record.game),
        again=AGAIN,
        figure=figure,
        names=called(record),
        line=record.line,
        fields=parse_qsl(address),
        agents=[candidate for candidate in allowed if candidate not in SEARCHES],  # which have no probabilities
        strongest=[candidate for candidate in allowed if ":" not in candidate][-1],
        agent=name,
        adviser=ADVISER,
    )
