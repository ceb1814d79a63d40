"""Texts for people about the moves of a game. A game without hints of its own gets plain ones.

They are part of the contract: a game has its hints, as it has its table, so that every player of a game reads the same
about its moves. What is always said is data; a method says what depends on a position.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, ClassVar, NamedTuple

import numpy as np

from gupai_env.core.move import PLAY
from gupai_env.messages import joined, say


class Moment(NamedTuple):
    """What a text may depend on.

    Attributes:
        variant: The options.
        view: What the seat to act knows.
        verbs: Of the moves that are legal.
    """

    variant: Any
    view: Any
    verbs: AbstractSet[str]


class Line(NamedTuple):
    """A text, and when it is said."""

    text: str
    when: Callable[[Moment], Any] = lambda moment: True


Lines = tuple[Line, ...]


class Hints:
    """Texts for any game; a game that needs better ones has its own subclass.

    Attributes:
        most_shown: Moves that are listed before the person asks for all.
        composed: Whether a person puts several tiles of the hand together before playing them.
        reminders: The game in a few sentences, those of them that the options ask for.
        answers: What a person may type.
        headings: What stands over the moves of a verb, "" for any other; two texts where it depends on whether tiles
            may be played as well: if they may, and if they may not.
        sorted_by: The heuristic by whose score the moves of one verb are sorted, the best first.
    """

    game: Any  # a `gupai_env.core.game.Game`, whose module imports this one
    variant: Any

    most_shown: int = 100
    composed: bool = False
    reminders: ClassVar[Lines] = ()
    answers: str = "Type the number of a move, or its tile: 64 for [6:4]."
    headings: ClassVar[Mapping[str, str | tuple[str, str]]] = {"": "Your moves"}
    sorted_by: str = ""

    def __init__(self, game: Any, variant: Any) -> None:
        self.game, self.variant = game, variant

    def facts(self, view: np.record | None) -> dict[str, Any]:
        """Return the slots of the lines of a game, which may depend on the options and on what the viewer knows."""
        return {}

    def applicable(
        self, lines: Iterable[Line], view: np.record | None = None, mask: np.ndarray | None = None
    ) -> Iterator[str]:
        """Yield the lines that apply to a moment."""
        legal = () if mask is None else np.flatnonzero(mask)
        moment = Moment(self.variant, view, {self.game.moves[action].verb for action in legal})
        for line in lines:
            if line.when(moment):
                yield say(line.text, **self.facts(view))

    def reminder(self) -> str:
        """Return the game in a sentence."""
        return joined(" ", self.applicable(self.reminders)) or self.game.summary or self.game.title

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return the heading of the moves of one verb; `verbs` are all that are legal now."""
        text = self.headings.get(verb) or self.headings[""]
        return text if isinstance(text, str) else text[PLAY not in verbs]

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the value by which the moves of one verb are sorted, the best first; ties are sorted by tiles."""
        return float(self.game.score(view, actions[0], self.game.heuristic(self.sorted_by))) if self.sorted_by else 0.0

    def sort_of(self, view: np.record, action: int) -> str:
        """Return in a word what an action does: "split", "lead", "follow", or its verb."""
        move, leads = self.game.move(action, view), self.leads(view)
        if move.groups:
            return "split"
        return move.verb if leads is None or move.verb != PLAY else "lead" if leads else "follow"

    def leads(self, view: np.record) -> bool | None:
        """Return whether the viewer, whose turn it is, leads; None where nobody does."""
        return None

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return how a move reads in the list; its actions differ only in how tiles are turned."""
        return joined("  ", [self.game.action_name(actions[0], view), self.remark(view, actions[0])])

    def remark(self, view: np.record, action: int) -> str:
        """Return what is written behind a move in the list."""
        return ""

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return what the tiles of an action make, one text for each group of its name, () if nothing need be said."""
        return ()

    def discards(self, view: np.record) -> int:
        """Return how many tiles are discarded together, one after another, if any is now."""
        return 1

    def choice(self, view: np.record, actions: Sequence[int]) -> tuple[str, dict[str, int]]:
        """Return the question that distinguishes such actions, and the action of every answer."""
        answers = {str(number): action for number, action in enumerate(actions, 1)}
        ways = [
            say("{number} for {action}", number=number, action=self.game.action_name(action, view))
            for number, action in answers.items()
        ]
        return say("Which way: {ways}?", ways=joined(", ", ways)), answers
