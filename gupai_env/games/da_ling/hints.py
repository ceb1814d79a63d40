"""What people read about Da Ling and its splits."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.heuristic import weights_row
from gupai_env.core.hints import Hints
from gupai_env.core.variant import FULL
from gupai_env.games.da_ling.players import FEATURES, HEURISTICS, score
from gupai_env.games.da_ling.rules import NO_MATCH, SPLITS
from gupai_env.words.messages import joined, say

BY_STAKES = weights_row(FEATURES, HEURISTICS["greedy"])


class DaLingHints(Hints):
    """Da Ling: every split with the stakes that it matches, the highest in all first."""

    most_shown = 12

    def reminder(self) -> str:
        """Return the game in a sentence."""
        split = (
            "six tiles into a single, a pair and a triple"
            if self.variant.deck == FULL
            else "three tiles, one as the single, one as the pair and one as the triple"
        )
        return say(
            "Split your {tiles}. A group matches if its points end in the target; [4:2] and [2:1] count 3 or 6. All "
            "three take everything; else the strongest group takes its stake.",
            tiles=say(split),
        )

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a split, or write it with its slashes."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the splits."""
        return "Your splits, the highest stakes first, and the stakes of the groups that match"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return the stakes that a split matches; pips of the colour decide between equal ones."""
        return float(score(view, actions[0], BY_STAKES))

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a split and the stakes of its groups that match."""
        stakes = [stake for stake in _matched(view, actions[0]) if stake]
        return joined("  ", [super().label(view, actions), "+".join(stakes) or "-"])

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return of each group whether it matches, and its stake."""
        return tuple(
            say("matches: stake {stake}", stake=stake) if stake else "no match" for stake in _matched(view, action)
        )


def _matched(view: np.record, action: int) -> list[str]:
    """Return the stakes of the groups of a split, "" of those that do not match."""
    groups = SPLITS[action]
    return [f"{view.stakes[index]:g}" if view.strength[group] != NO_MATCH else "" for index, group in enumerate(groups)]
