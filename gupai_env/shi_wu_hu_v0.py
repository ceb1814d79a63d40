"""Shi Wu Hu as a PettingZoo environment; options are those of `GupaiEnv` and `gupai rules shi-wu-hu`."""

import functools

from gupai_env.aec import GupaiEnv
from gupai_env.games.shi_wu_hu import GAME

raw_env = functools.partial(GupaiEnv, GAME)
env = raw_env  # the environment itself enforces the order of calls and the legality of actions
