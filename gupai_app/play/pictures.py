"""Pictures of tiles in the sentences of pages, and the rules of a game as a page shows them."""

import functools
import re
from collections.abc import Iterator, Mapping

from markupsafe import Markup, escape

from gupai_app.play.session import Session
from gupai_app.words.languages import ENGLISH, spoken
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


class Tips:
    """Turns the texts of one page into what it shows: a term of the game has a tip where it is first used.

    A tip is a button that opens a few words: it needs no script, the keyboard reaches it, and the same words are its
    description for a mouse that rests on it and for a screen reader.
    """

    def __init__(self, terms: Mapping[str, str]) -> None:
        """Prepare the terms of a game.

        Args:
            terms: What the terms of a game mean, by term; some entries are for two, with a comma between.
        """
        self._meanings = {
            part.lower(): word(meaning) for term, meaning in terms.items() for part in split_term(word(term))
        }
        words = "|".join(map(re.escape, sorted(self._meanings, key=len, reverse=True))) or "(?!)"
        plural = r"\b({})(?:s|es)?\b" if spoken() == ENGLISH else "({})"
        self._words, self._shown = re.compile(plural.format(words), re.IGNORECASE), list[str]()

    def __call__(self, text: str) -> Markup:
        """Return a text, safe in a page, with pictures of tiles and the tips of terms that no text before this had."""
        text, markup, end = drawable(text), Markup(), 0
        for term in self._words.finditer(text):
            meaning = self._meanings[term[1].lower()]
            if meaning not in self._shown:
                self._shown.append(meaning)
                markup += _pictured(text[end : term.start()]) + self._tip(term[0], meaning)
                end = term.end()
        return markup + _pictured(text[end:])

    def _tip(self, word: str, meaning: str) -> Markup:
        name = f"term-{len(self._shown)}"
        return Markup(
            '<dfn><button type="button" class="term" popovertarget="{0}" title="{2}">{1}</button></dfn>'
            '<span class="tip" id="{0}" popover>{3}</span>'
        ).format(name, word, meaning, _pictured(meaning))


def split_term(term: str) -> list[str]:
    """Return the terms that share an entry, such as "head seven, tail eight"."""
    return re.split(", |、", term)


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


def rules_in_words(game: Game) -> Iterator[tuple[str, str]]:
    """Yield the rules of a game in the language of the request, each with its headword, but what only programs need.

    A rule has one entry with its headword, which means different things in different games.
    """
    terms: list[list[str]] = []
    for line in game.rules_text.splitlines()[1:]:
        if head := HEADWORD.match(line):
            terms.append([head[1], head[2]])
        elif terms and line.startswith(" "):
            terms[-1][1] += f" {line.strip()}"
    for name, text in terms:
        if name not in FOR_PROGRAMS:
            headword, _, rule = word(f"{name}: {text.replace('`', '')}").replace("：", ": ", 1).partition(": ")
            yield headword, rule
