"""Pai Gow as a PettingZoo environment; options are those of `GupaiEnv` and `gupai rules pai-gow`."""

import functools

from gupai_env.aec import GupaiEnv
from gupai_env.games.pai_gow import GAME

raw_env = functools.partial(GupaiEnv, GAME)
env = raw_env  # the environment itself enforces the order of calls and the legality of actions
