"""The pages and what answers at which address."""

import functools
import re
import secrets
from collections.abc import Mapping
from dataclasses import fields
from html import unescape
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, PlainTextResponse, RedirectResponse
from jinja2 import Environment, PackageLoader, select_autoescape
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from gupai_agents import agent_names
from gupai_agents.evaluation.claims import Claim
from gupai_agents.evaluation.records import GameRecord
from gupai_app.cli import SEAT_DRAW, SEEDS
from gupai_app.moves import ADVISER
from gupai_app.page import Parts, called, stepper
from gupai_app.web.address import Address, names_allowed, rules_of
from gupai_app.web.claims import Tests, known
from gupai_app.web.review import decisions, largest_losses, line_in, read_line
from gupai_app.web.safety import HEADERS, POLICY, Next, RefusedError, body_of, check
from gupai_app.web.table import Sitting, answered, score
from gupai_env.core.game import Game
from gupai_env.core.numbers import told
from gupai_env.core.phrases import chips, title
from gupai_env.core.rng import draw
from gupai_env.games import GAMES, get_game
from gupai_env.render.letters import drawable
from gupai_env.render.pieces import DARK, LIGHT, style

ANY = "any"  # seat: one is drawn
LONG_LIST = 24  # moves under a heading; more are folded away


class Pages:
    """Templates, filled in."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader("gupai_app.web"),
            autoescape=select_autoescape(default=True),
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters["drawable"] = drawable

    def __call__(self, name: str, status: int = 200, **words: Any) -> HTMLResponse:
        return HTMLResponse(self._templates.get_template(name).render(words), status)

    def sentence(self, status: int, sentence: str) -> HTMLResponse:
        """Return a page that says what is wrong."""
        return self("wrong.html", status, head=HTTPStatus(status).phrase, sentence=sentence)


@functools.cache
def assets() -> dict[str, tuple[str, str]]:
    """Return the files that pages use, by name, each with its type: no request opens a file."""
    room, own = files("gupai_app"), files("gupai_app.web") / "static"
    sheet = (room / "page.css").read_text(encoding="utf-8") + (own / "web.css").read_text(encoding="utf-8")
    sheet += style(LIGHT) + f"@media (prefers-color-scheme: dark){{{style(DARK)}}}"
    script = "text/javascript"
    return {
        "web.css": (sheet, "text/css"),
        **{
            name: ((own / name).read_text(encoding="utf-8"), script)
            for name in ("web.js", "choose.js", "review.js")
        },
        "page.js": ((room / "page.js").read_text(encoding="utf-8"), script),
    }


def create_app(hosts: tuple[str, ...] = ()) -> FastAPI:
    """Return the server. Args: hosts: names by which it may be called besides those of this machine."""
    app = FastAPI(title="gupai", docs_url=None, redoc_url=None, openapi_url=None)
    pages, tests = Pages(), Tests()

    @app.middleware("http")
    async def guard(request: Request, go_on: Next) -> Response:
        try:
            check(request, hosts)
            response = await go_on(request)
        except RefusedError as refused:
            response = pages.sentence(refused.status, str(refused))
        except Exception:  # a fault of ours, which the console tells; a page has no traceback
            app.state.report()
            response = pages.sentence(500, "Something is wrong with this program; the console says more.")
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    app.state.report = _report

    @app.exception_handler(RefusedError)
    async def refused(_: Request, error: RefusedError) -> Response:
        return pages.sentence(error.status, str(error))

    @app.exception_handler(ValueError)
    async def not_allowed(_: Request, error: ValueError) -> Response:
        return pages.sentence(422, " ".join(str(error).split()))

    @app.exception_handler(HTTPException)
    async def not_here(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return pages.sentence(404, "There is no such page.")
        if error.status_code == 405:
            return pages.sentence(405, f"This page does not answer {request.method[:10]}.")
        return pages.sentence(error.status_code, str(error.detail))

    @app.get("/")
    def front() -> Response:
        return pages("front.html", games=[(game, _about(game)) for game in map(get_game, GAMES)])

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name not in assets():
            raise HTTPException(404)
        content, kind = assets()[name]
        return Response(content, media_type=kind, headers={"Cache-Control": "max-age=60"})

    @app.get("/game/{name}")
    def begin(name: str) -> Response:
        if name not in GAMES:
            raise HTTPException(404)
        return pages("begin.html", **_beginning(get_game(name)))

    @app.get("/table")
    def table(request: Request) -> Response:
        query = _query(request)
        asked = Address.read(_drawn(query))
        action = _action(query)
        # The game goes on from what the address says, so that asking twice is not two moves.
        there = answered(asked, action)
        if there.query != _kept(query):
            return RedirectResponse(f"/table?{there.query}", 303)
        sitting = Sitting(there)
        advice = there.practice and "hint" in query
        lines, worth = sitting.lines(advice=advice)
        drawing = sitting.drawing()
        again = there.after((), episode=there.episode + 1)
        return pages(
            "table.html",
            address=there,
            fields=_fields(there.query),
            head=title(there.game, there.variant),
            stages=Markup(drawing.stages),
            definitions=Markup(drawing.definitions),
            frames=sitting.frames,
            lines=lines,
            long=min(LONG_LIST, sitting.hints.most_shown),
            menus=sitting.menus(),
            worth=worth,
            over=sitting.over,
            score=score(sitting),
            undo=sitting.undo,
            again=again,
            reminder=sitting.hints.reminder(),
            rules=there.game.rules_text,
            options=_options(there),
        )

    @app.get("/record")
    def record(request: Request) -> Response:
        sitting = Sitting(Address.read(_query(request)))
        if not sitting.over:
            raise ValueError("the game is not over; only whole games are written to files")
        line = sitting.session.record(sitting.address.sitting).line
        name = f"{sitting.address.game.id}-{sitting.address.seed}.jsonl"
        return PlainTextResponse(line, headers={"Content-Disposition": f'attachment; filename="{name}"'})

    @app.get("/review")
    def choose() -> Response:
        return pages("choose.html", head="Look at a game")

    @app.get("/look")
    def look(request: Request) -> Response:
        sitting = Sitting(Address.read(_query(request)))
        if not sitting.over:
            raise ValueError("the game is not over; it can be looked at when it is")
        return reviewed(sitting.session.record(sitting.address.sitting))

    @app.post("/review")
    async def review(request: Request) -> Response:
        sent = dict(parse_qsl((await body_of(request)).decode(errors="replace"), max_num_fields=8))
        number = sent.get("number", "1")
        if not (number.isascii() and number.isdecimal() and len(number) < 6):
            raise ValueError(f"{told(number)} is no number of a game")
        line = line_in(sent.get("games", ""), int(number))
        return await run_in_threadpool(lambda: reviewed(read_line(line), sent.get("agent", "")))

    @app.get("/claims")
    def claims() -> Response:
        return pages("claims.html", head="Claims", claims=known().values())

    @app.get("/claim/{name}")
    def claim(name: str) -> Response:
        going = tests.running == name
        found, status = _claim(name), tests.status(name)
        return pages("claim.html", head=found.id, claim=found, test=status, going=going)

    @app.post("/claim/{name}")
    async def test(name: str, request: Request) -> Response:
        found = await run_in_threadpool(_claim, name)
        sent = dict(parse_qsl((await body_of(request)).decode(errors="replace"), max_num_fields=8))
        if sent.get("do") == "stop":
            tests.stop(name)
        else:
            deals = sent.get("deals", "")
            if deals and not (deals.isascii() and deals.isdecimal() and len(deals) < 9):
                raise ValueError(f"{told(deals)} is no number of deals")
            tests.begin(found, int(deals) if deals else None)
        return RedirectResponse(f"/claim/{found.id}", 303)

    @app.get("/verdict/{name}")
    def verdict(name: str) -> Response:
        status = tests.status(_claim(name).id)
        if status is None or not status.page:
            raise HTTPException(404)
        # This page is whole in itself: its own policy names what is in it.
        policy = unescape(
            re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', status.page)[0]
        )
        return HTMLResponse(
            status.page, headers={"Content-Security-Policy": f"{policy}; frame-ancestors 'none'"}
        )

    def reviewed(record: GameRecord, name: str = "") -> Response:
        parts = Parts()
        game = stepper(record, parts)
        found = decisions(record, name) if name else []
        return pages(
            "review.html",
            head=title(record.game, record.variant),
            result=", ".join(
                f"{who} {chips(sum(won))}"
                for who, won in zip(called(record), zip(*record.payoffs, strict=True), strict=True)
            ),
            game=Markup(game),
            parts=Markup(parts.svg),
            decisions=found,
            losses=largest_losses(found),
            names=called(record),
            line=record.line,
            agents=[each for each in names_allowed(record.game, record.variant) if each != ADVISER],
            agent=name,
            adviser=ADVISER,
        )

    return app


def _claim(name: str) -> Claim:
    """Return a claim by its id; there is no such page for another."""
    if name not in known():
        raise HTTPException(404)
    return known()[name]


def _report() -> None:
    import traceback

    traceback.print_exc()


def _query(request: Request) -> dict[str, str]:
    """Return the words of a query. Raises: ValueError for one that is said twice."""
    found: dict[str, str] = {}
    with_agents: list[str] = []
    for name, value in request.query_params.multi_items():
        if name == "with":
            with_agents += [value] if value else []
        elif name in found:
            raise ValueError(f"{told(name)} is said twice")
        else:
            found[name] = value
    return {**found, **({"with": ";".join(with_agents)} if with_agents else {})}


def _drawn(query: dict[str, str]) -> dict[str, str]:
    """Return the query with a seed and a seat where none is named, as `gupai play` draws them."""
    found = dict(query)
    if not found.get("seed"):
        found["seed"] = str(secrets.randbelow(SEEDS))
    if found.get("seat", ANY) in (ANY, "") and found["seed"].isdecimal() and len(found["seed"]) < 19:
        _, variant = rules_of(found)
        found["seat"] = str(draw(int(found["seed"]), SEAT_DRAW, variant.players))
    return found


def _kept(query: Mapping[str, str]) -> str | None:
    """Return the query as `Address.query` writes it, None if it says more than where a table stands."""
    if "play" in query:
        return None
    try:
        return Address.read(query).query if all(not name.startswith("o.") for name in query) else None
    except ValueError:
        return None


def _action(query: Mapping[str, str]) -> int | None:
    """Return the action that the person plays, None if none. Raises: ValueError."""
    text = query.get("play")
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 6):
        raise ValueError(f"{told(text)} is no action")
    return int(text)


def _fields(query: str) -> list[tuple[str, str]]:
    return parse_qsl(query)


def _about(game: Game) -> str:
    """Return a game in a sentence."""
    return game.hints(game, game.variant()).reminder()


def _options(address: Address) -> list[tuple[str, Any, str]]:
    """Return the options of a table: name, value, meaning."""
    return [
        (field.name, getattr(address.variant, field.name), field.metadata["help"])
        for field in fields(address.variant)
    ]


def _beginning(game: Game) -> dict[str, Any]:
    """Return what the page says on which a game is chosen."""
    options = []
    for field in fields(game.variant):
        choices = ("true", "false") if isinstance(field.default, bool) else field.metadata["choices"]
        default = (
            ",".join(map(str, field.default))
            if isinstance(field.default, tuple)
            else str(field.default).lower()
        )
        if field.name == "deals":
            choices = (1, 2, 3, 4, 5, 8, 10, 16, 20, 25)
        options.append(
            {
                "name": field.name,
                "default": default,
                "choices": [str(choice) for choice in choices],
                "help": field.metadata["help"],
                "allowed": game.variant.allowed(field.name),
            }
        )
    players = max(
        next(f.metadata["choices"] for f in fields(game.variant) if f.name == "players")
        or (game.variant().players,)
    )
    return {
        "game": game,
        "head": title(game, game.variant()),
        "about": _about(game),
        "options": options,
        "agents": names_allowed(game),
        "strongest": agent_names(game, game.variant())[-1],
        "seats": range(players),
        "rules": game.rules_text,
    }
