"""Small Mahjong as a PettingZoo environment."""

from typing import Any

from gupai_env.aec import GupaiEnv
from gupai_env.encoders import encoder_of
from gupai_env.games.small_mahjong import GAME


def raw_env(**options: Any) -> GupaiEnv:
    """Return the environment. Options: those of `GupaiEnv` and of the variant (`gupai rules small-mahjong`)."""
    return GupaiEnv(GAME, encoder_of(GAME), **options)


env = raw_env  # the environment itself enforces the order of calls and the legality of actions
