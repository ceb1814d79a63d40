"""Templates filled in, the files that pages use, and reading what a browser sends."""

import functools
from collections.abc import Mapping
from dataclasses import fields
from http import HTTPStatus
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.responses import HTMLResponse, PlainTextResponse
from jinja2 import Environment, PackageLoader, select_autoescape
from starlette.exceptions import HTTPException

from gupai_app.web.safety import body_of
from gupai_env.core.game import Game
from gupai_env.core.numbers import refused, told
from gupai_env.core.variant import typed
from gupai_env.games import GAMES, get_game
from gupai_env.render.letters import drawable
from gupai_env.render.pieces import DARK, LIGHT, style

MATCHES = (1, 2, 3, 4, 5, 8, 10, 16, 20, 25)  # deals of a match that a form offers


class Pages:
    """Templates, filled in."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=PackageLoader("gupai_app.web"),
            autoescape=select_autoescape(default=True),
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
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


def saved_as(name: str, text: str) -> PlainTextResponse:
    """Return a text that a browser saves as a file."""
    return PlainTextResponse(text, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def query_of(request: Request) -> dict[str, str]:
    """Return the words of a query; agents that sit at a table, "with", may be several. Raises: ValueError."""
    return once(request.query_params.multi_items(), "with")


def once(pairs: list[tuple[str, str]], *several: str) -> dict[str, str]:
    """Return words by name, those of the names `several` joined by ";". Raises: ValueError for another said twice."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in several and name in found:
            raise ValueError(f"{told(name)} is said twice")
        if name not in several or value:
            found[name] = f"{found[name]};{value}" if name in found else value
    return found


async def form_of(request: Request, most: int = 8) -> list[tuple[str, str]]:
    """Return what a form sends, up to so many fields. Raises: ValueError, RefusedError."""
    sent = (await body_of(request)).decode(errors="replace")
    try:
        return parse_qsl(sent, max_num_fields=most, keep_blank_values=True)
    except ValueError:
        raise ValueError(f"more than {most} fields were sent") from None


def whole(text: str, what: str, low: int, high: int) -> int:
    """Return a whole number from text. Raises: ValueError naming what it is and what is allowed."""
    if not (text.isascii() and text.isdecimal() and len(text) < 20 and low <= int(text) <= high):
        raise refused(what, text, f"choose {low:,} to {high:,}")
    return int(text)


def game_called(name: str) -> Game:
    """Return a game by its id; there is no such page for another."""
    if name not in GAMES:
        raise HTTPException(404)
    return get_game(name)


def about(game: Game) -> str:
    """Return a game in a sentence."""
    said = game.hints(game, game.variant()).reminder()
    return said[:1].upper() + said[1:]


def options_of(game: Game, chosen: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Return the options of a game for a form: name, what is chosen (default: the default), choices, help, allowed."""
    found = []
    for field in fields(game.variant):
        value = (chosen or {}).get(field.name, field.default)
        choices = ("true", "false") if isinstance(field.default, bool) else field.metadata["choices"]
        if field.name == "deals":
            choices = MATCHES
        found.append(
            {
                "name": field.name,
                "value": typed(value),
                "choices": [str(choice) for choice in choices],
                "help": field.metadata["help"],
                "allowed": game.variant.allowed(field.name),
            }
        )
    return found
