"""The vectorised environment on a CUDA GPU: many deals of one game side by side, torch tensors in and out."""

import contextlib
import importlib.util
import os
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import MOST_ENVS, MOST_STEPS, blank_arrays, table_of
from gupai_env.core.keys import derive_each
from gupai_env.core.layout import Layout
from gupai_env.core.memory import bytes_of, record_of
from gupai_env.core.rng import as_key, as_keys
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import refused, truth, whole_number
from gupai_env.options import Options

Tensor = Any  # torch is imported only by those who ask for a GPU


class CudaVectorEnv:
    """B deals of one variant on a CUDA GPU. Lane i plays the same deals as lane i of a `VectorEnv` of the same seed.

    Experimental: its kernels compile for a GPU, and play the same in numba's simulator; no GPU has run them yet.

    Everything is asked for on torch's current stream, and nothing is copied to the processor except the number of a
    lane whose action is refused.

    Attributes: those of `VectorEnv`, tensors on the GPU that `step` overwrites in place; clone what you keep. States
        are bytes, uint8 [B, game.state.itemsize], of which `field` returns one field; rules, those of the variant, and
        table, uint8 [1, any], are what kernels take.
    """

    seats: Tensor
    masks: Tensor
    observations: Tensor
    rewards: Tensor
    terminated: Tensor
    states: Tensor
    seeds: Tensor
    episodes: Tensor
    rules: Tensor
    table: Tensor

    def __init__(
        self,
        game: str | Game,
        num_envs: int,
        *,
        seed: int = 0,
        observe: bool = True,
        renew: bool = True,
        skip_forced: bool = False,
        device: str = "cuda",
        **variant: Unpack[Options],
    ) -> None:
        """Make the lanes.

        Args:
            game, num_envs, seed, observe, renew, skip_forced: As of `VectorEnv`.
            device: The GPU, as torch names it: "cuda" or "cuda:1". A process uses one.

        Raises:
            ValueError: As `VectorEnv`, and for a device that is not there.
            ImportError: If the extra `cuda` is not installed.
        """
        self.num_envs: int = whole_number("num_envs", num_envs, 1, MOST_ENVS)
        flags = {
            "observe": truth("observe", observe),
            "renew": truth("renew", renew),
            "skip_forced": truth("skip_forced", skip_forced),
        }
        as_key(seed)
        self.game: Game = get_game(game)
        self.layout: Layout = self.game.encoder.layout
        self.variant: Variant = variant_from(self.game, variant, CudaVectorEnv)
        self.torch, self.cuda = _libraries(device)
        self.device, self._kernels = device, self.cuda.cuda_kernels(self.game)
        tensors = {"rules": self._on_gpu(record_of(self.variant.as_rules()))}
        for name, array in blank_arrays(self.game, 1).items():
            one = self._on_gpu(array) if name == "states" else self.torch.as_tensor(array, device=device)
            tensors[name] = one.repeat(num_envs, *[1] * (one.ndim - 1))
        vars(self).update(tensors)
        addresses = {name: tensor.data_ptr() for name, tensor in tensors.items()}
        self.table = self._on_gpu(table_of(num_envs, addresses, **flags))
        self._refused = self.torch.empty(1, dtype=self.torch.int64, device=device)
        self.reset(seed)

    def _on_gpu(self, records: np.ndarray) -> Tensor:
        return self.torch.as_tensor(bytes_of(records), device=self.device)

    def _run(self, kernel: Any, *arguments: int | Tensor) -> None:
        """Run a kernel of tables over all lanes."""
        self.cuda.run(kernel, self.num_envs, self.table, *arguments)

    def reset(self, seed: int | None = None, *, seeds: np.ndarray | Sequence[int] | None = None) -> None:
        """Begin episode 0 in every lane, as `VectorEnv.reset`; raises ValueError for seeds that are none."""
        keys = as_keys(seeds, self.num_envs) if seeds is not None else derive_each(as_key(seed or 0), 0, self.num_envs)
        self.seeds.copy_(self.torch.as_tensor(keys))
        self.episodes.zero_()
        self.rewards.zero_()
        self.begin()
        self.refresh()

    def begin(self) -> None:
        """Begin episode number `episodes` of the stream `seeds` in every lane; `refresh` shows it."""
        self._run(self._kernels.begin)

    def refresh(self) -> None:
        """Fill `seats`, `masks`, `observations` and `terminated` from `states`; call it after changing states."""
        self._run(self._kernels.show)
        self.terminated.copy_(self.field("terminated") != 0)

    def field(self, name: str) -> Tensor:
        """Return a field of the states, [B] or [B, any], a tensor that shares their memory."""
        dtype, first = dict(self.game.state.fields or {})[name][:2]
        number = self.torch.as_tensor(np.empty(0, dtype.base)).dtype
        values = self.states[:, first : first + dtype.itemsize].view(number)
        return values if dtype.shape else values[:, 0]

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Play one action in every lane, int64 [B] on the GPU; returns and raises as `VectorEnv.step`.

        Raises:
            ValueError: For another tensor.
        """
        if actions.dtype != self.torch.int64 or actions.shape != (self.num_envs,):
            raise ValueError(f"actions are int64 [{self.num_envs}], not {actions.dtype} {list(actions.shape)}")
        if actions.device != self.seats.device:
            raise ValueError(f"actions are on {self.seats.device}, not on {actions.device}")
        actions = actions.contiguous()
        self.check(actions)
        self._run(self._kernels.step, actions)
        return self.rewards, self.terminated

    def check(self, actions: Tensor) -> None:
        """Raise IllegalActionError for the first lane whose mask forbids its action, int64 [B]; WAIT is allowed."""
        self._refused.fill_(self.num_envs)
        self._run(self._kernels.check, actions, self._refused)
        if (lane := int(self._refused)) < self.num_envs:
            raise self.refusal(lane, int(actions[lane]))

    def refusal(self, lane: int, action: int) -> IllegalActionError:
        """Return the error for an action that the mask of a lane forbids."""
        state = self.states[lane].cpu().numpy().view(self.game.state).view(np.recarray)
        return Deal(self.game, self.variant, state).illegal(f"lane {lane}, seat {int(self.seats[lane])}", action)

    def sample(self, key: int) -> Tensor:
        """Return one random legal action per lane, int64 [B], as `VectorEnv.sample` draws it from `key`."""
        actions = self.torch.empty_like(self.seeds)
        self._run(self._kernels.pick, as_key(key, "a key"), actions)
        return actions

    def play_random(self, steps: int, key: int) -> tuple[Tensor, Tensor]:
        """Play `steps` random legal actions in every lane; returns and raises as `VectorEnv.play_random`."""
        self._run(self._kernels.play_random, whole_number("steps", steps, 1, MOST_STEPS), as_key(key, "a key"))
        return self.rewards, self.terminated

    def observed_by(self, seat: int) -> Tensor:
        """Return what one seat observes in every lane, int8 [B, layout.size]."""
        observations = self.torch.empty_like(self.observations)
        self._run(self._kernels.observe_seat, seat, observations)
        return observations

    def views(self) -> tuple[Tensor, Tensor]:
        """Return what the seats to act know, the bytes of views, uint8 [B, game.view.itemsize], and their RNG keys."""
        views = self.states.new_zeros(self.num_envs, self.game.view.itemsize)
        rng_keys = self.torch.empty_like(self.seeds)
        self._run(self._kernels.views, views, rng_keys)
        return views, rng_keys

    def determinize(self, views: Tensor, rng_keys: Tensor) -> Tensor:
        """Return the bytes of a state drawn from the view of every lane, as `states` has them."""
        states = self.states.clone()
        self._run(self._kernels.determinize, views, rng_keys, states)
        return states


def _libraries(device: str) -> tuple[Any, Any]:
    """Return torch and the module of kernels, for a device that is there; raises as `CudaVectorEnv`."""
    for package in ("torch", "numba_cuda"):
        if importlib.util.find_spec(package) is None:
            raise ImportError(f"lanes on a GPU need {package}: pip install 'gupai[cuda]'")
    import torch

    from gupai_env.core import cuda

    if not cuda.is_there(device):
        raise refused("device", device, "it must be cpu, or a CUDA GPU that torch finds")
    return torch, cuda


def plays_on(device: str) -> bool:
    """Return whether rules can be played on a device: a GPU with numba-cuda, or the CPU in numba's simulator."""
    if device == "cpu" and not int(os.environ.get("NUMBA_ENABLE_CUDASIM", 0)):
        return False  # without importing anything
    with contextlib.suppress(ImportError, ValueError):
        return bool(_libraries(device))
    return False
