"""Pages of the games: the list of them, their rules, and tables to play at."""

from contextlib import suppress
from datetime import date

from fastapi import APIRouter, Response
from fastapi.responses import JSONResponse, RedirectResponse

from gupai_agents.evaluation.records.games import game_of_line
from gupai_app.kept.day import of_day, streak
from gupai_app.kept.store import Kept
from gupai_app.page.documents import document_at
from gupai_app.play.address import Address, complete, rules_of
from gupai_app.play.pictures import table_definitions, table_picture
from gupai_app.review.document import record_of, replay, values
from gupai_app.review.routes import read_line
from gupai_app.server.pages import Asked, Form, Query, game_called, page
from gupai_app.server.players import existing
from gupai_app.server.warming import HINTS, MATCHES, PLAYERS
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import title
from gupai_env.render.pieces import THEMES

LATEST = 5  # games that the first page lists
PARTS = {"hint": HINTS, "coach": MATCHES}  # of what is compiled, by the part of a page that needs them
router = APIRouter()


@router.get("/")
def front(server: Asked) -> Response:
    guides = [guide_of(game, game.variant()) for game in map(get_game, GAMES)]
    latest, words = list[Kept](), of_day(None)
    with suppress(OSError, ValueError):  # of a file that cannot be read, which the page of kept games says
        if server.games:
            latest, words = server.games.find(most=LATEST), of_day(server.games)
            words["streak"] = streak(server.games.distinct("day"), date.today())
    games = [(guide.game, guide.kind, guide.goal) for guide in guides]
    return page("front.html", head="Games", games=games, latest=latest, definitions=table_definitions(), **words)


@router.get("/picture/{name}/{theme}.svg")
def picture(name: str, theme: str) -> Response:
    drawn = table_picture(game_called(name), existing(theme if theme in THEMES else None))
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


@router.get("/game/{name}")
def begin(name: str) -> Response:
    return RedirectResponse(f"/table?game={game_called(name).id}&begin=1")


@router.get("/rules/{name}")
def rules(name: str) -> Response:
    return RedirectResponse(f"/table?game={game_called(name).id}&rules=1")


@router.get("/table")
def table(query: Query, server: Asked) -> Response:
    game, variant = rules_of(query)
    if "review" in query:
        record_of(query, server.players)
    elif "puzzle" not in query:
        Address.read(complete(query), server.players)
    return page("table.html", head=title(game, variant), definitions=table_definitions(), record="")


@router.get("/document")
def table_document(query: Query, server: Asked) -> Response:
    # The game continues from what the address says, so that asking twice is not two moves.
    game, _ = rules_of(query)
    if {"begin", "rules"} & query.keys():
        server.preparing(game, PLAYERS)  # while the person chooses
    else:
        server.require(game, MATCHES if "values" in query else HINTS if {"puzzle", "play"} <= query.keys() else PLAYERS)
    content = document_at(query, server.players, lambda part: server.preparing(game, PARTS[part]))
    if "play" in query and content.get("record"):
        server.keep(game_of_line(content["record"].encode()))
    if "values" in query:
        server.note(record_of(query, server.players))
    return JSONResponse(content)


@router.post("/document")
def document_of_record(sent: Form, server: Asked) -> Response:
    record = read_line(sent.get("games", ""))  # of a game that is too long for an address
    if "values" not in sent:
        return JSONResponse(replay(record))
    server.require(record.game, MATCHES)
    server.note(record)
    return JSONResponse(values(record, sent.get("agent", ""), server.players))
