"""Da Ling as a PettingZoo environment."""

import functools

from gupai_env.aec import GupaiEnv
from gupai_env.games.da_ling import GAME

raw_env = functools.partial(
    GupaiEnv, GAME
)  # options: those of `GupaiEnv` and of the variant (`gupai rules da-ling`)
env = raw_env  # the environment itself enforces the order of calls and the legality of actions
