"""The server: its middleware, the pages of every subject, and what goes wrong."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import RedirectResponse
from starlette.exceptions import HTTPException

from gupai_app.claims import routes as claims
from gupai_app.kept import routes as kept
from gupai_app.kept.store import Store
from gupai_app.play import routes as play
from gupai_app.review import routes as review
from gupai_app.server.pages import Server, assets, page_before, sentence
from gupai_app.server.players import Players
from gupai_app.server.safety import Guard, RefusedError
from gupai_app.server.warming import Warmer
from gupai_app.tournaments import routes as tournament_pages
from gupai_app.training import routes as training
from gupai_env.games import GAMES, load_plugins
from gupai_env.storage.files import describe
from gupai_env.words.messages import say

router = APIRouter()


def create_app(
    hosts: tuple[str, ...] = (),
    *,
    runs: Path | None = None,
    tournaments: Path | None = None,
    agents: Sequence[str] = (),
    games: Store | None = None,
    warm: bool = False,
) -> FastAPI:
    """Return the server.

    Args:
        hosts: Names by which it may be called besides those of this machine.
        runs: The folder of training runs.
        tournaments: The folder in which tournaments are kept; without it there are none.
        agents: Texts of more players.
        games: Where finished games are kept; without it they are not.
        warm: Whether games are compiled in the background at once.

    Raises:
        ValueError: As `Players`.
    """
    app = FastAPI(title="gupai", docs_url=None, redoc_url=None, openapi_url=None)
    load_plugins()
    warmer = Warmer(list(GAMES.values())) if warm else None
    app.state.server = Server(Players(runs, agents), tournaments, games, warmer=warmer)
    app.add_middleware(Guard, hosts=hosts, sentence=sentence)
    for kind in (RefusedError, OSError, HTTPException, ValueError):
        app.add_exception_handler(kind, error_page)
    for part in (router, *(subject.router for subject in (play, review, kept, claims, tournament_pages, training))):
        app.include_router(part)
    return app


@router.get("/language")
def language(request: Request) -> Response:
    """Return to the page before; the language is in the address, as of any page."""
    return RedirectResponse(page_before(request) or "/", 303)


@router.get("/static/{name}")
def asset(name: str) -> Response:
    if name not in assets():
        raise HTTPException(404)
    content, kind = assets()[name]
    return Response(content, media_type=kind, headers={"Cache-Control": "max-age=60"})


async def error_page(request: Request, error: Exception) -> Response:
    """Return a page that says an error in a sentence."""
    match error:
        case RefusedError():
            return sentence(error.status, str(error))
        case OSError():
            return sentence(503, describe(error), page_before(request))
        case HTTPException():
            messages = {
                404: "There is no such page.",
                405: say("This page does not answer {method}.", method=request.method[:10]),
            }
            return sentence(error.status_code, messages.get(error.status_code, str(error.detail)), page_before(request))
    return sentence(422, str(error), page_before(request))
