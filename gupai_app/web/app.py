"""The server: what guards it, and the pages of games; claims, tournaments and runs have rooms of their own."""

import functools
import secrets
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from markupsafe import Markup
from starlette.exceptions import HTTPException

from gupai_agents import agent_names
from gupai_app.commands.shared import SEEDS
from gupai_app.web.address import PERSON, Address, rules_of
from gupai_app.web.claims import add_claims
from gupai_app.web.jobs import Jobs
from gupai_app.web.pages import Pages, about, assets, game_called, options_of, query_of, saved_as, whole
from gupai_app.web.players import Players
from gupai_app.web.review import add_reviews
from gupai_app.web.runs import add_runs
from gupai_app.web.safety import Guard, RefusedError
from gupai_app.web.table import Sitting, score
from gupai_app.web.tournaments import add_tournaments
from gupai_env.core.files import describe
from gupai_env.core.game import Game
from gupai_env.core.phrases import title
from gupai_env.core.rng import draw
from gupai_env.core.streams import PERSON_STREAM
from gupai_env.games import GAMES, get_game, load_plugins

ANY = "any"  # seat: one is drawn
LONG_LIST = 24  # moves under a heading; more are folded away
MOST_ACTIONS = 99_999


def create_app(
    hosts: tuple[str, ...] = (), *, runs: Path | None = None, tournaments: Path | None = None
) -> FastAPI:
    """Return the server.

    Args: hosts: names by which it may be called besides those of this machine. runs: the folder of training runs.
        tournaments: the folder in which tournaments are kept; without it there are none.
    """
    app = FastAPI(title="gupai", docs_url=None, redoc_url=None, openapi_url=None)
    load_plugins()
    pages, jobs, players = Pages(), Jobs(), Players(runs)
    add_guard(app, pages, hosts)
    add_claims(app, pages, jobs)
    show = add_reviews(app, pages, players)
    add_runs(app, pages, runs)
    add_tournaments(app, pages, jobs, players, show, tournaments)
    read = functools.partial(Address.read, players=players)

    @app.get("/")
    def front() -> Response:
        return pages("front.html", games=[(game, about(game)) for game in map(get_game, GAMES)])

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name not in assets():
            raise HTTPException(404)
        content, kind = assets()[name]
        return Response(content, media_type=kind, headers={"Cache-Control": "max-age=60"})

    @app.get("/game/{name}")
    def begin(name: str) -> Response:
        return pages("begin.html", **_beginning(game_called(name), players))

    @app.get("/table")
    def table(request: Request) -> Response:
        query = query_of(request)
        # The game goes on from what the address says, so that asking twice is not two moves.
        at = whole(query["at"], "at", 0, 99) if "at" in query else None
        sitting = Sitting(read(_drawn(query)), _action(query), at)
        there = sitting.address
        if there.query != _kept(query, players):
            return RedirectResponse(f"/table?{there.query}", 303)
        return _table(pages, sitting, advice=there.practice and "hint" in query)

    @app.get("/record")
    def record(request: Request) -> Response:
        sitting = Sitting(read(query_of(request)))
        if not sitting.over:
            raise ValueError("the game is not over; only whole games are written to files")
        line = sitting.session.record(sitting.address.sitting).line
        name = f"{sitting.address.game.id}-{sitting.address.seed}.jsonl"
        return saved_as(name, line)

    return app


def _table(pages: Pages, sitting: Sitting, *, advice: bool) -> Response:
    """Return the page of a table, or the one that is shown while the next person takes the seat."""
    there = sitting.address
    if sitting.covered:
        return pages(
            "pass.html",
            head=title(there.game, there.variant),
            seat=sitting.seat,
            query=there.query,
            score=score(sitting),
        )
    lines, worth = sitting.lines(advice=advice)
    drawing = sitting.drawing()
    again = there.after((), episode=there.episode + 1)
    return pages(
        "table.html",
        address=there,
        fields=parse_qsl(there.query),
        head=title(there.game, there.variant),
        stages=Markup(drawing.stages),
        definitions=Markup(drawing.definitions),
        frames=sitting.frames,
        lines=lines,
        long=min(LONG_LIST, sitting.hints.most_shown),
        menus=sitting.menus(),
        worth=worth,
        over=sitting.over,
        at=sitting.seat if len(there.people) > 1 else None,
        score=score(sitting),
        undo=sitting.undo,
        again=again,
        reminder=sitting.hints.reminder(),
        rules=there.game.rules_text,
        options=_options(there),
    )


def add_guard(app: FastAPI, pages: Pages, hosts: tuple[str, ...]) -> None:
    """Let a server refuse what no page of its own asks, and say what is wrong in a sentence."""

    app.add_middleware(Guard, hosts=hosts, sentence=pages.sentence, report=_report)

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> Response:
        return pages.sentence(error.status, str(error))

    @app.exception_handler(ValueError)
    async def not_allowed(_: Request, error: ValueError) -> Response:
        return pages.sentence(422, " ".join(str(error).split()))

    @app.exception_handler(OSError)
    async def not_readable(_: Request, error: OSError) -> Response:
        return pages.sentence(503, f"{describe(error)}.")

    @app.exception_handler(HTTPException)
    async def not_here(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return pages.sentence(404, "There is no such page.")
        if error.status_code == 405:
            return pages.sentence(405, f"This page does not answer {request.method[:10]}.")
        return pages.sentence(error.status_code, str(error.detail))


def _report() -> None:
    import traceback

    traceback.print_exc()


def _drawn(query: dict[str, str]) -> dict[str, str]:
    """Return the query with a seed and a seat where none is named, as `gupai play` draws them."""
    found = dict(query)
    if not found.get("seed"):
        found["seed"] = str(secrets.randbelow(SEEDS))
    if found.get("seat", ANY) in (ANY, "") and found["seed"].isdecimal() and len(found["seed"]) < 19:
        _, variant = rules_of(found)
        found["seat"] = str(draw(int(found["seed"]), PERSON_STREAM, variant.players))
    return found


def _kept(query: Mapping[str, str], players: Players) -> str | None:
    """Return the query as `Address.query` writes it, None if it says more than where a table stands."""
    if "play" in query:
        return None
    try:
        plain = all(not name.startswith("o.") for name in query)
        return Address.read(query, players).query if plain else None
    except ValueError:
        return None


def _action(query: Mapping[str, str]) -> int | None:
    """Return the action that the person plays, None if none. Raises: ValueError."""
    text = query.get("play")
    return None if text is None else whole(text, "play", 0, MOST_ACTIONS)


def _options(address: Address) -> list[tuple[str, Any, str]]:
    """Return the options of a table: name, value, meaning."""
    return [
        (field.name, getattr(address.variant, field.name), field.metadata["help"])
        for field in fields(address.variant)
    ]


def _beginning(game: Game, players: Players) -> dict[str, Any]:
    """Return what the page says on which a game is chosen."""
    choices = next(field.metadata["choices"] for field in fields(game.variant) if field.name == "players")
    return {
        "game": game,
        "head": title(game, game.variant()),
        "about": about(game),
        "options": options_of(game),
        "agents": players.known(game),
        "person": PERSON,
        "strongest": agent_names(game, game.variant())[-1],
        "seats": range(max(choices or (game.variant().players,))),
        "rules": game.rules_text,
    }
