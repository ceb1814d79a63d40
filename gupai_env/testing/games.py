"""Playing through PettingZoo's API alone: masks, snapshots of what a table shows, one game under way."""

import re
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pettingzoo import AECEnv

Snapshot = dict[str, Hashable]
PLAIN = (bool, int, float, str, type(None))
ARRAYS, LISTS, SETS = (np.ndarray, np.generic), (list, tuple), (set, frozenset)


def frozen(value: Any) -> Hashable:
    """A value to compare byte by byte: arrays with dtype and shape, containers item by item."""
    if type(value) in PLAIN:
        return type(value).__name__, repr(value)
    if isinstance(value, ARRAYS):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return tuple(sorted((repr(key), frozen(item)) for key, item in value.items()))
    if isinstance(value, LISTS):
        return tuple(map(frozen, value))
    if isinstance(value, SETS):
        return tuple(sorted(map(repr, value)))
    return type(value).__name__, re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def mask_of(env: AECEnv, agent: str) -> Any:
    """The action mask as the environment hands it out, in the observation or else in the info; or None."""
    observation = env.observe(agent)
    if isinstance(observation, Mapping) and "action_mask" in observation:
        return observation["action_mask"]
    return env.infos.get(agent, {}).get("action_mask")


def all_actions(env: AECEnv, agent: str) -> range:
    """Every action of the seat's action space, which the kit needs to be Discrete."""
    space: Any = env.action_space(agent)
    return range(int(space.start), int(space.start + space.n))


def masked_actions(env: AECEnv, agent: str) -> list[int]:
    """The actions that the mask allows; all of them if there is no mask."""
    actions, mask = all_actions(env, agent), mask_of(env, agent)
    if mask is None:
        return list(actions)
    return [action for action, allowed in zip(actions, np.ravel(mask), strict=False) if allowed]


def is_out(env: AECEnv, agent: str) -> bool:
    return bool(env.terminations[agent] or env.truncations[agent])


def is_over(env: AECEnv) -> bool:
    return all(is_out(env, agent) for agent in env.agents)


def full_state(env: AECEnv) -> Hashable:
    """PettingZoo's optional `state()`, or None where the environment has none."""
    if not callable(env.unwrapped.state):  # rock, paper, scissors keeps a dict under that name
        return None
    try:
        return frozen(env.state())
    except NotImplementedError:
        return None


def snapshot(env: AECEnv) -> Snapshot:
    """Everything that the API shows at this moment, for every seat."""
    entries: Snapshot = {"the list of agents": tuple(env.agents)}
    if env.agents:
        entries["the seat to act"] = env.agent_selection
        entries["state()"] = full_state(env)
    for agent in env.agents:
        entries[f"the observation of {agent}"] = frozen(env.observe(agent))
        entries[f"the info of {agent}"] = frozen(env.infos[agent])
        entries[f"the reward of {agent}"] = float(env.rewards[agent])
        entries[f"what last() pays {agent}"] = float(env._cumulative_rewards[agent])
        entries[f"whether {agent} is out"] = is_out(env, agent)
    return entries


def difference(expected: Snapshot, got: Snapshot) -> str | None:
    """What differs first between two snapshots, in words; None if nothing does."""
    return next((name for name in expected | got if expected.get(name) != got.get(name)), None)


@dataclass
class Game:
    """One game under way.

    Attributes:
        env: the environment, in the position reached.
        seed: the seed of its reset.
        moves: (agent, action) pairs made so far.
        announced: by seat, the sum of `rewards` after each move.
        delivered: by seat, the sum of what `last()` has handed out at its turns.
    """

    env: AECEnv
    seed: int
    moves: list[tuple[str, int]] = field(default_factory=list)
    announced: dict[str, float] = field(default_factory=dict)
    delivered: dict[str, float] = field(default_factory=dict)

    @property
    def actions(self) -> list[int]:
        return [action for _, action in self.moves]

    def seat_to_act(self) -> str | None:
        """The live seat to act, once the seats that are out have been stepped away; None when all are out."""
        while not is_over(self.env):
            agent: str = self.env.agent_selection
            if not is_out(self.env, agent):
                return agent
            self._step(agent, None)
        return None

    def legal(self) -> list[int]:
        """The masked actions of the seat to act."""
        return masked_actions(self.env, self.env.agent_selection)

    def take(self, action: int) -> None:
        """Make one move; an exception of `step` passes through and counts nothing."""
        agent = self.env.agent_selection
        self._step(agent, action)
        self.moves.append((agent, action))
        for seat, reward in self.env.rewards.items():
            self.announced[seat] = self.announced.get(seat, 0.0) + float(reward)

    def takes(self, action: int) -> bool:
        """Make one move if `step` agrees; a masked action that it refuses is for mask-soundness to judge."""
        try:
            self.take(action)
        except Exception:
            return False
        return True

    def take_any(self, rng: np.random.Generator, legal: list[int]) -> bool:
        """Make one of these moves, at random; False if none is taken."""
        return any(self.takes(int(action)) for action in rng.permutation(legal))

    def clear_table(self) -> None:
        """Step all finished seats away, which hands them their last rewards."""
        for _ in range(len(self.env.agents)):
            if self.env.agents:
                self._step(self.env.agent_selection, None)

    def _step(self, agent: str, action: int | None) -> None:
        paid = float(self.env.last(observe=False)[1])
        self.env.step(action)
        self.delivered[agent] = self.delivered.get(agent, 0.0) + paid


Poke = Callable[[Game], None]
