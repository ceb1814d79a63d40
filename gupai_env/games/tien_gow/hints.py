"""What people read about Tien Gow and its moves."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.hints import Hints
from gupai_env.core.move import PLAY
from gupai_env.core.tiles import tile_name
from gupai_env.games.tien_gow.combinations import CLASS, CLASS_NAMES, KIND_STRENGTH, SIZE, STRENGTH
from gupai_env.games.tien_gow.rules import DISCARD
from gupai_env.words.messages import joined


class TienGowHints(Hints):
    """Tien Gow: what may be led or beats, with what nobody can beat marked, and what may be discarded."""

    most_shown = 40
    composed = True

    def reminder(self) -> str:
        """Return the game in a sentence."""
        return (
            "Lead one to four tiles that belong together; the others beat them with higher ones of the same class or "
            "discard as many face down. Who wins the last trick wins the deal, and each other pays for the tricks "
            "that it lacks. Civil tiles, the highest first: [6:6] [1:1] [4:4] [3:1] [5:5] [3:3] [2:2] [6:5] [6:4] "
            "[6:1] [5:1]; all others are military, and their pips count."
        )

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a move or its tiles: 6663 for [6:6][6:3], d6451 to discard [6:4][5:1]."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        if verb == PLAY:
            return "Play face up; * cannot be beaten by any tiles that you do not see"
        if PLAY in verbs:
            return "Or discard face down, if several from the right of your hand to the left"
        return "Discard face down, if several from the right of your hand to the left"

    def value(self, view: np.record, actions: Sequence[int]) -> float:
        """Return by what the moves are listed: the most tiles and the strongest first; of discards the weakest."""
        action = actions[0]
        if action >= DISCARD:
            return -float(KIND_STRENGTH[action - DISCARD])
        return 10.0 * float(SIZE[action]) + float(STRENGTH[action])

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return the tiles, marked if none that the viewer does not see beat them."""
        tiles = "".join(map(tile_name, self.game.move(actions[0]).tiles))
        return f"{tiles} *" if _is_sure(view, actions[0]) else tiles

    def makes(self, view: np.record, action: int) -> tuple[str, ...]:
        """Return the class of the tiles, and whether anything can beat them."""
        if action >= DISCARD:
            return ()
        return (joined(", ", [CLASS_NAMES[CLASS[action]], "which nothing can beat" if _is_sure(view, action) else ""]),)

    def discards(self, view: np.record) -> int:
        """Return how many tiles are discarded to this trick, or must still be."""
        return int(view.to_discard or view.tiles)


def _is_sure(view: np.record, action: int) -> bool:
    """Return whether no tiles that the viewer does not see beat a combination."""
    return action < DISCARD and not int(view.beatable) >> action & 1
