"""Tiu-U as a PettingZoo environment; options are those of `GupaiEnv` and `gupai rules tiu-u`."""

import functools

from gupai_env.aec import GupaiEnv
from gupai_env.games.tiu_u import GAME

raw_env = functools.partial(GupaiEnv, GAME)
env = raw_env  # the environment itself enforces the order of calls and the legality of actions
