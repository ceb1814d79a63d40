"""`gupai web`: the server on this machine, its middleware, the pages of every subject, and what goes wrong."""

import signal
import socket
import threading
import time
import webbrowser
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import FrameType

import uvicorn
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.exceptions import HTTPException
from uvicorn.server import HANDLED_SIGNALS

from gupai_app.claims.routes import reading
from gupai_app.kept.store import Store
from gupai_app.play.routes import front
from gupai_app.server.html import SUBJECTS
from gupai_app.server.pages import Server, WaitingError, assets, page, page_before, sentence
from gupai_app.server.players import NoPageError, Players, existing
from gupai_app.server.safety import MOST_QUERY, Guard, RefusedError
from gupai_app.server.warming import Warmer
from gupai_app.shell.streams import worded
from gupai_app.words.sentences import error_in
from gupai_env.games import GAMES, load_plugins
from gupai_env.messages import say
from gupai_env.messages.checks import short_repr
from gupai_env.storage.files import describe

DATA = "/document"  # that scripts ask for
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
    app.state.server = server = Server(Players(runs, agents), tournaments, games)
    if warm:
        front(server)  # once, so that it is there at once
        reading()
        server.warmer = Warmer(list(GAMES.values()))
    app.add_middleware(Guard, hosts=hosts, sentence=sentence)
    for kind in (RefusedError, WaitingError, NoPageError, OSError, HTTPException, ValueError):
        app.add_exception_handler(kind, error_page)
    for part in (router, *(import_module(f"gupai_app.{subject}.routes").router for subject in SUBJECTS)):
        app.include_router(part)
    return app


@router.get("/language")
def language(request: Request) -> Response:
    """Return to the page before; the language is in the address, as of any page."""
    return RedirectResponse(page_before(request) or "/", 303)


@router.get("/static/{name}")
def asset(name: str) -> Response:
    content, kind = existing(assets().get(name))
    return Response(content, media_type=kind, headers={"Cache-Control": "max-age=60"})


async def error_page(request: Request, error: Exception) -> Response:
    """Return a page that says an error in a sentence; to a script that asks for data, the sentence alone."""
    status, text = _problem(request, error)
    if request.url.path == DATA:
        return JSONResponse({"problem": error_in(text)}, status)
    if isinstance(error, WaitingError):
        return page("waiting.html", status, head="One moment", sentence=text)
    return sentence(status, text, "" if isinstance(error, RefusedError) else page_before(request))


def _problem(request: Request, error: Exception) -> tuple[int, str]:
    """Return the status of an error and what is said of it."""
    match error:
        case RefusedError():
            return error.status, str(error)
        case WaitingError():
            return 202, str(error)
        case NoPageError():
            return 404, "There is no such page."
        case OSError():
            return 503, describe(error)
        case HTTPException(status_code=404):
            return 404, "There is no such page."
        case HTTPException(status_code=405):
            return 405, say("This page does not answer {method}.", method=request.method[:10])
        case HTTPException():
            return error.status_code, str(error.detail)
    return 422, str(error)


PORT = 8420  # the first that is tried where none is named
TRIED = 50
LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # an empty host binds there too


class WebServer(uvicorn.Server):
    """A server that signals end, except those that were ignored when it was made, as under nohup."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ignored = {number for number in HANDLED_SIGNALS if signal.getsignal(number) is signal.SIG_IGN}

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the server, at the second signal without waiting for answers under way."""
        if sig not in self._ignored:
            super().handle_exit(sig, frame)


def bound(host: str, port: int | None) -> socket.socket:
    """Return a socket at a port, by default the first free one from PORT on.

    Raises:
        OSError: For a port that is not free.
        ValueError: For all addresses at once: pages answer only to the name or address they were given.
    """
    first = PORT if port is None else port
    for number in range(first, first + (TRIED if port is None else 1)):
        listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            if listener.getsockname()[0] in EVERYWHERE:
                listener.close()
                raise ValueError(f"--host {short_repr(host)}: name one address of this machine, not all of them")
            listener.listen(64)
        except OSError as error:
            listener.close()
            failure = error
        else:
            return listener
    raise OSError(f"no page can be served at {host} port {first}: {failure.strerror or failure}")


def serve(
    port: int | None = None,
    host: str = LOOPBACK,
    *,
    browser: bool = True,
    runs: str = "runs",
    tournaments: str = "tournaments",
    agents: Sequence[str] = (),
) -> None:
    """Serve the pages until ctrl-C.

    Args:
        runs, tournaments: Folders of training runs and of tournaments; the second is made when one is played.
        agents: Texts of more players that pages may name.

    Raises:
        OSError: If there is no free port, or the named one is not free.
        ValueError: As `bound` and `create_app`.
    """
    listener, folders = bound(host, port), {"runs": Path(runs), "tournaments": Path(tournaments)}
    number = listener.getsockname()[1]
    host_text = f"[{host}]" if ":" in host else host
    address = f"http://{host_text}:{number}/"
    print(worded("gupai is at {address} (ctrl-C ends it)", address=address), flush=True)
    config = uvicorn.Config(
        create_app((host_text.lower(),), agents=agents, games=Store(), warm=True, **folders),
        log_level="warning",
        server_header=False,
        h11_max_incomplete_event_size=MOST_QUERY + 16_384,
        http="h11",
        ws="none",
    )
    server = WebServer(config)
    if browser:
        threading.Thread(target=_open, args=(server, address), daemon=True).start()
    server.run([listener])


def _open(server: uvicorn.Server, address: str) -> None:
    """Open the browser as soon as the server answers."""
    for _ in range(200):
        if server.started:
            webbrowser.open(address)
            return
        time.sleep(0.05)
