"""What people read about a connecting game and its moves."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gupai_env.core.hints import Hints
from gupai_env.core.move import PLAY
from gupai_env.core.tiles import KINDS, PIPS, WEIGHT, tile_name
from gupai_env.games.connecting.rules import DISCARD, join
from gupai_env.games.phrases import listed
from gupai_env.words.messages import say


class ConnectingHints(Hints):
    """The connecting games."""

    difference = "their difference"  # that two players settle
    variant: Any  # one that says `forced_play` and `open_ends`

    def reminder(self) -> str:
        """Return the game in a sentence, as the variant is played."""
        return say(
            "Play a tile that has {ends}; its other end is open for the next player. {unable}, you discard a tile "
            "face down, and its pips are points against you: {payment}.",
            ends=say("either open number" if self.variant.open_ends == 2 else "the open number"),
            unable=say("If you cannot" if self.variant.forced_play else "If you cannot or will not"),
            payment=say(self.payment()),
        )

    def payment(self) -> str:
        """Return what the points bring, as the end of a sentence."""
        return say("fewest points wins, and every two players settle {difference}", difference=say(self.difference))

    def answers(self) -> str:
        """Return what a person may type."""
        return "Type the number of a move, or its tile: 64 for [6:4], d64 to discard it."

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        if verb == PLAY:
            return "Play a tile"
        if PLAY in verbs:
            return "Or discard a tile face down; the points it costs are next to it"
        return "Nothing fits, so discard a tile face down; the points it costs are next to it"

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

    def ends_after(self, view: np.record, action: int) -> np.ndarray:
        """Return the open numbers once a tile is laid."""
        ends = view.ends.copy()
        join(ends, action % KINDS, action // KINDS, self.variant.open_ends == 2)
        return ends
