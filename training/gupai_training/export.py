"""Players for other programs: a checkpoint as an ONNX graph, or as a zip that plain MaskablePPO of sb3-contrib loads.

Both go one way only. An SB3 zip holds pickled objects, so that loading one runs code: nothing here ever does.
"""

import io
import itertools
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from gupai_agents.networks.checkpoint import read_header, variant_of
from gupai_agents.networks.network import GATE_LIMIT, GATED, Layer, Linear, NetworkAgent, forward, trunk_of
from gupai_agents.networks.onnx_agent import HEADER_KEY
from gupai_training.learner import NetworkPolicy

PICKLED = ":serialized:"  # the key of an object in SB3's files
OPSET, IR_VERSION = 17, 8  # of ONNX: old ones, so that older runtimes can read the graph


def player_of(path: str | Path) -> tuple[NetworkAgent, dict[str, Any]]:
    """Return the player of a checkpoint, in its own game and variant, and the header; raises CheckpointError."""
    header = read_header(path)
    game, variant = variant_of(path, header)
    return NetworkAgent.load(path, game, variant), header


class Value:
    """A value of an ONNX graph. What `gupai_agents.networks.network.forward` does with it is recorded as nodes."""

    def __init__(self, name: str, nodes: list[Any]) -> None:
        self.name: str = name
        self.nodes: list[Any] = nodes

    def then(self, operation: str, *others: str, name: str = "", **attributes: Any) -> "Value":
        """Return the result of an operation on this value and others, under a name."""
        from onnx import helper

        name = name or f"x{len(self.nodes)}"
        self.nodes.append(helper.make_node(operation, [self.name, *others], [name], **attributes))
        return Value(name, self.nodes)

    def linear(self, layer: str, name: str = "") -> "Value":
        """Return the result of a layer of a checkpoint."""
        return self.then("Gemm", f"{layer}.weight", f"{layer}.bias", name=name, transB=1)

    def __add__(self, other: "Value") -> "Value":
        return self.then("Add", other.name)

    def __mul__(self, other: "Value") -> "Value":
        return self.then("Mul", other.name)

    def clip(self, least: float, most: float) -> "Value":
        """Return the value clipped to the limits of a gate, which are constants of the graph."""
        assert (least, most) == (-GATE_LIMIT, GATE_LIMIT)
        return self.then("Clip", "least", "most")


def onnx_bytes(path: str | Path) -> bytes:
    """Return a checkpoint as an ONNX graph: `observations`, int8 [N, size], to `logits`, float32 [N, actions], and
    `values`, float32 [N], in units of return (chips over the `payoff_scale` in the file's metadata).

    Logits of actions that are not legal mean nothing. Raises: CheckpointError; ImportError without `onnx`.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    agent, header = player_of(path)
    layout, nodes = agent.game.encoder.layout, list[Any]()
    trunk = trunk_of(header["net"], lambda layer: lambda x: x.linear(layer))
    scaled = Value("observations", nodes).then("Cast", to=TensorProto.FLOAT).then("Mul", "scale")
    features = forward(trunk, scaled, lambda x: x.then("Relu")).then("Relu")
    features.linear("policy", name="logits")
    features.linear("value").then("Squeeze", "last", name="values")
    constants = agent.tensors | {"scale": (1 / layout.high).astype(np.float32), "last": np.array([1], np.int64)}
    if any(layer.gate for layer in trunk):
        constants |= {"least": np.array(-GATE_LIMIT, np.float32), "most": np.array(GATE_LIMIT, np.float32)}
    weights = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(
        nodes,
        "gupai",
        [helper.make_tensor_value_info("observations", TensorProto.INT8, ["N", layout.size])],
        [
            helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["N", agent.game.num_actions]),
            helper.make_tensor_value_info("values", TensorProto.FLOAT, ["N"]),
        ],
        weights,
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION, producer_name="gupai"
    )
    known = [name for name in ("game", "version", "rules", "payoff_scale") if name in header]
    whole = json.dumps(header, sort_keys=True)
    helper.set_model_props(model, {name: str(header[name]) for name in known} | {HEADER_KEY: whole})
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString(deterministic=True)
    return content


def plain(layers: list[Layer]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return weights and biases of a plain multilayer perceptron that computes the same.

    Where a layer's input is added to its result, that input passes the ReLU as its positive and its negative part.
    """
    result, parts = [], False
    for layer, following in itertools.zip_longest(layers, layers[1:]):
        weight, bias = layer.linear
        if parts:
            same = np.eye(len(bias), dtype=np.float32)
            weight = np.concatenate([weight + same, -same], 1)
        parts = following is not None and following.added
        if parts:
            weight, bias = np.concatenate([weight, -weight]), np.concatenate([bias, -bias])
        result.append((weight, bias))
    return result


def sb3_bytes(path: str | Path) -> bytes:
    """Return a checkpoint as a zip for `MaskablePPO.load`, whose policy and values are those of the player.

    It has the observation and action spaces of the game's Gymnasium environments. A gated network multiplies layers,
    which SB3's own networks do not: loading one needs gupai installed. Raises: CheckpointError; ImportError without
    sb3-contrib.
    """
    from sb3_contrib import MaskablePPO

    from gupai_agents.gymnasium_envs import SeatEnv

    agent, header = player_of(path)
    assert agent.variant is not None
    env = SeatEnv(agent.game.id, **agent.variant.changed())
    if header["net"]["type"] == GATED:
        model = MaskablePPO(NetworkPolicy, env, policy_kwargs={"net": header["net"]}, device="cpu")
        assert isinstance(model.policy, NetworkPolicy)
        model.policy.network.take(agent.tensors)
    else:
        policy_kwargs, state = _as_perceptron(agent)
        model = MaskablePPO("MlpPolicy", env, policy_kwargs=policy_kwargs, device="cpu")
        model.policy.load_state_dict({name: torch.as_tensor(array) for name, array in state.items()})
    content = io.BytesIO()
    model.save(content)
    return _timeless(content)


def _timeless(content: io.BytesIO) -> bytes:
    """Return the zip of a model without times, and without the addresses that SB3 lists next to what it pickles."""
    output = io.BytesIO()
    with zipfile.ZipFile(content) as there, zipfile.ZipFile(output, "w") as here:
        for name in there.namelist():
            part = there.read(name)
            if name == "data":
                values = json.loads(part)
                for value in values.values():
                    if isinstance(value, dict) and PICKLED in value:
                        for key in value.keys() - {PICKLED, ":type:"}:
                            del value[key]
                part = json.dumps(values, indent=4).encode()
            here.writestr(zipfile.ZipInfo(name), part)  # of 1980, as torch has it
    return output.getvalue()


def _as_perceptron(agent: NetworkAgent) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Return the settings of an SB3 policy with networks of its own, and their weights."""
    layers = plain([layer.converted(Linear.turned) for layer in agent.layers[:-1]])
    hidden = [len(bias) for _, bias in layers]
    state = {}
    for own, number in itertools.product(("policy", "value"), range(len(layers))):
        for part, array in zip(("weight", "bias"), layers[number], strict=True):
            state[f"mlp_extractor.{own}_net.{2 * number}.{part}"] = array  # ReLU stand between
    for own, head in (("policy", "action_net"), ("value", "value_net")):
        for part in ("weight", "bias"):
            state[f"{head}.{part}"] = agent.tensors[f"{own}.{part}"]
    return {"net_arch": {"pi": hidden, "vf": hidden}, "activation_fn": nn.ReLU}, state
