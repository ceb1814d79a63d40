"""Pictures of tiles in the sentences of pages, and the rules of a game as a page shows them."""

import functools
import re
from collections.abc import Iterator

from markupsafe import Markup, escape

from gupai_app.play.session import Session
from gupai_app.words.sentences import names_at
from gupai_env.core.game import Game
from gupai_env.messages import word
from gupai_env.render.letters import drawable
from gupai_env.render.pieces import LENGTH, LIGHT, LYING_LEFT, LYING_RIGHT, UPRIGHT, style, symbols
from gupai_env.render.svg import draw_svg

NAMED = re.compile(r"\[([1-6]):([1-6])\]")
HEADWORD = re.compile(r"(\w+) {2,}(.*)")
FOR_PROGRAMS = ("Actions", "Tiny", "Bound")  # headwords of rules that no player needs
PICTURED, MOVES_PICTURED = 5, 14  # the seed of a deal, and moves of it
_WIDE = 100  # units of a tile's width


def tile_file(high: str, low: str) -> str:
    """Return the name of the picture of a tile."""
    return f"tile-{high}{low}.svg"


def pictured(text: str) -> Markup:
    """Return a text, safe in a page, with a picture of every tile that it names as [6:4]."""
    return _pictured(drawable(text))


def _pictured(text: str) -> Markup:
    def picture(tile: re.Match[str]) -> str:
        return f'<img class="named" src="/static/{tile_file(*tile.groups())}" alt="{tile[0]}" width="13" height="29">'

    return Markup(NAMED.sub(picture, str(escape(text))))


@functools.cache
def tile_pictures() -> dict[str, str]:
    """Return the picture of every tile, as SVG, by its file's name."""
    pictures = {}
    for high in "123456":
        for low in "123456"[: int(high)]:
            use = f'<use href="#g-u{high}{low}"/>'
            pictures[tile_file(high, low)] = (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-8 -4 {_WIDE + 16} {_WIDE * LENGTH + 16:g}">'
                f"<style>{style(LIGHT)}</style><defs>{symbols(use)}</defs>{use}</svg>"
            )
    return pictures


def table_definitions() -> Markup:
    """Return what the drawing of a table in a browser is made of: every tile as it may lie, and its back."""
    kinds = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
    lying = [f"{turned}{high}{low}" for turned in (LYING_LEFT, LYING_RIGHT) for high, low in kinds if high != low]
    used = "".join(f'href="#g-{name}"' for name in ["back", *(f"{UPRIGHT}{high}{low}" for high, low in kinds), *lying])
    return Markup(f'<svg class="defined" aria-hidden="true"><defs>{symbols(used)}</defs></svg>')


@functools.cache
def table_picture(game: Game, theme: str) -> str:
    """Return a table of a game as SVG, after some moves as the next seat sees it: the same at every call."""
    before = session = Session(game, game.variant(), PICTURED)
    while len(session.actions) < MOVES_PICTURED and not session.payoffs:
        before = session.copy()
        session.play(int(session.mask().argmax()))
    session = before if session.payoffs else session  # a deal under way
    names = names_at(session.variant.players, session.seat, session.seat)
    scene = game.scene(session.variant, [session.view(session.seat)], names)
    return draw_svg(scene, theme=theme)


def rule_entries(game: Game) -> list[str]:
    """Return the rules of a game in English, each after its headword, but what only programs need."""
    terms: list[list[str]] = []
    for line in game.rules_text.splitlines()[1:]:
        if head := HEADWORD.match(line):
            terms.append([head[1], head[2]])
        elif terms and line.startswith(" "):
            terms[-1][1] += f" {line.strip()}"
    return [f"{name}: {text.replace('`', '')}" for name, text in terms if name not in FOR_PROGRAMS]


def rules_in_words(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the rules of a game in the language of the request, each with its headword.

    A rule has one entry with its headword, which means different things in different games.
    """
    for entry in rule_entries(game):
        headword, _, rule = word(entry).replace("：", ": ", 1).partition(": ")
        yield headword, rule
