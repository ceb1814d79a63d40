"""Players for other programs: a checkpoint as an ONNX graph, or as a zip that plain MaskablePPO of sb3-contrib loads.

Both are one way. An SB3 zip holds pickled objects, so that loading one runs code: nothing here ever does.
"""

from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.checkpoint import read_header, variant_of, write_atomic
from gupai_agents.network import NetworkAgent

OPSET, IR_VERSION = 17, 8  # of ONNX, as old as all of it is, so that older runtimes read it


def player_of(path: str | Path) -> tuple[NetworkAgent, dict[str, Any]]:
    """Return the player of a checkpoint, in its own game and variant, and the header; raises CheckpointError."""
    header = read_header(path)
    game, variant = variant_of(path, header)
    return NetworkAgent.load(path, game, variant), header


def to_onnx(path: str | Path, out: str | Path) -> None:
    """Write a checkpoint as an ONNX graph: `observations`, int8 [N, size], to `logits`, float32 [N, actions], and
    `values`, float32 [N], in units of return (chips over the `payoff_scale` in the file's metadata).

    Logits of actions that are not legal mean nothing. Raises: CheckpointError; ImportError without `onnx`.
    """
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    agent, header = player_of(path)
    tensors = agent.tensors
    layout = agent.game.encoder.layout
    weights = [numpy_helper.from_array((1 / layout.high).astype(np.float32), "scale")]
    nodes = [
        helper.make_node("Cast", ["observations"], ["numbers"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["numbers", "scale"], ["x0"]),
    ]

    def linear(name: str, into: str, out: str) -> None:
        for part in ("weight", "bias"):
            weights.append(numpy_helper.from_array(tensors[f"{name}.{part}"], f"{name}.{part}"))
        nodes.append(helper.make_node("Gemm", [into, f"{name}.weight", f"{name}.bias"], [out], transB=1))

    layers = len(header["net"]["hidden"])
    for layer in range(layers):
        linear(f"trunk.{layer}", f"x{layer}", f"sum{layer}")
        nodes.append(helper.make_node("Relu", [f"sum{layer}"], [f"x{layer + 1}"]))
    linear("policy", f"x{layers}", "logits")
    linear("value", f"x{layers}", "column")
    weights.append(numpy_helper.from_array(np.array([1], np.int64), "last"))
    nodes.append(helper.make_node("Squeeze", ["column", "last"], ["values"]))
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
    known: dict[str, str] = {
        name: str(header[name]) for name in ("game", "version", "rules", "payoff_scale") if name in header
    }
    helper.set_model_props(model, known)
    onnx.checker.check_model(model)
    write_atomic(Path(out), model.SerializeToString())


def to_sb3(path: str | Path, out: str | Path) -> None:
    """Write a checkpoint as a zip for `MaskablePPO.load(out)`, whose policy and values are those of the player.

    It observes and acts as the Gymnasium environments of its game do. Raises: CheckpointError; ImportError without
    sb3-contrib.
    """
    import torch
    from sb3_contrib import MaskablePPO
    from torch import nn

    from gupai_agents.gymnasium_envs import SeatEnv

    agent, header = player_of(path)
    hidden, tensors = header["net"]["hidden"], agent.tensors
    assert agent.variant is not None
    model = MaskablePPO(
        "MlpPolicy",
        SeatEnv(agent.game.id, **agent.variant.changed()),
        policy_kwargs={"net_arch": {"pi": hidden, "vf": hidden}, "activation_fn": nn.ReLU},
        device="cpu",
    )
    first = tensors["trunk.0.weight"] / agent.game.encoder.layout.high.astype(np.float32)
    state = model.policy.state_dict()
    for net, head in (("policy", "action_net"), ("value", "value_net")):
        for layer in range(len(hidden)):
            weight = first if layer == 0 else tensors[f"trunk.{layer}.weight"]
            place = f"mlp_extractor.{net}_net.{2 * layer}"  # ReLU stand between
            state[f"{place}.weight"] = torch.as_tensor(weight)
            state[f"{place}.bias"] = torch.as_tensor(tensors[f"trunk.{layer}.bias"])
        for part in ("weight", "bias"):
            state[f"{head}.{part}"] = torch.as_tensor(tensors[f"{net}.{part}"])
    model.policy.load_state_dict(state)
    model.save(Path(out))
