"""The network that learns, in torch: its tensors have the names of a checkpoint's."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.utils import get_device
from threadpoolctl import threadpool_limits
from torch import nn
from torch.nn import functional as F

from gupai_agents.networks.network import GATED, Layer, forward, trunk_of, wiring
from gupai_env.messages.checks import counted
from gupai_training.config import Config

BFLOAT16 = "bfloat16"
FORBIDDEN = -1e9  # the logit of an action that is not legal


def device_of(name: str) -> torch.device:
    """Return the device that a configuration names; raises ValueError for a GPU that is not there."""
    kind, _, number = name.partition(":")
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if kind == "cuda" and int(number or 0) >= gpus:  # SB3 would silently take the CPU
        there = counted(gpus, "GPU") if gpus else "no GPUs"
        raise ValueError(f'device={name}: torch finds {there} here; choose "cpu" or "auto"')
    return get_device(name)


def native_bfloat16(device: torch.device) -> bool:
    """Return whether a device multiplies in bfloat16 natively, in half the time of float32.

    False where torch is too old to know about the processor, and on Intel processors without AMX (which a virtual
    machine may hide), whose products in bfloat16 take twice the time of those in float32.
    """
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    has: Mapping[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    quick = has.get("amx_bf16") or (has.get("avx512_bf16") and "Intel" not in str(has.get("cpu_name")))
    return device.type == "cpu" and bool(quick)


def precision_on(device: torch.device, precision: str) -> str:
    """Return "float32" or "bfloat16" for one of them or "auto"."""
    if precision == "auto":
        return BFLOAT16 if native_bfloat16(device) else "float32"
    return precision


@contextlib.contextmanager
def threads_of(torch_threads: int, numpy_threads: int) -> Iterator[None]:
    """Limit the threads of torch, which learns, and of numpy, by which players decide.

    By default numpy takes all cores for each product, and waits for them while others use them.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(torch_threads)
    try:
        with threadpool_limits(numpy_threads, "blas"):
            yield
    finally:
        torch.set_num_threads(before)


def relative(scores: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return the scores [N, actions] minus the mean of each row's legal ones."""
    return scores - (scores * legal).sum(1, keepdim=True) / legal.sum(1, keepdim=True)


class Network(nn.Module):
    """Policy and value on shared layers, for int8 observations.

    Attributes:
        precision: "float32" or "bfloat16", of matrix products; weights, gradients and sums stay float32.
    """

    trunk: nn.ModuleDict
    gate: nn.ModuleDict
    policy: nn.Linear
    value: nn.Linear

    def __init__(self, net: Mapping[str, Any], high: np.ndarray, actions: int) -> None:
        """Draw the weights from torch's generator.

        Args:
            net: The description of a checkpoint, see `gupai_agents.networks.network.wiring`.
            high: The largest value of each input, by which it is divided.
            actions: How many actions the policy scores.
        """
        super().__init__()
        self.precision = "float32"
        self.scale: torch.Tensor
        self.register_buffer("scale", torch.as_tensor(1.0 / high.astype(np.float32)), persistent=False)
        layers = [*enumerate(wiring(net, len(high)))]
        trunk = {str(n): nn.Linear(layer.inputs, layer.outputs) for n, layer in layers}
        gate = {str(n): nn.Linear(layer.inputs, layer.outputs) for n, layer in layers if layer.gated}
        self.trunk, self.gate = nn.ModuleDict(trunk), nn.ModuleDict(gate)
        width = net["hidden"][-1]
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)
        if net["type"] != GATED:  # as SB3 does; in a gated network this doubles what passes a gate and hurts
            gains = [*((layer, 2**0.5) for layer in trunk.values()), (self.policy, 0.01), (self.value, 1.0)]
            for layer, gain in gains:
                nn.init.orthogonal_(layer.weight, gain)
                nn.init.zeros_(layer.bias)
        self.layers: list[Layer] = trunk_of(net, self.get_submodule)

    @property
    def device(self) -> torch.device:
        """The device that holds the weights."""
        return self.scale.device

    def features(self, observations: torch.Tensor) -> torch.Tensor:
        """Return the features that policy and value share, [N, hidden[-1]], of observations [N, layout.size]."""
        return F.relu(forward(self.layers, observations.float() * self.scale, relu=F.relu))

    def forward(
        self, observations: torch.Tensor, *, values_move_trunk: bool = True
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits [N, actions] and values [N], float32, of observations [N, layout.size].

        Args:
            observations: Of the seats to act, int8.
            values_move_trunk: Whether gradients of the values reach the layers that the policy shares.
        """
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.precision == BFLOAT16):
            features = self.features(observations)
            values = self.value(features if values_move_trunk else features.detach())
            logits = self.policy(features)
        return logits.float(), values.squeeze(1).float()

    @torch.no_grad()
    def move_towards(self, other: "Network", rate: float) -> None:
        """Move the weights by a share of their distance to those of another network, 0..1."""
        for mine, theirs in zip(self.parameters(), other.parameters(), strict=True):
            mine.lerp_(theirs, rate)

    def tensors(self) -> dict[str, np.ndarray]:
        """Return a copy of the weights, under the names of a checkpoint."""
        return {name: weights.cpu().numpy().copy() for name, weights in self.state_dict().items()}

    def take(self, tensors: Mapping[str, np.ndarray]) -> None:
        """Load the tensors of a checkpoint of the same shapes."""
        self.load_state_dict({name: torch.as_tensor(array) for name, array in tensors.items()})


def build_network(config: Config) -> Network:
    """Return a new network for a configuration, on its device and in its precision; the seed draws the weights.

    Raises:
        ValueError: The device is not there.
    """
    game, device = config.played[0], device_of(config.device)
    torch.manual_seed(config.seed)
    network = Network(config.net, game.encoder.layout.high, game.num_actions).to(device)
    network.precision = precision_on(device, config.precision)
    return network
