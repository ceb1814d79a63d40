"""What people read about Ce Deng and its moves."""

from collections.abc import Sequence

import numpy as np

from gupai_env.core.move import PLAY
from gupai_env.games.ce_deng.rules import DECLARE, PLAY_ON, REDEAL
from gupai_env.games.connecting.hints import ConnectingHints
from gupai_env.words.messages import joined

ANSWERS = {
    DECLARE: "every other player pays you twice the pips in their hand",
    REDEAL: "all hands are thrown in and dealt afresh",
    PLAY_ON: "keep your doubles and play",
}


class CeDengHints(ConnectingHints):
    """Ce Deng: the answers before the play are explained."""

    difference = "their difference, doubled if just one of them played all tiles or none"

    def heading(self, verb: str, verbs: Sequence[str]) -> str:
        """Return what stands over the moves of one verb."""
        return super().heading(verb, verbs) if verb in (PLAY, "discard") else "Before the play"

    def label(self, view: np.record, actions: Sequence[int]) -> str:
        """Return a tile and the numbers it leaves open, what discarding it costs, or what an answer means."""
        if actions[0] in ANSWERS:
            return joined(": ", [self.game.action_name(actions[0]), ANSWERS[actions[0]]])
        return super().label(view, actions)
