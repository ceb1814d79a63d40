"""What all pages share: the state of the server, templates, files, and reading what a browser sends."""

import contextlib
import functools
import sys
import threading
from dataclasses import dataclass
from dataclasses import field as made
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

from fastapi import Depends, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse
from markupsafe import Markup

from gupai_agents.evaluation.pages.html import standalone
from gupai_agents.evaluation.records.games import GameRecord
from gupai_app.kept.figures import note_review
from gupai_app.kept.store import Store
from gupai_app.play.pictures import tile_pictures
from gupai_app.server.html import filled, sheet, table_sheet
from gupai_app.server.jobs import Jobs
from gupai_app.server.players import Players, existing
from gupai_app.server.safety import body_of
from gupai_app.server.warming import Warmer
from gupai_app.words.sentences import HEADS, REFUSED, error_in
from gupai_env.core.game import Game
from gupai_env.games import GAMES, get_game
from gupai_env.messages import say
from gupai_env.messages.checks import read_whole, refused, short_repr
from gupai_env.storage.models import small_file

# Files of runs and tournaments that pages link to, each with its type:
KEPT_FILES = {
    "report.html": "text/html",
    "games.csv": "text/csv",
    "summary.json": "application/json",
    "results.json": "application/json",
    "metrics.jsonl": "application/x-ndjson",
}
MOST_BYTES = 1 << 28  # of such a file
SHUT = "sandbox; default-src 'none'; style-src 'unsafe-inline'"  # the policy of a page that was written before
MOST_FIELDS = 600  # of a form: a claim has up to 20 readings
SEVERAL = ("with", "agent", "run", "panel")  # the ends of names of words of which there may be several
SCRIPTS = {"gupai_app.server": ("static/choose.js",), "gupai_app.page": ("page.js", "server.js", "replay.js")}


class WaitingError(Exception):
    """A page waits for something, in a sentence."""


@dataclass
class Server:
    """What the pages of a server share.

    tournaments: the folder in which they are kept, if any is. games: those that people finished, if they are kept.
    begun: pages of tournaments by the form that began each, which is changed under the lock `beginning`. warmer:
    compiles games in the background, if anything does.
    """

    players: Players
    tournaments: Path | None = None
    games: Store | None = None
    jobs: Jobs = made(default_factory=Jobs)
    begun: dict[tuple[tuple[str, str], ...], str] = made(default_factory=dict)
    beginning: threading.Lock = made(default_factory=threading.Lock)
    warmer: Warmer | None = None

    def preparing(self, game: Game, parts: int, *, patient: bool = False) -> str:
        """Return in a sentence what the first parts of a game wait for, "" when they are ready.

        Args:
            game: The game.
            parts: How many of its parts are needed.
            patient: Whether to wait a moment for them.
        """
        return self.warmer.await_parts(game, parts, patient=patient) if self.warmer else ""

    def require(self, game: Game, parts: int) -> None:
        """Raise WaitingError, which a page answers, until the first parts of a game are compiled."""
        if sentence := self.preparing(game, parts, patient=True):
            raise WaitingError(sentence)

    def keep(self, record: GameRecord) -> None:
        """Keep a game that has just ended, if games are kept; a failure is reported in the console."""
        if self.games and (problem := self.games.keep(record)):
            print(f"gupai: {problem}", file=sys.stderr)

    def note(self, record: GameRecord) -> None:
        """Keep what a review finds, if games are kept; the page of the games says what is wrong with their file."""
        if self.games:
            with contextlib.suppress(OSError, ValueError):
                note_review(self.games, record)


async def server_of(request: Request) -> Server:
    """Return what a request asks."""
    return request.app.state.server


Asked = Annotated[Server, Depends(server_of)]


def page(name: str, status: int = 200, **words: Any) -> HTMLResponse:
    """Return a page from a template."""
    return HTMLResponse(filled(name, **words), status)


def sentence(status: int, sentence: str, back: str = "") -> HTMLResponse:
    """Return a page that says what is wrong; back: the address of the page before, "" if it is not known.

    Args:
        status: The status of HTTP.
        sentence: What is wrong.
        back: The address of the page before, "" if it is not known.
    """
    return page("wrong.html", status, head=HEADS.get(status, REFUSED), sentence=error_in(sentence), back=back)


def page_before(request: Request) -> str:
    """Return the page of this server from which a request came, "" if there is none."""
    try:
        referer = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return ""
    if referer.netloc != request.headers.get("host") or not referer.path.startswith("/") or referer.path[1:2] == "/":
        return ""
    return f"{referer.path}?{referer.query}" if referer.query else referer.path


@functools.cache
def assets() -> dict[str, tuple[str, str]]:
    """Return the files that pages use, by name, each with its type: no request opens a file."""
    sheets = {"web.css": (str(sheet("web.css")), "text/css"), "page.css": (str(table_sheet("page.css")), "text/css")}
    scripts = {
        path: files(package).joinpath(path).read_text("utf-8") for package, paths in SCRIPTS.items() for path in paths
    }
    pictures = {name: (picture, "image/svg+xml") for name, picture in tile_pictures().items()}
    return sheets | pictures | {path.rpartition("/")[2]: (text, "text/javascript") for path, text in scripts.items()}


def saved_as(name: str, text: str) -> PlainTextResponse:
    """Return a text that a browser saves as a file."""
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def file_of(folder: Path, name: str) -> FileResponse:
    """Return a file of a run or tournament, in which nothing runs. Raises: NoPageError, DamagedError, OSError."""
    kind = existing(KEPT_FILES.get(name) if (folder / name).exists() else None)
    path = small_file(folder / name, MOST_BYTES)
    saved = None if kind == "text/html" else f"{folder.name}-{name}"
    return FileResponse(path, media_type=kind, filename=saved, headers={"Content-Security-Policy": SHUT})


def svg_of(name: str, drawn: Markup) -> Response:
    """Return a chart as a file. Raises: NoPageError for one with nothing to draw."""
    saved = {"Content-Disposition": f'attachment; filename="{name}.svg"'}
    return Response(standalone(existing(drawn or None)), media_type="image/svg+xml", headers=saved)


def once(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Return words by name, those of SEVERAL joined by ";". Raises: ValueError for another that is said twice."""
    values: dict[str, str] = {}
    for name, value in pairs:
        may_be_several = name.rpartition(".")[2] in SEVERAL
        if name in values and not may_be_several:
            raise ValueError(say("{name} is said twice", name=short_repr(name)))
        if value or not may_be_several:
            values[name] = f"{values[name]};{value}" if name in values else value
    return values


async def query_of(request: Request) -> dict[str, str]:
    """Return the words of a query. Raises: ValueError."""
    return once(request.query_params.multi_items())


async def form_of(request: Request) -> dict[str, str]:
    """Return what a form sends. Raises: ValueError, RefusedError."""
    sent = (await body_of(request)).decode(errors="replace")
    if sent.count("&") >= MOST_FIELDS:
        raise ValueError(say("more than {most} fields were sent", most=MOST_FIELDS))
    return once(parse_qsl(sent, keep_blank_values=True))


Query = Annotated[dict[str, str], Depends(query_of)]
Form = Annotated[dict[str, str], Depends(form_of)]


def whole(text: str, name: str, low: int, high: int) -> int:
    """Return a whole number from text. Raises: ValueError naming what it is and what is allowed.

    Args:
        text: What a person wrote.
        name: What it is for.
        low, high: Bounds, which are allowed.
    """
    number = read_whole(text)
    if number is None or not low <= number <= high:
        raise refused(name, text, say("choose {low:,} to {high:,}", low=low, high=high))
    return number


def game_called(name: str) -> Game:
    """Return a game by its id. Raises: NoPageError for another."""
    return existing(get_game(name) if name in GAMES else None)
