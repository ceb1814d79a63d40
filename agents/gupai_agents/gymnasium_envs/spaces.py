"""Spaces of actions whose samples are legal: of one table, of tables that Gymnasium steps, and of lanes."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, iterate

from gupai_env.vector import VectorEnv


class Sampled(np.int64):
    """A random action without a mask. Played where it is not legal, it stands for another one that is."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Sampled, (int(self),)  # numpy would make a plain number of it


class LegalActions(spaces.Discrete):
    """All actions by number; without a mask, `sample` draws from those that are legal in the environment now.

    So random play needs no mask, and programs that play samples, like Gymnasium's `check_env`, meet no error.
    """

    def __init__(self, mask: np.ndarray) -> None:
        super().__init__(len(mask))
        self.legal = mask  # int8 [num_actions], kept up to date by the environment

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """Return a random action: a legal one, or one that `mask` or `probability` allows."""
        if mask is None and probability is None:
            return Sampled(super().sample(self.legal))
        return super().sample(mask, probability)


class SampledActions(np.ndarray):
    """Actions of `SampledBatch`."""


class SampledBatch(spaces.MultiDiscrete):
    """The actions of single environments that Gymnasium steps side by side; without a mask, `sample` is `Sampled`."""

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """Return random actions, int64 [B]."""
        actions = super().sample(mask, probability)
        return actions.view(SampledActions) if mask is None and probability is None else actions


@batch_space.register
def _batch(space: LegalActions, n: int = 1) -> SampledBatch:
    return SampledBatch(np.full(n, space.n))


@iterate.register(SampledBatch)
def _iterate(space: spaces.Space, items: Iterable) -> Iterator:  # type: ignore[misc]
    return map(Sampled, items) if isinstance(items, SampledActions) else iter(items)


class LegalActionsBatch(spaces.MultiDiscrete):
    """One action per lane; without a mask, `sample` draws from those that are legal now."""

    def __init__(self, envs: VectorEnv) -> None:
        super().__init__(np.full(envs.num_envs, envs.game.num_actions))
        self._envs = envs

    def sample(self, mask: Any = None, probability: Any = None) -> np.ndarray:
        """Return random actions, int64 [B]: legal ones, or what `mask` or `probability` allow."""
        if mask is None and probability is None:
            return self._envs.sample(int(self.np_random.integers(1 << 62))).astype(np.int64)
        return super().sample(mask, probability)
