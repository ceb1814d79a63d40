"""Random play of many lanes, and what is seen of their states."""

import dataclasses
from typing import NamedTuple

import numpy as np

from gupai_env import Lanes
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.variant import Variant


class Walk(NamedTuple):
    """Arrays [T, B, ...]: what was there before each of T steps, the action taken, and what it brought."""

    game: Game
    variant: Variant
    lanes: Lanes  # after the last step
    states: np.recarray
    seats: np.ndarray
    masks: np.ndarray
    observations: np.ndarray
    actions: np.ndarray
    payoffs: np.ndarray
    over: np.ndarray

    def positions(self, num: int, seed: int) -> np.recarray:
        """`num` of the states, drawn at random."""
        at = np.random.default_rng(seed).choice(self.states.size, num)
        return self.states.reshape(-1)[at].view(np.recarray)


def lanes_of(game: Game, variant: Variant, num: int, **how) -> Lanes:
    """Lanes of a variant given as its dataclass."""
    return Lanes(game, num, **how, **options_of(variant))


def options_of(variant: Variant) -> dict:
    """The options of a variant as keywords."""
    return {field.name: getattr(variant, field.name) for field in dataclasses.fields(variant)}


def random_walk(game: Game, variant: Variant, num: int, steps: int, seed: int) -> Walk:
    """Play `steps` random legal decisions in `num` lanes."""
    lanes = lanes_of(game, variant, num, seed=seed)
    shape = (steps, num)
    walk = Walk(
        game,
        variant,
        lanes,
        states=np.zeros(shape, game.state).view(np.recarray),
        seats=np.zeros(shape, np.int8),
        masks=np.zeros((*shape, game.num_actions), np.bool_),
        observations=np.zeros((*shape, lanes.layout.size), np.int8),
        actions=np.zeros(shape, np.int16),
        payoffs=np.zeros((*shape, game.max_seats), np.float32),
        over=np.zeros(shape, np.bool_),
    )
    for step in range(steps):
        walk.states[step] = lanes.states
        walk.seats[step] = lanes.seats
        walk.masks[step] = lanes.masks
        walk.observations[step] = lanes.observations
        walk.actions[step] = lanes.sample(derive(seed, step))
        walk.payoffs[step], walk.over[step] = lanes.step(walk.actions[step])
    return walk


def set_up(game: Game, variant: Variant, states: np.recarray) -> Lanes:
    """Lanes that go on from the given states and stop when their episode is over."""
    lanes = lanes_of(game, variant, len(states), renew=False)
    lanes.states[:] = states
    lanes.refresh()
    return lanes


def play_out(lanes: Lanes, seed: int, without: tuple[int, ...] = ()) -> Lanes:
    """Play random legal decisions, but none of the actions `without`, until every lane is over."""
    while not lanes.over.all():
        lanes.step(sample(lanes, derive(seed, int(lanes.states.moves.max())), without))
    return lanes


def sample(lanes: Lanes, key: int, without: tuple[int, ...] = ()) -> np.ndarray:
    """One random legal action per lane, but none of the actions `without`."""
    masks, actions = lanes.masks.copy(), np.zeros(lanes.num_lanes, np.int64)
    masks[:, list(without)] = False
    lanes.kernels.pick(masks, key, actions)
    return actions


def views_of(lanes: Lanes, states: np.recarray, seat: int) -> np.recarray:
    """What a seat knows in each state, in views that were empty before."""
    views = np.zeros(len(states), lanes.game.view).view(np.recarray)
    lanes.kernels.view_of(lanes.rules, states, seat, views)
    return views


def encoded(lanes: Lanes, views: np.recarray) -> np.ndarray:
    """The observations of views."""
    observations = np.zeros((len(views), lanes.layout.size), np.int8)
    lanes.kernels.encode(views, observations)
    return observations
