"""Tiles, titles and phrases in which every game describes its table."""

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.scene import YOU
from gupai_env.core.variant import Variant, option_in_words
from gupai_env.messages import Message, count, joined, say


@functools.lru_cache(maxsize=256)
def title(game: Game, variant: Variant) -> str:
    """Return the game's name in Latin letters and the options that differ from its defaults."""
    changed = {key: value for key, value in variant.changed().items() if key != "deals"}
    options = joined(", ", [option_in_words(key, value) for key, value in changed.items()])
    name = say(latin(game.title))
    return say("{game} ({options})", game=name, options=options) if changed else name


def latin(title: str) -> str:
    """Return what of a title is written in Latin letters, "Jie Long" of "Jie Long 接龍"."""
    return " ".join(word for word in title.split() if word.isascii())


def seats_from(view: np.record, players: int) -> list[int]:
    """Return the seats in order of turn, from the viewer on."""
    return [(int(view.seat) + int(view.direction) * place) % players for place in range(players)]


def won_by(view: np.record, place: int, payoff: float | None) -> list[str]:
    """Return what a seat, counted from the viewer, has won: in the deal, once it is over, and in the match."""
    words: list[str] = [] if payoff is None else [chips(payoff)]
    return [*words, say("{chips:+g} in the match", chips=view.total[place] + 0.0)] if view.deals > 1 else words


def deal_of_match(view: np.record, terminated: bool) -> list[str]:
    """Return which deal of a match is on the table, nothing where there is only one."""
    deal: str = say("deal {deal} of {deals}", deal=view.deal + (not terminated), deals=view.deals)
    return [deal] if view.deals > 1 else []


def says(name: str, theirs: str, yours: str, /, **arguments: Any) -> Message:
    """Return what a seat does: "{name} plays {tile}", or "{name} play {tile}" for "You"."""
    return count(theirs, yours, 2 if name == YOU else 1, name=name, **arguments)


def chips(amount: float) -> Message:
    """Return a payment with its sign, such as "+58 chips"."""
    return say("{chips:+g} chips", chips=amount + 0.0)  # + 0.0, for a negative zero has a sign too


def listed(parts: Iterable[object], joint: str = "and") -> str:
    """Return "3", or "3 and 5" for two different numbers."""
    different = {str(part): part if isinstance(part, str) else str(part) for part in parts}
    template = f"{{one}} {joint} {{other}}"
    return functools.reduce(lambda one, other: say(template, one=one, other=other), different.values())
