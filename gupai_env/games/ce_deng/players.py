"""Rule-based players of Ce Deng: those of all connecting games, and what they answer before the play."""

from gupai_env.core.rule import rule
from gupai_env.games.ce_deng.rules import DECLARE, PLAY_ON, REDEAL
from gupai_env.games.connecting import players as connecting

PLAYERS = connecting.PLAYERS


@rule
def choose(player, view, mask, key):
    """Return the action of number `player` of PLAYERS.

    Asked before the play, they declare eight doubles and else demand the redeal: doubles are hard to lay.
    """
    if mask[PLAY_ON]:
        return DECLARE if mask[DECLARE] else REDEAL if mask[REDEAL] else PLAY_ON
    return connecting.choose(player, view, mask, key)
