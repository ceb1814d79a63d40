"""What pages say in the language of the request, beyond messages: errors, titles, options and tables."""

import re
from dataclasses import replace

from gupai_env.core.variant import value_named
from gupai_env.games import GAMES
from gupai_env.games.phrases import latin
from gupai_env.words.messages import Message, alias, capitalized, one_line, word
from gupai_env.words.scene import Pile, Place, Scene

BEGINNING = re.compile("[a-z]+(_[a-z]+)*[ =]")  # of an error: a word, and no file, key or agent, which stay as they are


def error_in(text: str) -> str:
    """Return an error as a sentence in the language of the request, in English where no entry is like it."""
    bare = one_line(text)
    if (worded := word(bare)) != bare:
        return worded if worded.endswith(("。", "？")) else f"{worded.removesuffix('.')}。"
    begun = str(capitalized(bare)) if BEGINNING.match(bare) else bare
    return begun if begun.endswith((".", "?", "!")) and not begun.endswith("..") else f"{begun.removesuffix('.')}."


def title_in(title: str) -> str:
    """Return a title; that of a game, "Jie Long 接龍", with its name in the language alone."""
    return word(title if isinstance(title, Message) else alias(title, latin(title)))


def game_in(game: str) -> str:
    """Return the name of a game by its id, as people of the language call it; the id of one that is not known."""
    return word(alias(game, latin(GAMES[game].title))) if game in GAMES else game


def option_in(name: str) -> str:
    """Return the name of an option as people read it."""
    return word(name.replace("_", " "))


def choice_in(name: str, value: object) -> str:
    """Return a value of an option; an entry with the option's name as its context is for that option alone."""
    return word(value_named(name.replace(" ", "_"), value))


def translated(scene: Scene) -> Scene:
    """Return a table with its words in the language of the request."""
    places, notes = tuple(map(translated_place, scene.places)), tuple(map(word, scene.notes))
    words = {"title": title_in(scene.title), "last_move": word(scene.last_move)}
    return replace(scene, centre=_piles(scene.centre), places=places, notes=notes, **words)


def translated_place(place: Place) -> Place:
    """Return a place of a table with its words in the language of the request."""
    return replace(place, name=word(place.name), note=word(place.note), piles=_piles(place.piles))


def _piles(found: tuple[Pile, ...]) -> tuple[Pile, ...]:
    return tuple(replace(pile, label=word(pile.label)) for pile in found)
