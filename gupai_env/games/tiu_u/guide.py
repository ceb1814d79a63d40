"""What people see and read of Tiu-U."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from gupai_env.core.hints import Line
from gupai_env.core.scene import Views
from gupai_env.games.fishing.guide import FishingGuide
from gupai_env.games.fishing.guide import Table as Table
from gupai_env.games.fishing.rules import CATCH
from gupai_env.games.guide import Phrase
from gupai_env.games.tiu_u.players import AT, FEATURES, VALUE, score_of_catch
from gupai_env.games.tiu_u.rules import BAIT, BIG_POINTS, POINTS, SMALL_RED, tens

BY_POINTS = np.zeros(len(FEATURES) + 1)  # weights by which a score is the points that are caught
BY_POINTS[AT.points] = 1


class Guide(FishingGuide):
    """Tiu-U: red pips of small fish, and big fish, which count by their pips."""

    goal = "Catch tiles of the lake with tiles of equal pips: big ones and red pips make the most points."
    reminders = (
        FishingGuide.how,
        Line(
            "A tile of eight pips or more counts two points for every pip, a smaller one a point for each red pip, "
            "rounded up to tens in all. Whoever has more points wins the difference."
        ),
    )
    lessons = (
        *FishingGuide.lessons,
        Line(
            "A tile of eight pips or more counts two points for every pip; a smaller one counts a point for each red "
            "pip, rounded up to tens in all."
        ),
        Line(
            "You hold two [6:6]: you may put both into your catch at once, before your bait.",
            lambda moment: "heaven pair" in moment.verbs,
        ),
    )
    terms: ClassVar[Mapping[str, str]] = {
        **FishingGuide.terms,
        "red pips": "Ones and fours are red, and so are six of the pips of [6:6]; all other pips are black.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        **FishingGuide.card_words,
        "points": "points your catch gains",
        "red": "red pips of small fish caught",
        "laid": "points of the tile laid",
        "big": "points of big fish caught",
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "left in the lake": "After the move; a big fish counts two for every pip, a small one its red pips.",
        "points of the tile laid": "Two for every pip of a big fish, the red pips of a small one.",
        "big fish": "A tile of eight pips or more; all others are small.",
    }

    tile_points = VALUE
    phrases: ClassVar[Mapping[str, Phrase]] = {
        **FishingGuide.phrases,
        "red": Phrase("catches {number} red pips", "catches one red pip", "catches no red pips"),
    }

    def adds(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        if action >= CATCH:
            return int(score_of_catch(view, action, BY_POINTS))
        return int(BIG_POINTS[BAIT[action]] + tens(SMALL_RED[BAIT[action]]))

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return what a seat wins from another one."""
        chips = super().settled(views, points, seat, other)
        return chips / self.variant.players if self.variant.settlement == POINTS else chips
