"""What leads newcomers through a deal of a connecting game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.tiles import HIGHEST, weight
from gupai_env.games.connecting.hints import ConnectingHints
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.guide import Guide, Payment, Phrase, between, fewest_first
from gupai_env.games.phrases import listed
from gupai_env.words.messages import count, say
from gupai_env.words.scene import Views

# Features of one number that is left open.
NUMBERED = tuple(f"{name}_{number}" for name in ("attack", "attack_short") for number in range(1, HIGHEST + 1))


class ConnectingGuide(Guide):
    """The connecting games: points are the pips discarded, and those left in hand."""

    kind = "A matching game, like Western dominoes: tiles join the line by equal ends"

    hints: ConnectingHints
    variant: Any  # one that says `forced_play`, `open_ends` and `stake`
    terms: ClassVar[Mapping[str, str]] = {
        "open end": "A number at the end of the line to which the next tile may be added.",
        "points": "The pips of all tiles that you discard; they count against you.",
        "double": "A tile with two equal halves, such as [4:4].",
    }
    phrases: ClassVar[Mapping[str, Phrase]] = {
        "pips": Phrase("lays {number} pips", weighs=("late_pips",), alike=True),
        "discard_pips": Phrase(
            "costs {number} points", none="costs nothing", better=-1, weighs=("discard", "pips", "late_pips")
        ),
        "variety": Phrase(
            "keeps {number} different numbers in your hand",
            "keeps {number} number in your hand",
            "keeps nothing",
            weighs=("gives_up",),
            alike=True,
        ),
        "double": Phrase(
            "lays a double, which only its own number lets you lay",
            none="keeps it in your hand",
            weighs=("double_early",),
            alike=True,
        ),
        "own_next": Phrase(
            "leaves {ends} open to {own} against {unseen}",
            shows={"own_next": 1, "unseen_next": -1},
            weighs=("own_fit", "unseen_next", "unseen_fit", *NUMBERED),
        ),
        "next_void": Phrase(
            "leaves the next {number} players nothing to lay",
            "leaves the next player nothing to lay",
            "may let the next player lay a tile",
        ),
        "answers": Phrase(
            "keeps an answer to {number} unseen tiles",
            "keeps an answer to one unseen tile",
            "keeps no answer to any unseen tile",
        ),
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        "pips": "pips on the tile laid",
        "discard": "discard",
        "discard_pips": "pips on the tile discarded",
        "variety": "different numbers on kept tiles",
        "double": "lay a double",
        "gives_up": "numbers that leave your hand",
        "own_next": "kept tiles that fit next",
        "unseen_next": "unseen tiles that fit next",
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "fit next": "A tile fits next if it carries a number that is open after the move."
    }

    def task(self, view: np.record, mask: np.ndarray) -> str:
        """Return which number is to be matched."""
        plays, discards = bool(mask[:DISCARD].any()), bool(mask[DISCARD:].any())
        if view.turn == 0:
            return "lead any tile"
        ends = listed((int(end) for end in view.ends if end), "or")
        if not plays:
            return say("discard a tile face down, for none of yours has a {ends}", ends=ends)
        return say("match the {ends}, or discard a tile", ends=ends) if discards else say("match the {ends}", ends=ends)

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also the open numbers after a move, and the tiles kept and unseen that fit them."""
        ends = view.ends if action >= DISCARD else self.hints.ends_after(view, action)
        own, unseen = (round(values[name]) for name in ("own_next", "unseen_next"))
        return super().slots(view, action, other, values) | {
            "ends": listed(int(end) for end in ends),
            "own": count("one of your tiles", "{number} of your tiles", own) if own else say("none of your tiles"),
            "unseen": count("one unseen", "{number} unseen", unseen) if unseen else say("no unseen tile"),
        }

    def lessons(self, view: np.record, mask: np.ndarray) -> Iterator[str]:
        """Yield what a lead, a match and a discard are."""
        plays, discards = bool(mask[:DISCARD].any()), bool(mask[DISCARD:].any())
        if view.turn == 0:
            yield "You lead: the number at the free end of your tile is the one that the next player must match."
        elif plays and not discards:
            yield "As long as one of your tiles fits, you must lay one that does."
        elif plays:
            yield "You may discard instead of laying a tile, but every pip that you discard is a point against you."
        else:
            yield "Nothing fits, so you discard a tile face down. Its pips are points against you: fewest points wins."

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the points of all seats."""
        yield fewest_first(names, self.points(views))

    def payments(self, views: Views, payoffs: Sequence[float]) -> list[Payment]:
        """Return what every two seats settle."""
        points = self.points(views)
        stake = self.variant.stake
        return between(payoffs, lambda seat, other: stake * self.settled(views, points, seat, other))

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return how many stakes a seat wins from another one."""
        return points[other] - points[seat]

    @staticmethod
    def points(views: Views) -> list[int]:
        """Return the points of all seats."""
        return [int(weight(view.discards) + weight(view.hand)) for view in views]
