"""Pages of the games: the list of them, their rules, and tables to play at."""

from collections.abc import Mapping
from dataclasses import fields
from urllib.parse import parse_qsl

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse

from gupai_agents.shipped import levels
from gupai_app.play.address import MOST_ACTIONS, PERSON, Address, number_in, rules_of
from gupai_app.play.moves import STEPS
from gupai_app.play.pictures import Tips, rules_in_words, table_picture
from gupai_app.play.session import drawn_seed
from gupai_app.play.table import WebGame
from gupai_app.play.unseen import EXPLAINED
from gupai_app.server.pages import Asked, Query, game_called, game_sentence, options_of, page, saved_as, whole
from gupai_app.server.players import Players, existing, level_names
from gupai_app.server.warming import HINTS, MATCHES, PLAYERS
from gupai_app.words.sentences import compass
from gupai_env.core.rng import KEYS, draw
from gupai_env.core.streams import PERSON_STREAM
from gupai_env.core.tiles import tile_name
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import title
from gupai_env.render.pieces import THEMES

ANY = "any"  # seat: one is drawn
LONG_LIST = 24  # moves under a heading; more are folded away
SHORT_LIST = 6  # splits that are listed without being asked for
MOST_TOGETHER = 8  # actions that one click plays
router = APIRouter()


@router.get("/")
def front() -> Response:
    guides = [guide_of(game, game.variant()) for game in map(get_game, GAMES)]
    return page("front.html", games=[(guide.game, guide.kind, guide.goal) for guide in guides])


@router.get("/picture/{theme}.svg")
def picture(theme: str) -> Response:
    drawn = table_picture(get_game(next(iter(GAMES))), existing(theme if theme in THEMES else None))
    return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})


@router.get("/game/{name}")
def begin(name: str, query: Query, server: Asked) -> Response:
    game = game_called(name)
    server.preparing(game, PLAYERS)  # while the person chooses
    variant = game.variant()
    choices = next(field.metadata["choices"] for field in fields(variant) if field.name == "players")
    players = whole(query.get("players", str(variant.players)), "players", min(choices), max(choices))
    return page(
        "begin.html",
        game=game,
        head=title(game, variant),
        about=game_sentence(game),
        tipped=Tips(guide_of(game, variant).terms),
        players=players,
        choices=choices,
        options=[option for option in options_of(game) if option["name"] != "players"],
        agents=[player for player in server.players.known(game) if player not in level_names(game)],
        person=PERSON,
        levels=levels(game),
        places=compass(players),
    )


@router.get("/rules/{name}")
def rules(name: str) -> Response:
    game = game_called(name)
    guide = guide_of(game, game.variant())
    return page(
        "rules.html",
        game=game,
        head=title(game, game.variant()),
        goal=guide.goal,
        rules=rules_in_words(game),
        terms=guide.terms,
        tipped=Tips(guide.terms),
    )


@router.get("/table")
def table(query: Query, server: Asked) -> Response:
    # The game continues from what the address says, so that asking twice is not two moves.
    viewer = whole(query["at"], "at", 0, 99) if "at" in query else None
    address = Address.read(_drawn(query), server.players)
    server.require(address.game, PLAYERS)
    seating = WebGame(address, _actions(query), viewer)
    there = seating.address
    if there.query != _saved_query(query, server.players):
        if seating.terminated and "play" in query:  # and not at the address of a game that was over before
            server.keep(seating.session.record(there.seating))
        return RedirectResponse(f"/table?{there.query}", 303)
    head = title(there.game, there.variant)
    place = compass(there.variant.players, there.seat)[seating.seat]
    if seating.covered:  # until the next person takes the seat
        return page("pass.html", head=head, address=there, seat=seating.seat, place=place, seats=seating.seats())
    number = whole(query.get("hint", "0"), "hint", 0, STEPS + 1) if there.practice else 0
    preparing = server.preparing(there.game, HINTS) if number else ""
    seen = "plain" in query  # hints without a search, which those with one must not contradict in silence
    hint = seating.hint(number, plain=bool(preparing), seen=seen)
    coach_awaits = server.preparing(there.game, MATCHES) if there.coach else ""
    here = f"/table?{there.query}{f'&at={seating.seat}' if len(there.people) > 1 else ''}"
    here += "&plain=1" if preparing or (seen and number) else ""
    return page(
        "table.html",
        202 if preparing else 200,
        head=head,
        address=there,
        seating=seating,
        seats=seating.seats(),
        fields=parse_qsl(there.query),
        here=here,
        drawing=seating.drawing(hint.tiles),
        hint=hint,
        number=number,
        mistake=seating.mistake if there.coach and not coach_awaits else None,
        coach_awaits=coach_awaits,
        coach=there.after(there.moves, coach=not there.coach),
        unseen=seating.unseen() if there.practice and "unseen" in query and seating.entries else None,
        explained=EXPLAINED,
        tile_name=tile_name,
        tipped=Tips(seating.guide.terms),
        preparing=preparing,
        long=min(LONG_LIST, seating.hints.most_shown),
        short=SHORT_LIST,
        at=seating.seat if len(there.people) > 1 else None,
        place=place,
        first=not there.episode and len(there.moves) < there.variant.players,
        again=there.after((), episode=there.episode + 1, score=tuple(seating.total)),
        options=fields(there.variant),
    )


@router.get("/record")
def record(query: Query, server: Asked) -> Response:
    seating = WebGame(Address.read(query, server.players))
    if not seating.terminated:
        raise ValueError("the game is not over; only whole games are written to files")
    line = seating.session.record(seating.address.seating).line
    return saved_as(f"{seating.address.game.id}-{seating.address.seed}.jsonl", line)


def _drawn(query: dict[str, str]) -> dict[str, str]:
    """Return the query with a seed and a seat where none is named, as `gupai play` draws them."""
    complete = dict(query)
    if not complete.get("seed", "").strip():
        complete["seed"] = str(drawn_seed())
    if complete.get("seat", ANY).strip() in (ANY, ""):
        _, variant = rules_of(complete)
        complete["seat"] = str(draw(number_in(complete, "seed", 0, KEYS - 1), PERSON_STREAM, variant.players))
    return complete


def _saved_query(query: Mapping[str, str], players: Players) -> str | None:
    """Return the query as `Address.query` writes it, None if it says more than where a table stands."""
    if "play" in query:
        return None
    try:
        plain = all(not name.startswith("o.") for name in query)
        return Address.read(query, players).query if plain else None
    except ValueError:
        return None


def _actions(query: Mapping[str, str]) -> list[int]:
    """Return the actions that the person plays, "60.71" where two tiles are discarded together. Raises: ValueError."""
    texts = query["play"].split(".", MOST_TOGETHER) if "play" in query else []
    return [whole(text, "play", 0, MOST_ACTIONS - 1) for text in texts]
