"""What people read about Pai Gow and its splits."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.heuristic import weights_row
from gupai_env.core.hints import Hints
from gupai_env.games.pai_gow.groups import group_name
from gupai_env.games.pai_gow.players import FEATURES, HEURISTICS, score
from gupai_env.games.pai_gow.rules import groups_high_first
from gupai_env.words.messages import joined

BY_ODDS = weights_row(FEATURES, HEURISTICS["odds"])


class PaiGowHints(Hints):
    """Pai Gow: every split with what its groups make, those that are likely to win most first."""

    def reminder(self) -> str:
        """Return the game in a sentence."""
        if self.variant.small:  # type: ignore[attr-defined]
            return "Your two tiles meet the banker's; the better group wins, and there is nothing to decide."
        return (
            "Split your four tiles into two groups of two. The higher meets the banker's higher, the lower his lower: "
            "pairs, wong, gong, then points modulo ten, where [4:2] and [2:1] count 3 or 6."
            if self.variant.wild  # type: ignore[attr-defined]
            else "Split your four tiles into two groups of two. The higher meets the banker's higher, the lower his "
            "lower: pairs, wong, gong, then points modulo ten."
        )

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a split, or write it: 66 63 / 44 11."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the splits."""
        return "Your splits, high group first, and what the groups make"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return how many groups are likely to win."""
        return float(score(view, actions[0], BY_ODDS))

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a split and what its groups make."""
        return joined("  ", [super().label(view, actions), joined(" / ", self.makes(view, actions[0]))])

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return what the groups make, the high one first."""
        return tuple(group_name(view.table, *group) for group in groups_high_first(view.table, action, view.tiles))
