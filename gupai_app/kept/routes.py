"""Pages of the games that a person has finished on this machine."""

import functools
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from gupai_agents.evaluation.records.games import GameRecord, game_of_line
from gupai_app.kept.day import of_day
from gupai_app.kept.figures import PERIODS, figures, mean_text, over_time, review_all
from gupai_app.kept.puzzles import puzzles_in, shipped
from gupai_app.kept.rematch import duplicate
from gupai_app.kept.store import RESULTS, Kept, Search, Store, of_person
from gupai_app.play.address import query_of
from gupai_app.review.document import address_of, again_from, record_of
from gupai_app.review.routes import MOST_GAMES, line_in, lines_of, read_line, show
from gupai_app.server.jobs import Notify
from gupai_app.server.pages import Asked, Form, Query, Server, page, saved_as, whole
from gupai_app.server.players import existing, level_names
from gupai_app.server.warming import MATCHES
from gupai_env.games import GAMES, get_game
from gupai_env.games.phrases import title
from gupai_env.messages import say, word
from gupai_env.messages.checks import one_of

LATEST = 50  # games on a page
LEFT = {"before": 0, "games": "", "following": 0}  # of a page on which there is nothing more to look through
SEARCHED = 5  # games in which a page looks for puzzles, half a second each
MOST_NUMBER = (1 << 63) - 1
router = APIRouter()


def _store(server: Server) -> Store:
    """Return where games are kept. Raises: NoPageError where they are not."""
    return existing(server.games)


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
        results=RESULTS,
        most=most,
        keeping=store.keeping,
        path=store.path,
        **of_day(store),
    )


@router.get("/kept/statistics")
def statistics(query: Query, server: Asked) -> Response:
    search, by = _search(query), one_of("by", query.get("by", "all"), PERIODS)
    games = _store(server).find(search)[::-1]
    address = _statistics_at(search)
    return page(
        "figures.html",
        address=address,
        reviews=server.jobs.status(address),
        reviewing=server.jobs.running == address,
        unreviewed=sum(game.luck is None for game in games),
        head="Statistics",
        search=search,
        titles={name: game.title for name, game in GAMES.items()},
        results=RESULTS,
        periods=PERIODS,
        by=by,
        rows=figures(games, by),
        mean=mean_text,
        drawn=over_time(games) if search.game else [],
    )


def _statistics_at(search: Search) -> str:
    """Return the address of the statistics of a search, which is the key of the work that reviews its games."""
    return f"/kept/statistics?{query_of(vars(search))}"


@router.post("/kept/statistics")
def review_games(sent: Form, query: Query, server: Asked) -> Response:
    search, store = _search(query), _store(server)
    address = _statistics_at(search)
    if one_of("do", sent.get("do", ""), ("review", "stop")) == "stop":
        server.jobs.stop(address)
    else:
        server.jobs.begin(address, say("the review of your games"), functools.partial(_review, store, search))
    return RedirectResponse(address, 303)


def _review(store: Store, search: Search, notify: Notify) -> None:
    """Review the games that match and were not reviewed before, one after another; what is done is kept."""
    new = [game for game in store.find(search) if game.luck is None]
    for done, _ in enumerate(review_all(store, new), 1):
        notify(done / len(new), say("{done} of {total} {unit}", done=done, total=len(new), unit=say("games")))


@router.get("/kept/file")
def file(query: Query, server: Asked) -> Response:
    games = _store(server).find(_search(query))[::-1]
    return saved_as("games.jsonl", "".join(game.line for game in games))


@router.get("/kept/puzzles")
def puzzles(query: Query, server: Asked) -> Response:
    before, listed, more = whole(query.get("before", str(MOST_NUMBER)), "before", 1, MOST_NUMBER), [], 0
    if server.games and "own" in query:
        older = [game for game in server.games.find(_search(query)) if game.number < before]
        for record in (read_line(game.line) for game in older[:SEARCHED]):
            server.require(record.game, MATCHES)
            listed += _puzzles(record, server)
        more = older[SEARCHED - 1].number if len(older) > SEARCHED else 0
    return _puzzle_page(listed, before=more, own="own" in query)


def _puzzles(record: GameRecord, server: Server) -> list[tuple[str, str, str, int]]:
    """Return the puzzles of a game that a table can show: address, title of the game, day, and number of the move."""
    opponent = [*level_names(record.game), "random"][0]
    turns = [puzzle.turn for puzzle in puzzles_in(record)]
    addresses = [(again_from(record, turn, opponent, server.players), turn.number) for turn in turns]
    return [(address, record.game.title, record.when[:10], number) for address, number in addresses if address]


@router.post("/puzzles")
def puzzles_of_file(sent: Form, server: Asked) -> Response:
    first, text = whole(sent.get("number") or "1", "number of the game", 1, MOST_GAMES), sent.get("games", "")
    line_in(text, first)  # refuses a number that no game has
    lines, end = lines_of(text), first - 1 + SEARCHED
    records = [read_line(f"{line}\n") for line in lines[first - 1 : end]]
    listed = [puzzle for record in records for puzzle in _puzzles(record, server)]
    return _puzzle_page(listed, own=True, games=text, following=end + 1 if end < len(lines) else 0)


def _puzzle_page(listed: list[tuple[str, str, str, int]], **words: Any) -> Response:
    """Return a page of puzzles.

    Args:
        listed: Those of games, see `_puzzles`.
        words: own, whether games were looked through; before: the number of a game before which there are older ones;
            games, following: what was sent, and the number of a game from which on it was not looked through.
    """
    ready = [] if words["own"] else [(game, len(shipped(game.id))) for game in map(get_game, GAMES) if shipped(game.id)]
    return page("puzzles.html", head="Puzzles", puzzles=listed, ready=ready, **{**LEFT, **words})


@router.get("/duplicate")
def duplicate_at(query: Query, server: Asked) -> Response:
    return _duplicated(record_of(query, server.players), server)


@router.get("/kept/{number}/duplicate")
def duplicate_of(number: str, server: Asked) -> Response:
    return _duplicated(read_line(_game(number, server).line), server)


def _duplicated(record: GameRecord, server: Server) -> Response:
    server.require(record.game, MATCHES)
    played = duplicate(record, lambda name: server.players.agent(name, record.game, record.variant))
    reviews = [
        (address_of(record), word("Review your game")),
        (address_of(played.rerun), word(say("Review the game of {player}", player=played.player))),
    ]
    return page("duplicate.html", head=title(record.game, record.variant), played=played, reviews=reviews)


@router.get("/kept/{number}")
def review(number: str, server: Asked) -> Response:
    return show(_game(number, server).line)


@router.get("/kept/{number}/file")
def file_of_game(number: str, server: Asked) -> Response:
    game = _game(number, server)
    return saved_as(f"game-{game.number}.jsonl", game.line)


def _game(number: str, server: Server) -> Kept:
    return _store(server).get(whole(number, "number", 1, MOST_NUMBER))


@router.post("/kept")
def change(sent: Form, server: Asked) -> Response:
    store = _store(server)
    match one_of("do", sent.get("do", ""), ("on", "off", "delete", "delete-all", "import")):
        case "on" | "off" as state:
            store.switch(on=state == "on")
        case "delete":
            store.delete([whole(sent.get("number", ""), "number", 1, MOST_NUMBER)])
        case "delete-all":
            store.delete()
        case "import":
            lines = [line.rstrip("\r") for line in sent.get("games", "").split("\n") if line.strip()]
            records = [game_of_line(f"{line}\n".encode()) for line in lines]
            if not store.add([record for record in records if of_person(record)]):
                raise ValueError(say("there is no new game of a person in what was sent"))
    return RedirectResponse("/kept", 303)
