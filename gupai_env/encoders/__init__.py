"""The observation encoders, by the id of their game."""

from gupai_env.core.game import Game
from gupai_env.core.layout import Encoder
from gupai_env.encoders import connecting, da_ling, ding_niu, small_mahjong, tiu_u

ENCODERS: dict[str, Encoder] = {
    "jie-long": connecting.ENCODER,
    "ce-deng": connecting.ENCODER,
    "ding-niu": ding_niu.ENCODER,
    "da-ling": da_ling.ENCODER,
    "tiu-u": tiu_u.ENCODER,
    "small-mahjong": small_mahjong.ENCODER,
}


def encoder_of(game: Game) -> Encoder:
    """Return the encoder of a game."""
    return ENCODERS[game.id]
