"""Pages on which a recorded game is pasted; the page of a table shows it then, see `gupai_app/review/document.py`."""

import functools

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from gupai_agents.evaluation.records.games import GameRecord, game_of_line
from gupai_app.play.address import fits_a_page, query_of
from gupai_app.play.pictures import table_definitions
from gupai_app.review.document import address_of, check_names
from gupai_app.server.pages import Form, Query, page, whole
from gupai_env.games.phrases import title
from gupai_env.messages import count

MOST_GAMES = 100_000  # of what is sent
router = APIRouter()


@functools.lru_cache(maxsize=32)
def read_line(line: str) -> GameRecord:
    """Return the game of a line, which a page can show. Raises: RecordError, ValueError."""
    record = game_of_line(line.encode())
    fits_a_page(record.variant)
    check_names(record.agents)
    return record


def lines_of(text: str) -> list[str]:
    """Return the lines of what was sent, without empty ones."""
    return [line for line in text.replace("\r\n", "\n").split("\n") if line.strip()]


def line_in(text: str, number: int = 1) -> str:
    """Return a line of what was sent. Raises: ValueError."""
    lines = lines_of(text)
    if not lines:
        raise ValueError("nothing was sent; paste a game, a line that begins with {")
    if not 1 <= number <= len(lines):
        one = "there is no game {typed}; this is game 1"
        many = "there is no game {typed}; these are games 1 to {number}"
        raise ValueError(count(one, many, len(lines), typed=number))
    return lines[number - 1] + "\n"


@router.get("/review")
def choose() -> Response:
    return page("choose.html", head="Look at a game")


@router.get("/review/game")
def review_at(query: Query) -> Response:
    return RedirectResponse(f"/table?{query_of({**query, 'review': '1'})}", 301)  # where reviews were


@router.post("/review")
def review(sent: Form) -> Response:
    return show(line_in(sent.get("games", ""), whole(sent.get("number") or "1", "number of the game", 1, MOST_GAMES)))


def show(line: str) -> Response:
    """Return the page of the game of a line, or redirect to it: its address is the whole game, so that a link lasts.

    Raises: ValueError.
    """
    record = read_line(line)
    if address := address_of(record):
        return RedirectResponse(f"/table?{address}", 303)
    head = title(record.game, record.variant)
    return page("table.html", head=head, definitions=table_definitions(), record=record.line)
