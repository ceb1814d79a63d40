"""What people read about Tiu-U and its moves."""

import numpy as np

from gupai_env.games.fishing.hints import FishingHints
from gupai_env.games.fishing.rules import CATCH
from gupai_env.games.tiu_u.players import AT, FEATURES, score_of_catch
from gupai_env.games.tiu_u.rules import BAIT, BIG_POINTS, SMALL_RED, tens
from gupai_env.words.messages import joined

POINTS = np.zeros(len(FEATURES) + 1)  # weights by which a score is the points that are caught
POINTS[AT.points] = 1


class TiuUHints(FishingHints):
    """Tiu-U: big fish count by their pips, small ones by their red pips."""

    def reminder(self) -> str:
        """Return the game in a sentence."""
        count = (
            "A tile of eight pips or more counts two points for every pip, a smaller one a point for each red pip, "
            "rounded up to tens in all. Whoever has more points wins the difference."
        )
        return joined(" ", [self.how, count])

    def points(self, view: np.record, action: int) -> int:
        """Return the points a catch adds, or what a tile counts at most that is laid."""
        if action >= CATCH:
            return int(score_of_catch(view, action, POINTS))
        return int(BIG_POINTS[BAIT[action]] + tens(SMALL_RED[BAIT[action]]))
