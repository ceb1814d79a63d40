"""Random play of many lanes, and what is seen of their states."""

import dataclasses
from typing import NamedTuple

import numpy as np

from gupai_env import VectorEnv
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.variant import Variant


class Walk(NamedTuple):
    """Arrays [T, B, ...]: what was there before each of T steps, the action taken, and what it brought."""

    game: Game
    variant: Variant
    envs: VectorEnv  # after the last step
    states: np.recarray
    seats: np.ndarray
    masks: np.ndarray
    observations: np.ndarray
    actions: np.ndarray
    payoffs: np.ndarray
    terminated: np.ndarray

    def positions(self, num: int, seed: int) -> np.recarray:
        """`num` of the states, drawn at random."""
        at = np.random.default_rng(seed).choice(self.states.size, num)
        return self.states.reshape(-1)[at].view(np.recarray)


def envs_of(game: Game, variant: Variant, num: int, **how) -> VectorEnv:
    """VectorEnv of a variant given as its dataclass."""
    return VectorEnv(game, num, **how, **options_of(variant))


def options_of(variant: Variant) -> dict:
    """The options of a variant as keywords."""
    return {field.name: getattr(variant, field.name) for field in dataclasses.fields(variant)}


def random_walk(game: Game, variant: Variant, num: int, steps: int, seed: int) -> Walk:
    """Play `steps` random legal decisions in `num` lanes."""
    envs = envs_of(game, variant, num, seed=seed)
    shape = (steps, num)
    walk = Walk(
        game,
        variant,
        envs,
        states=np.zeros(shape, game.state).view(np.recarray),
        seats=np.zeros(shape, np.int8),
        masks=np.zeros((*shape, game.num_actions), np.bool_),
        observations=np.zeros((*shape, envs.layout.size), np.int8),
        actions=np.zeros(shape, np.int16),
        payoffs=np.zeros((*shape, game.max_seats), np.float32),
        terminated=np.zeros(shape, np.bool_),
    )
    for step in range(steps):
        walk.states[step] = envs.states
        walk.seats[step] = envs.seats
        walk.masks[step] = envs.masks
        walk.observations[step] = envs.observations
        walk.actions[step] = envs.sample(derive(seed, step))
        walk.payoffs[step], walk.terminated[step] = envs.step(walk.actions[step])
    return walk


def set_up(game: Game, variant: Variant, states: np.recarray) -> VectorEnv:
    """Lanes that go on from the given states and stop when their episode is over."""
    envs = envs_of(game, variant, len(states), renew=False)
    envs.states[:] = states
    envs.refresh()
    return envs


def play_out(envs: VectorEnv, seed: int, without: tuple[int, ...] = ()) -> VectorEnv:
    """Play random legal decisions, but none of the actions `without`, until every lane is over."""
    while not envs.terminated.all():
        envs.step(sample(envs, derive(seed, int(envs.states.moves.max())), without))
    return envs


def sample(envs: VectorEnv, key: int, without: tuple[int, ...] = ()) -> np.ndarray:
    """One random legal action per lane, but none of the actions `without`."""
    masks, actions = envs.masks.copy(), np.zeros(envs.num_envs, np.int64)
    masks[:, list(without)] = False
    envs.kernels.pick(masks, key, actions)
    return actions


def views_of(envs: VectorEnv, states: np.recarray, seat: int) -> np.recarray:
    """What a seat knows in each state, in views that were empty before."""
    views = np.zeros(len(states), envs.game.view).view(np.recarray)
    envs.kernels.view_of(envs.rules, states, seat, views)
    return views


def encoded(envs: VectorEnv, views: np.recarray) -> np.ndarray:
    """The observations of views."""
    observations = np.zeros((len(views), envs.layout.size), np.int8)
    envs.kernels.encode(views, observations)
    return observations
