"""The table of a game, drawn from views alone: what no viewer sees lies face down.

A game that draws more has a subclass of the same name, `Table`, in its module `guide`, and says there only what is
special to it: which piles lie before a seat or in the middle, what is noted, what was done last.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.scene import Pile, Place, Scene, Tile, Views
from gupai_env.core.tiles import KINDS, faces, kind_of
from gupai_env.core.variant import Variant, option_in_words
from gupai_env.messages import Message, count, joined, say


class Table:
    """The table as some seats see it. Seats are counted from the near side, in order of turn: places.

    Attributes:
        game, variant: What is played; `game` is a `gupai_env.core.game.Game`, whose module imports this one.
        near: The view of the seat at the near side.
        seats, names: The seat and the name at each place.
        views: By place, what a seat knows; None where the viewer does not.
        payoffs: Chips by seat of a deal that is over, to show its count.
        ranks: By kind, as the game ranks tiles; a hand has the highest first.
    """

    ranks: Sequence[int] | np.ndarray = tuple(range(KINDS))

    def __init__(
        self, game: Any, variant: Any, views: Views, names: Sequence[str], payoffs: Sequence[float] | None = None
    ) -> None:
        """Look at a table; the arguments are those of `Game.scene`."""
        self.game, self.variant, self.near, self.payoffs = game, variant, views[0], payoffs
        first, step = int(self.near.seat), int(self.near.direction)
        self.seats = [(first + step * place) % variant.players for place in range(variant.players)]
        own = {int(view.seat): view for view in views}
        self.views = [own.get(seat) for seat in self.seats]
        self.names = [names[seat] for seat in self.seats]

    def scene(self) -> Scene:
        """Return the table."""
        places = [
            Place(name, tuple(self.piles(place)), to_act=place in self.acting, note=joined(", ", self.note(place)))
            for place, name in enumerate(self.names)
        ]
        return Scene(
            title(self.game, self.variant), tuple(self.centre()), tuple(places), tuple(self.notes()), self.last_move()
        )

    @property
    def over(self) -> bool:
        """Whether the deal is over."""
        return self.payoffs is not None

    @functools.cached_property
    def deck(self) -> int:
        """The deck, by its number among the choices of the option."""
        return int(self.variant.as_rules().deck)

    @property
    def choosers(self) -> list[int]:
        """The places of the seats that are to decide, as far as these know it: at the field `asked` of their views."""
        return [place for place, view in enumerate(self.views) if view is not None and view.asked]

    @property
    def acting(self) -> list[int]:
        """The places of the seats to act: the one that the field `mover` names."""
        return [] if self.over or "mover" not in self.game.view.names else [int(self.near.mover)]

    def pile(self, label: str, place: int, tiles: str, number: str, **more: Any) -> Pile:
        """Return a pile whose tiles only its seat knows.

        Args:
            tiles: The field of that seat's view that holds them, a tile set.
            number: The field that says by place how many they are.
            more: Other attributes of the pile.
        """
        view = self.views[place]
        if view is None:
            return Pile(label, hidden=int(getattr(self.near, number)[place]), **more)
        return Pile(label, self.ranked(getattr(view, tiles)), **more)

    def ranked(self, tiles: int) -> tuple[Tile, ...]:
        """Return the tiles of a set as pairs of numbers, as a person sorts a hand."""
        return tuple(sorted(faces(tiles), key=lambda face: -self.ranks[kind_of(*face)]))

    def piles(self, place: int) -> Sequence[Pile]:
        """Return what lies before a seat.

        These are `hand`, a tile set, or as many tiles face down as `sizes` says by place, and face up what other fields
        hold, `Game.placed`.
        """
        hand = {"hand", "sizes"} <= set(self.game.view.names)
        lying = [Pile(say(name), faces(getattr(self.near, name)[place]), capacity=1) for name in self.game.placed]
        return [self.pile("hand", place, "hand", "sizes"), *lying] if hand else lying

    def centre(self) -> Sequence[Pile]:
        """Return the piles that belong to nobody."""
        return ()

    def note(self, place: int) -> list[str]:
        """Return what is noted of a seat: what it has won in the deal, once this is over, and in the match."""
        words: list[str] = [] if self.payoffs is None else [chips(self.payoffs[self.seats[place]])]
        near = self.near
        return [*words, say("{chips:+g} in the match", chips=near.total[place] + 0.0)] if near.deals > 1 else words

    def notes(self) -> list[str]:
        """Return what is noted of the moment: which deal of a match is on the table."""
        near = self.near
        number = say("deal {deal} of {deals}", deal=near.deal + (not self.over), deals=near.deals)
        return [number] if near.deals > 1 else []

    def last_move(self) -> str:
        """Return what just happened."""
        return ""


@functools.lru_cache(maxsize=256)
def title(game: Any, variant: Variant) -> str:
    """Return the name of a game, a `Game`, in Latin letters and the options that differ from its defaults."""
    changed = {key: value for key, value in variant.changed().items() if key != "deals"}
    options = joined(", ", [option_in_words(key, value) for key, value in changed.items()])
    name = say(latin(game.title))
    return say("{game} ({options})", game=name, options=options) if changed else name


def latin(title: str) -> str:
    """Return what of a title is written in Latin letters, "Jie Long" of "Jie Long 接龍"."""
    return " ".join(word for word in title.split() if word.isascii())


def chips(amount: float) -> Message:
    """Return a payment with its sign, "+58 chips" or "-1 chip"."""
    signed = amount + 0.0  # for a negative zero has a sign too
    return count("{chips:+g} chip", "{chips:+g} chips", abs(amount), chips=signed)
