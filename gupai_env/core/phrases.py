"""Tiles, titles and phrases in which every game describes its table."""

import functools
from collections.abc import Iterable
from typing import Protocol

import numpy as np

from gupai_env.core.scene import Tile
from gupai_env.core.tiles import PIPS, tiles_in
from gupai_env.core.variant import Variant, in_words

YOU = "You"


def faces(tiles: int) -> tuple[Tile, ...]:
    """Return the tiles of a set as pairs of numbers, the heaviest high end first."""
    return tuple((int(PIPS[kind, 0]), int(PIPS[kind, 1])) for kind in reversed(tiles_in(tiles)))


class Titled(Protocol):
    """What a title needs of a `gupai_env.core.game.Game`, whose module imports this one."""

    @property
    def title(self) -> str: ...


@functools.lru_cache(maxsize=256)
def title(game: Titled, variant: Variant) -> str:
    """Return the game's name in Latin letters and the options that differ from its defaults."""
    name = " ".join(word for word in game.title.split() if word.isascii())
    changed = in_words({key: value for key, value in variant.changed().items() if key != "deals"}, "")
    return f"{name} ({changed})" if changed else name


def seat_names(players: int, you: int | None = None) -> list[str]:
    """Return "Seat 0", "Seat 1", ..., but "You" for the seat of the reader."""
    return [YOU if seat == you else f"Seat {seat}" for seat in range(players)]


def seats_from(view: np.record, players: int) -> list[int]:
    """Return the seats in order of turn, from the viewer on."""
    return [(int(view.seat) + int(view.direction) * place) % players for place in range(players)]


def won_by(view: np.record, place: int, payoff: float | None) -> list[str]:
    """Return what a seat, counted from the viewer, has won: in the deal, once it is over, and in the match."""
    words = [] if payoff is None else [chips(payoff)]
    return [*words, f"{view.total[place] + 0.0:+g} in the match"] if view.deals > 1 else words


def deal_of_match(view: np.record, terminated: bool) -> list[str]:
    """Return which deal of a match is on the table, nothing where there is only one."""
    return [f"deal {view.deal + (not terminated)} of {view.deals}"] if view.deals > 1 else []


def says(name: str, action_type: str) -> str:
    """Return "Seat 2 plays [6:4]" for the action "play [6:4]", and "You play [6:4]" for "You"."""
    if name == YOU:
        return f"{name} {action_type}"
    verb, space, rest = action_type.partition(" ")
    inflected = "has" if verb == "have" else f"{verb}{'es' if verb.endswith(('ch', 'ss')) else 's'}"
    return f"{name} {inflected}{space}{rest}"


def capitalized(text: str) -> str:
    """Return a text that begins with a capital letter; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def chips(amount: float) -> str:
    """Return a payment with its sign, such as "+58 chips"."""
    return f"{amount + 0.0:+g} chips"  # + 0.0, for a negative zero has a sign too


def listed(numbers: Iterable[object], joint: str = "and") -> str:
    """Return "3", or "3 and 5" for two different numbers."""
    return f" {joint} ".join(dict.fromkeys(map(str, numbers)))
