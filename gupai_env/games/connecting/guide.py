"""What people see and read of a connecting game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.hints import Line, Lines
from gupai_env.core.move import PLAY
from gupai_env.core.scene import Views
from gupai_env.core.tiles import HIGHEST, KINDS, PIPS, WEIGHT, tile_name, weight
from gupai_env.games.connecting.rules import DISCARD, ends_after
from gupai_env.games.guide import Guide, Phrase, fewest_first
from gupai_env.games.phrases import listed
from gupai_env.messages import count, joined, say

# Features of one number that is left open.
NUMBERED = tuple(f"{name}_{number}" for name in ("attack", "attack_short") for number in range(1, HIGHEST + 1))


class ConnectingGuide(Guide):
    """The connecting games: points are the pips discarded, and those left in hand."""

    kind = "A matching game, like Western dominoes: tiles join the line by equal ends"
    difference = "their difference"  # that two players settle
    answers = "Type the number of a move, or its tile: 64 for [6:4], d64 to discard it."
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        PLAY: "Play a tile",
        "": (
            "Or discard a tile face down; the points it costs are next to it",
            "Nothing fits, so discard a tile face down; the points it costs are next to it",
        ),
    }
    tasks: ClassVar[Lines] = (
        Line("lead any tile", lambda moment: moment.view.turn == 0),
        Line("discard a tile face down, for none of yours has a {ends}", lambda moment: PLAY not in moment.verbs),
        Line("match the {ends}, or discard a tile", lambda moment: "discard" in moment.verbs),
        Line("match the {ends}"),
    )
    lessons: ClassVar[Lines] = (
        Line(
            "You lead: the number at the free end of your tile is the one that the next player must match.",
            lambda moment: moment.view.turn == 0 and PLAY in moment.verbs,
        ),
        Line(
            "As long as one of your tiles fits, you must lay one that does.",
            lambda moment: moment.view.turn and "discard" not in moment.verbs,
        ),
        Line(
            "You may discard instead of laying a tile, but every pip that you discard is a point against you.",
            lambda moment: moment.view.turn and {PLAY, "discard"} <= moment.verbs,
        ),
        Line(
            "Nothing fits, so you discard a tile face down. Its pips are points against you: fewest points wins.",
            lambda moment: moment.view.turn and PLAY not in moment.verbs,
        ),
    )
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

    def reminder(self) -> str:
        """Return the game in a sentence, as the variant is played."""
        sentence = say(
            "Play a tile that has {ends}; its other end is open for the next player. {unable}, you discard a tile "
            "face down, and its pips are points against you: {payment}.",
            ends=say("either open number" if self.variant.open_ends == 2 else "the open number"),
            unable=say("If you cannot" if self.variant.forced_play else "If you cannot or will not"),
            payment=say(self.payment()),
        )
        return joined(" ", [sentence, *self.applicable(self.reminders)])

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        return say("fewest points wins, and every two players settle {difference}", difference=say(self.difference))

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return the open numbers."""
        return {} if view is None or not view.turn else {"ends": listed((int(end) for end in view.ends if end), "or")}

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, or what discarding it costs."""
        kind = actions[0] % KINDS
        if actions[0] >= DISCARD:
            return f"{tile_name(kind)} {WEIGHT[kind]}"
        leaves = [listed(self.ends_after(view, action)) for action in actions]
        return say("{tile} leaves {ends}", tile=tile_name(kind), ends=listed(leaves, "or"))

    def choice(self, view: np.record, actions: Sequence[int]) -> tuple[str, dict[str, int]]:
        """Ask for the end that stays open."""
        answers = {str(PIPS[action % KINDS, action // KINDS]): action for action in actions}
        return say("Which of its numbers stays open, {numbers}?", numbers=listed(list(answers), "or")), answers

    def ends_after(self, view: np.record, action: int) -> Sequence[int]:
        """Return the open numbers once a tile is laid."""
        return ends_after(view.ends, action % KINDS, action // KINDS, self.variant.open_ends == 2)

    def slots(self, view: np.record, action: int, other: int, values: Mapping[str, float]) -> dict[str, Any]:
        """Return also the open numbers after a move, and the tiles kept and unseen that fit them.

        Args:
            view: What the person knows.
            action, other: Two legal actions, of which the first is described.
            values: The features of the first, by name.
        """
        ends = view.ends if action >= DISCARD else self.ends_after(view, action)
        own, unseen = (round(values[name]) for name in ("own_next", "unseen_next"))
        return super().slots(view, action, other, values) | {
            "ends": listed(int(end) for end in ends),
            "own": count("one of your tiles", "{number} of your tiles", own) if own else say("none of your tiles"),
            "unseen": count("one unseen", "{number} unseen", unseen) if unseen else say("no unseen tile"),
        }

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the points of all seats.

        Args:
            views: What each seat knows at the end.
            names: Of the seats.
            payoffs: Chips of each seat.
        """
        yield fewest_first(names, self.points(views))

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return the chips that a seat wins from another one: a stake for each point that it has less."""
        return self.variant.stake * (points[other] - points[seat])

    def points(self, views: Views) -> list[int]:
        """Return the points of all seats."""
        return [int(weight(view.discards) + weight(view.hand)) for view in views]
