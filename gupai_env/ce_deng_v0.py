"""Ce Deng as a PettingZoo environment."""

import functools

from gupai_env.aec import GupaiEnv
from gupai_env.games.ce_deng import GAME

raw_env = functools.partial(
    GupaiEnv, GAME
)  # options: those of `GupaiEnv` and of the variant (`gupai rules ce-deng`)
env = raw_env  # the environment itself enforces the order of calls and the legality of actions
