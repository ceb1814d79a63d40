"""The observation encoders, by the id of their game."""

from gupai_env.core.game import Game
from gupai_env.core.layout import Encoder
from gupai_env.encoders import connecting

ENCODERS: dict[str, Encoder] = {"jie-long": connecting.ENCODER, "ce-deng": connecting.ENCODER}


def encoder_of(game: Game) -> Encoder:
    """Return the encoder of a game."""
    return ENCODERS[game.id]
