"""The vectorised environment on a CUDA GPU: many deals of one game side by side, torch tensors in and out."""

import contextlib
import importlib.util
import sys
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from gupai_env.core.deal import Deal
from gupai_env.core.game import Game
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import MOST_ENVS, MOST_STEPS, PIECE, blank_arrays, table_of
from gupai_env.core.keys import derive_each
from gupai_env.core.layout import Layout
from gupai_env.core.memory import bytes_of
from gupai_env.core.rng import as_key, as_keys, derive
from gupai_env.core.variant import Variant
from gupai_env.games import get_game, variant_from
from gupai_env.messages.checks import refused, truth, whole_number
from gupai_env.options import Options

WIDE = "masks", "observations"  # tensors of which each row begins at a multiple of PIECE
Tensor = Any  # torch is imported only by those who ask for a GPU


class CudaVectorEnv:
    """B deals of one variant on a CUDA GPU. Lane i plays the same deals as lane i of a `VectorEnv` of the same seed.

    Experimental: its kernels assemble for GPUs, and what is assembled plays the same where a processor runs it; no GPU
    has run them yet.

    Everything is asked for on torch's current stream of the device, and nothing waits for it. What is copied to the
    processor is the number of a lane whose action is refused: see `step`.

    Attributes: those of `VectorEnv`, tensors on the GPU that `step` overwrites in place; clone what you keep. States
        are bytes, uint8 [B, game.state.itemsize], of which `field` returns one field; rules, those of the variant, and
        table, numbers, are what kernels take.
    """

    seats: Tensor
    masks: Tensor
    observations: Tensor
    rewards: Tensor
    terminated: Tensor
    states: Tensor
    seeds: Tensor
    episodes: Tensor

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
            device: The GPU, as torch names it: "cuda:1", or "cuda" for the current one.

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
        self._kernels = self.cuda.cuda_kernels(self.game)
        tensors = {}
        for name, array in blank_arrays(self.game, 1).items():
            one = self.torch.as_tensor(bytes_of(array) if name == "states" else array, device=device)
            rows = one.repeat(num_envs, *[1] * (one.ndim - 1))
            tensors[name] = self._wide(rows) if name in WIDE else rows
        vars(self).update(tensors)
        self.device = str(self.seats.device)  # "cuda" is the one that is current now
        addresses = {name: tensor.data_ptr() for name, tensor in tensors.items()}
        table, self.rules = table_of(num_envs, addresses, **flags)[0], self.variant.as_rules()
        self.table: tuple[Any, ...] = self.cuda.Table(*table)._replace(rules=self.rules)
        nobody = self.torch.full((3,), self.cuda.NONE)
        self._refused = nobody.to(device, copy=True)  # see `cuda_kernels`
        self._seen = nobody.pin_memory() if self.seats.is_cuda else nobody  # what of it has arrived here
        self.reset(seed)

    def _wide(self, rows: Tensor) -> Tensor:
        """Return cleared rows of bytes like others, [B, any], which begin in memory where kernels write them."""
        length = rows.shape[1]
        return rows.new_zeros(len(rows), -(-length // PIECE) * PIECE)[:, :length]

    def _run(self, kernel: str, *arguments: int | Tensor) -> None:
        """Run a kernel of tables over all lanes; raises what an earlier step has refused, once that is known here."""
        if self._seen[0] < self.cuda.NONE:
            self._raise_refused()
        self.cuda.run(self._kernels[kernel], self.device, self.num_envs, self.table, *arguments)

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
        self._run("begin")

    def refresh(self) -> None:
        """Fill `seats`, `masks`, `observations` and `terminated` from `states`; call it after changing states."""
        self._run("show")
        self.terminated.copy_(self.field("terminated") != 0)

    def field(self, name: str) -> Tensor:
        """Return a field of the states, [B] or [B, any], a tensor that shares their memory."""
        dtype, first = dict(self.game.state.fields or {})[name][:2]
        number = self.torch.as_tensor(np.empty(0, dtype.base)).dtype
        values = self.states[:, first : first + dtype.itemsize].view(number)
        return values if dtype.shape else values[:, 0]

    def step(self, actions: Tensor) -> tuple[Tensor, Tensor]:
        """Play one action in every lane, int64 [B] on the GPU; returns as `VectorEnv.step`.

        Raises:
            ValueError: For another tensor. For an action that a mask forbids nothing is played, and IllegalActionError
                is raised as by `VectorEnv.step`, but later, because this does not wait for the GPU: by the first call
                after that is known here, at the latest by `check`. Until then no step plays anything.
        """
        if actions.dtype != self.torch.int64 or actions.shape != (self.num_envs,):
            raise ValueError(f"actions are int64 [{self.num_envs}], not {actions.dtype} {list(actions.shape)}")
        if actions.device != self.seats.device:
            raise ValueError(f"actions are on {self.seats.device}, not on {actions.device}")
        actions = actions.contiguous()
        self._run("check", actions, self._refused)
        self._run("step", actions, self._refused)
        self._seen.copy_(self._refused, non_blocking=True)
        return self.rewards, self.terminated

    def check(self, actions: Tensor) -> None:
        """Wait for the GPU, and raise IllegalActionError for the first lane whose mask forbids its action, int64 [B].

        WAIT is allowed. What an earlier step has refused is raised, too.
        """
        self._run("check", actions, self._refused)
        self._raise_refused(actions)

    def _raise_refused(self, actions: Tensor | None = None) -> None:
        """Raise what an earlier step has refused, or the check of `actions`, and let lanes be played again."""
        lane, stepped, action = self._refused.tolist()
        if lane < self.cuda.NONE:
            for noted in (self._refused, self._seen):
                noted.fill_(self.cuda.NONE)
            raise self.refusal(lane, action if stepped < self.cuda.NONE or actions is None else int(actions[lane]))

    def refusal(self, lane: int, action: int) -> IllegalActionError:
        """Return the error for an action that the mask of a lane forbids."""
        state = self.states[lane].cpu().numpy().view(self.game.state).view(np.recarray)
        return Deal(self.game, self.variant, state).illegal(f"lane {lane}, seat {int(self.seats[lane])}", action)

    def sample(self, key: int) -> Tensor:
        """Return one random legal action per lane, int64 [B], as `VectorEnv.sample` draws it from `key`."""
        actions = self.torch.empty_like(self.seeds)
        self._run("pick", as_key(key, "a key"), actions)
        return actions

    def play_random(self, steps: int, key: int) -> tuple[Tensor, Tensor]:
        """Play `steps` random legal actions in every lane; returns and raises as `VectorEnv.play_random`."""
        steps, key = whole_number("steps", steps, 1, MOST_STEPS), as_key(key, "a key")
        for number in range(steps):
            self.step(self.sample(derive(key, number)))
        return self.rewards, self.terminated

    def observed_by(self, seat: int) -> Tensor:
        """Return what one seat observes in every lane, int8 [B, layout.size]."""
        observations = self._wide(self.observations)
        self._run("observe_seat", seat, observations.data_ptr())
        return observations

    def views(self) -> tuple[Tensor, Tensor]:
        """Return what the seats to act know, the bytes of views, uint8 [B, game.view.itemsize], and their RNG keys."""
        views = self.states.new_zeros(self.num_envs, self.game.view.itemsize)
        rng_keys = self.torch.empty_like(self.seeds)
        self._run("views", views, rng_keys)
        return views, rng_keys

    def determinize(self, views: Tensor, rng_keys: Tensor) -> Tensor:
        """Return the bytes of a state drawn from the view of every lane, as `states` has them."""
        states = self.states.clone()
        self._run("determinize", views, rng_keys, states)
        return states


def _libraries(device: str) -> tuple[Any, Any]:
    """Return torch and the module of kernels, for a device that is there; raises as `CudaVectorEnv`."""
    for package in ("torch", "numba"):
        if importlib.util.find_spec(package) is None:
            raise ImportError(f"lanes on a GPU need {package}: pip install 'gupai[cuda]'")
    import torch

    from gupai_env.core import cuda

    if not cuda.is_there(device):
        raise refused("device", device, "it must be cpu, or a CUDA GPU that torch finds")
    return torch, cuda


def plays_on(device: str) -> bool:
    """Return whether rules can be played on a device: a GPU, or what stands in for one in tests."""
    if device == "cpu" and "gupai_env.core.cuda" not in sys.modules:
        return False  # without importing anything
    with contextlib.suppress(ImportError, ValueError):
        return bool(_libraries(device))
    return False
