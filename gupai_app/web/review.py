"""Reviewing a game: what an agent would have played, the values by a search, and the largest losses."""

import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

import numpy as np
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool

from gupai_agents.agent import DecisionBatch, probabilities
from gupai_agents.decisions import play_out
from gupai_agents.evaluation.records import GameRecord, game_of_line, order_of
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import heuristic_names
from gupai_app.moves import ADVISER, WIDE
from gupai_app.page import Parts, called, result_of, stepper
from gupai_app.session import Session
from gupai_app.web.address import (
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
from gupai_app.web.pages import Asked, Query, form_of, once, page, waiting, whole
from gupai_app.web.players import SEARCHES, Players, adviser
from gupai_app.web.safety import MOST_QUERY
from gupai_app.web.table import WebGame
from gupai_app.web.warmer import MATCHES
from gupai_env.core.checks import refused, short_repr
from gupai_env.core.phrases import title
from gupai_env.core.rng import as_key, derive
from gupai_env.vector import VectorEnv

MOST_DECISIONS = 400  # that are reviewed in a game
MOST_BARS = 8  # actions of a decision that are shown
MOST_LOSSES = 8
MOST_GAMES = 100_000  # of what is sent
SAT = "sat"  # the word of an address that says who sat at the seats of a recorded game, as JSON
MOST_NAME = 1000  # characters
AGAIN = 200  # times that a deal is played again to estimate the value of its tiles

router = APIRouter()


class Bar(NamedTuple):
    """An action of a decision: its probability by the agent's policy, and its mean chips with half their interval."""

    words: str
    probability: float
    mean: float
    half: float
    played: bool


class Decision(NamedTuple):
    """A decision, and what it lost: chips, and half the width of their interval."""

    number: int
    seat: int
    words: str
    bars: list[Bar]
    loss: float
    half: float


class Luck(NamedTuple):
    """What a seat won, and the value of its tiles: chips, and half the width of the 95% interval of the latter."""

    name: str
    won: float
    value: float
    half: float


@functools.lru_cache(maxsize=32)
def read_line(line: str) -> GameRecord:
    """Return the game of a line. Raises: RecordError."""
    return game_of_line(line.encode())


def line_in(text: str, number: int = 1) -> str:
    """Return a line of what was sent. Raises: ValueError."""
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]
    if not lines:
        raise ValueError("nothing was sent; paste a game, a line that begins with {")
    if not 1 <= number <= len(lines):
        raise ValueError(f"there is no game {number}; these are games 1 to {len(lines)}")
    return lines[number - 1] + "\n"


@functools.lru_cache(maxsize=16)
def decisions(record: GameRecord, agent: Any) -> list[Decision]:
    """Return the decisions of a game in which there was a choice."""
    game, variant = record.game, record.variant
    session = Session.of(record)
    asked: list[tuple[int, int, int]] = []
    batches: list[DecisionBatch] = []
    for number, action in enumerate(record.actions, 1):
        batch = session.decision_batch()
        if batch.masks.sum() > 1 and len(asked) < MOST_DECISIONS:
            asked.append((number, session.seat, action))
            batches.append(batch)
        session.play(action)
    if not batches:
        return []
    together = DecisionBatch(
        np.concatenate([batch.views for batch in batches]).view(np.recarray),
        np.concatenate([batch.masks for batch in batches]),
        np.concatenate([batch.rng_keys for batch in batches]),
    )
    policy = probabilities(agent, game, variant, together)
    values = adviser(game, variant).values(together, halving=False)
    return [
        _decision(record, each, together.at(slice(at, at + 1)), policy[at], values.means[at], values.errors[at])
        for at, each in enumerate(asked)
    ]


def _decision(
    record: GameRecord,
    asked: tuple[int, int, int],
    batch: DecisionBatch,
    policy: np.ndarray,
    means: np.ndarray,
    errors: np.ndarray,
) -> Decision:
    number, seat, action = asked
    legal = np.flatnonzero(batch.masks[0])
    ranked = sorted(map(int, legal), key=lambda each: -means[each])
    shown = ranked[:MOST_BARS] if action in ranked[:MOST_BARS] else [*ranked[: MOST_BARS - 1], action]
    view, best = batch.views[0], ranked[0]
    bars = [
        Bar(
            record.game.action_name(each, view),
            float(policy[each]),
            float(means[each]),
            WIDE * float(errors[each]),
            each == action,
        )
        for each in shown
    ]
    loss = float(means[best] - means[action])
    half = WIDE * float(np.hypot(errors[best], errors[action])) if best != action else 0.0
    return Decision(number, seat, record.game.action_name(action, view), bars, loss, half)


def largest_losses(found: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that lost most, the largest first."""
    return sorted((each for each in found if each.loss > 0), key=lambda each: -each.loss)[:MOST_LOSSES]


# --- the value of the tiles -----------------------------------------------------------------------


@functools.lru_cache(maxsize=32)
def luck(record: GameRecord) -> list[Luck]:
    """Return for every seat what it won and what the same tiles bring where all seats play alike.

    Every deal of the game is played AGAIN times from its first decision, by the best heuristic of the game in all
    seats, which draws its actions by their scores. The chips won minus these are due to the play and not to the tiles.
    """
    game, variant, session = record.game, record.variant, Session.of(record)
    heuristic = heuristic_agent(f"{heuristic_names(game)[-1]}@1", game, variant)
    envs = VectorEnv(game, AGAIN, observe=False, renew=False, **{**variant.changed(), "deals": 1})
    value = np.zeros((AGAIN, variant.players))
    begins = True
    for action in record.actions:
        if begins:
            envs.states[:] = session.state
            # What players draw differs from one time to another, the deal does not.
            envs.states.seed[:] = [derive(session.seed, time) for time in range(AGAIN)]
            envs.states.deal[:] = 0
            envs.refresh()
            play_out(envs, [heuristic])
            value += envs.states.payoff[:, : variant.players]
        begins = session.play(action) is not None
    found = [estimate(value[:, seat]) for seat in range(variant.players)]
    won = np.sum(record.payoffs, 0)
    return [
        Luck(name, float(won[seat]), found[seat].mean, found[seat].half_width)
        for seat, name in enumerate(called(record))
    ]


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
    seed, episode = (as_key(number_in(query, "seed", 0, (1 << 63) - 1)), number_in(query, "episode", 0, 1 << 30))
    session = Session(game, variant, seed, episode, order)
    play_on(session, moves_in(query.get("moves", "")))
    if not session.terminated:
        raise ValueError(f"the game is not over after its {len(session.actions)} moves")
    return session.record(names)


def _names(text: str, seats: int) -> list[str]:
    """Return who sat at the seats. Raises: ValueError."""
    try:
        names = json.loads(text)
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or len(names) != seats:
        raise refused(SAT, text, f"it is a list of {seats} names, as JSON")
    return check_names(names)


def check_names(names: Sequence[Any]) -> list[str]:
    """Return who sat at the seats of a recorded game, of an address and of a file alike. Raises: ValueError."""
    for name in names:
        if not isinstance(name, str) or not name.isprintable() or len(name) > MOST_NAME:
            raise ValueError(
                f"{short_repr(name)} is no name of who sits at a seat; it has up to {MOST_NAME:,} characters, all of "
                "them printable"
            )
    return list(names)


# --- pages ----------------------------------------------------------------------------------------


@router.get("/review")
def choose() -> Response:
    return page("choose.html", head="Look at a game")


@router.get("/look")
def review_at(query: Query, server: Asked) -> Response:
    record, agent = record_of(query, server.players), query.get("agent", "")
    shown = number_in(query, "table", 0, MOST_MOVES + MOST_DEALS)
    return (agent and waiting(server, record.game, MATCHES)) or reviewed(record, agent, server.players, shown)


@router.post("/review")
async def review(request: Request, server: Asked) -> Response:
    sent = once(await form_of(request))
    at = whole(sent.get("number") or "1", "number of the game", 1, MOST_GAMES)
    line = line_in(sent.get("games", ""), at)
    return await run_in_threadpool(show, line, server.players, sent.get("agent", ""))


def show(line: str, players: Players, agent: str = "") -> Response:
    """Return the page that reviews the game of a line, or redirect to it. Raises: ValueError."""
    record = read_line(line)
    fits_a_page(record.variant)
    check_names(record.agents)
    # Its address is the whole game, so that a link to it lasts.
    address = address_of(record)
    if not address:
        return reviewed(record, agent, players)
    return RedirectResponse(f"/look?{address}{'&' if agent else ''}{query_of({'agent': agent})}", 303)


def reviewed(record: GameRecord, name: str, players: Players, shown: int = 0) -> Response:
    """Return the page that reviews a game, with the policy of an agent if one is named; shown: the first table."""
    agent: Any = players.agent(name, record.game, record.variant) if name else None
    parts = Parts()
    address = address_of(record)
    here = f"/look?{address}{'&' if name else ''}{query_of({'agent': name})}" if address else ""
    game = stepper(record, parts, at=shown, address=here)
    found = decisions(record, agent) if agent else []
    allowed = players.names(record.game, record.variant)
    return page(
        "review.html",
        head=title(record.game, record.variant),
        result=result_of(record),
        game=game,
        parts=parts.svg,
        decisions=found,
        losses=largest_losses(found),
        luck=luck(record) if agent else [],
        heuristic=heuristic_names(record.game)[-1],
        again=AGAIN,
        names=called(record),
        line=record.line,
        fields=parse_qsl(address),
        agents=[each for each in allowed if each not in SEARCHES],  # which have no probabilities
        strongest=[each for each in allowed if ":" not in each][-1],
        agent=name,
        adviser=ADVISER,
    )
