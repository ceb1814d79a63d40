"""Pages of the games that a person has finished on this machine."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from gupai_agents.evaluation.records import game_of_line
from gupai_app.kept.store import RESULTS, Search, Store, of_person
from gupai_app.review.routes import MOST_GAMES, show
from gupai_app.server.pages import Asked, Query, Server, form_of, once, page, saved_as, whole
from gupai_env.games import GAMES
from gupai_env.words.checks import refused
from gupai_env.words.messages import say

LATEST = 50  # games on a page
MOST_NUMBER = (1 << 63) - 1
router = APIRouter()


def _store(server: Server) -> Store:
    """Return where games are kept; there are no such pages where they are not."""
    if server.games is None:
        raise HTTPException(404)
    return server.games


def _search(query: dict[str, str]) -> Search:
    names = ("game", "level", "since", "until", "result")
    return Search(**{name: query.get(name, "").strip() for name in names})


@router.get("/kept")
def games(query: Query, server: Asked) -> Response:
    store, search = _store(server), _search(query)
    most = whole(query.get("most", str(LATEST)), "most", 1, MOST_GAMES)
    return page(
        "kept.html",
        head="My games",
        games=store.find(search, most),
        count=store.count(search),
        search=search,
        ids=list(GAMES),
        results=RESULTS,
        most=most,
        keeping=store.keeping,
        path=store.path,
    )


@router.get("/kept/file")
def file(query: Query, server: Asked) -> Response:
    games = _store(server).find(_search(query))[::-1]
    return saved_as("games.jsonl", "".join(game.line for game in games))


@router.get("/kept/{number}")
def review(number: str, server: Asked) -> Response:
    return show(_line(number, server), server.players)


@router.get("/kept/{number}/file")
def file_of_game(number: str, server: Asked) -> Response:
    line = _line(number, server)
    return saved_as(f"game-{number}.jsonl", line)


def _line(number: str, server: Server) -> str:
    return _store(server).get(whole(number, "number", 1, MOST_NUMBER)).line


@router.post("/kept")
async def change(request: Request, server: Asked) -> Response:
    sent = once(await form_of(request))
    await run_in_threadpool(_change, _store(server), sent)
    return RedirectResponse("/kept", 303)


def _change(store: Store, sent: dict[str, str]) -> None:
    """Do what a form asks. Raises: ValueError."""
    match order := sent.get("do", ""):
        case "on" | "off":
            store.switch(on=order == "on")
        case "delete":
            store.delete([whole(sent.get("number", ""), "number", 1, MOST_NUMBER)])
        case "delete-all":
            store.delete()
        case "import":
            lines = [line.rstrip("\r") for line in sent.get("games", "").split("\n") if line.strip()]
            records = [game_of_line(f"{line}\n".encode()) for line in lines]
            if not store.add([record for record in records if of_person(record)]):
                raise ValueError(say("there is no new game of a person in what was sent"))
        case _:
            raise refused("do", order, say("choose one of {names}", names="on, off, delete, delete-all, import"))
