"""What people see and read of Shi Wu Hu."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

import numpy as np

from gupai_env.core.hints import Line
from gupai_env.core.scene import Views
from gupai_env.games.fishing.guide import FishingGuide
from gupai_env.games.fishing.guide import Table as Table
from gupai_env.games.fishing.rules import CATCH
from gupai_env.games.guide import Phrase
from gupai_env.games.phrases import says
from gupai_env.games.shi_wu_hu.players import growth, taken
from gupai_env.games.shi_wu_hu.rules import BAIT, GROUP_NAMES, THOUSAND, VALUE
from gupai_env.messages import joined


class Guide(FishingGuide):
    """Shi Wu Hu: tiles of full groups count more."""

    goal = "Catch tiles of the lake with tiles of equal pips, and fill groups, whose tiles count two or three times."
    reminders = (
        FishingGuide.how,
        Line(
            "Every tile caught counts 10, tiles of full groups 20 or 30, and every two players settle the difference "
            "of their points."
        ),
        Line(
            "A difference counts twice if just one of the two has 1,000 points.", lambda moment: moment.variant.thousand
        ),
    )
    lessons = (
        *FishingGuide.lessons,
        Line(
            "Every tile that you catch counts 10, and 30 or 20 once its group is full: Heaven-nine [6:6][6:3][5:4], "
            "Supreme [4:2][2:1], four of [5:5], [6:5] or [6:4] (30); [1:1][6:2][5:3], [4:4][5:2][4:3], "
            "[3:1][4:1][3:2] (20)."
        ),
    )
    terms: ClassVar[Mapping[str, str]] = {
        **FishingGuide.terms,
        "full group": "All its tiles are in your catch, as far as the rules ask: each of them counts 20 or 30, not 10.",
    }
    card_words: ClassVar[Mapping[str, str | tuple[str, str]]] = {
        **FishingGuide.card_words,
        "points": "points your catch gains",
        "keeps": "tiles caught of groups you can still fill",
        "thousand": "reach 1,000 points",
        "laid": "points the tile laid counts in a full group",
        "laid_now": "points the next player gains by the tile laid",
    }
    card_notes: ClassVar[Mapping[str, str]] = {
        "left in the lake": "After the move; each tile counts as in a full group.",
        "in a full group": "30 or 20; a tile of no group counts 10.",
        "can still fill": "A group that is not full before the move, and of which the others have not caught all tiles "
        "of a kind that you lack; of [5:5], [6:4] and [6:5] they have caught none.",
        "gains by the tile laid": "The points that the tile would add to the next player's catch now.",
    }

    tile_points = VALUE
    tile_counts = ("up to one point", "up to {number} points")  # in a full group
    phrases: ClassVar[Mapping[str, Phrase]] = {
        **FishingGuide.phrases,
        "denies": Phrase("keeps {number} points from another player", none="keeps none from the others"),
        "keeps": Phrase(
            "gets {number} tiles of groups that you can still fill",
            "gets one tile of a group that you can still fill",
            "gets none of a group that you can still fill",
        ),
        "thousand": Phrase("takes you to 1,000 points", none="does not"),
    }

    def adds(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        return int(growth(view, 0, taken(action)) if action >= CATCH else VALUE[BAIT[action]])

    def reasons(self, views: Views, names: Sequence[str], payoffs: Sequence[float]) -> Iterator[str]:
        """Yield the points, and whose groups are full."""
        yield from super().reasons(views, names, payoffs)
        for name, view in zip(names, views, strict=True):
            full = [group for index, group in enumerate(GROUP_NAMES) if int(view.full[0]) >> index & 1]
            if full:
                yield says(
                    name,
                    "{name} has full groups: {groups}.",
                    "{name} have full groups: {groups}.",
                    groups=joined(", ", full),
                )

    def settled(self, views: Views, points: Sequence[int], seat: int, other: int) -> float:
        """Return what a seat wins from another one, twice where just one of the two has a thousand points."""
        twice = self.variant.thousand and (points[seat] >= THOUSAND) != (points[other] >= THOUSAND)
        return super().settled(views, points, seat, other) * (2 if twice else 1)
