"""Networks of checkpoints: which there are, how weights are packed, and what their scores may reach."""

import numpy as np
import pytest

from checkpoints import GAME, NET, header, refusal, turns, weights
from gupai_agents import make_agent
from gupai_agents.networks.checkpoint import CheckpointError, write_checkpoint
from gupai_agents.networks.network import (
    NetworkAgent,
    highest_score,
    linear_of,
    packed,
    tensor_shapes,
    trunk_of,
    unpacked,
)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.pop("policy.bias"), "policy.bias"),
        (lambda t: t.update(extra=np.zeros(3, np.float32)), "extra"),
        (lambda t: t.update({"value.bias": np.zeros(2, np.float32)}), "value.bias"),
        (lambda t: t["policy.weight"].fill(np.nan), "not finite"),
    ],
)
def test_wrong_tensors_are_refused(tmp_path, change, said):
    tensors = weights()
    change(tensors)
    write_checkpoint(tmp_path / "a", header(), tensors)
    with pytest.raises(CheckpointError, match=said):
        make_agent(f"checkpoint:{tmp_path / 'a'}")


@pytest.mark.parametrize(
    ("net", "said"),
    [
        (None, "None is not a known network"),
        (5, "5 is not a known network"),
        ("mlp", "'mlp' is not a known network"),
        (["mlp"], "is not a known network"),
        ({**NET, "type": "__import__('os')"}, "is not a known network"),
        ({**NET, "activation": "tanh"}, "its activation 'relu'"),
        ({"type": "mlp", "hidden": [16, 8]}, "its activation 'relu'"),
        ({"type": "mlp", "activation": "relu"}, "hidden widths are a list of 1 to 64, not None"),
        ({**NET, "hidden": {}}, "hidden widths are a list"),
        ({**NET, "hidden": []}, "hidden widths are a list"),
        ({**NET, "hidden": [1] * 100_000}, "hidden widths are a list of 1 to 64"),
        ({**NET, "hidden": ["16", 8]}, "hidden widths are whole numbers"),
        ({**NET, "hidden": [True, True]}, "hidden widths are whole numbers"),
        ({**NET, "hidden": [16.0, 8]}, "hidden widths are whole numbers"),
        ({**NET, "hidden": [10**400, 8]}, "hidden widths are whole numbers"),
        ({**NET, "hidden": [0, 8]}, "hidden widths are whole numbers"),
        ({**NET, "hidden": [8, 16]}, "does not fit its network"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_strange_network_is_refused(tmp_path, net, said):
    write_checkpoint(tmp_path / "a", {**header(), "net": net}, weights())
    assert said in refusal(tmp_path / "a")


@pytest.mark.parametrize("dtype", [np.int32, np.int8, np.float64, np.bool_])
def test_tensors_of_another_type_are_refused(tmp_path, dtype):
    write_checkpoint(tmp_path / "a", header(), {**weights(), "policy.bias": np.ones(GAME.num_actions, dtype)})
    assert "policy.bias" in refusal(tmp_path / "a")
    assert f"holds {np.dtype(dtype)}, not float32" in refusal(tmp_path / "a")


def test_packed_weights_are_rounded_by_half_a_step_at_most(tmp_path):
    tensors = weights()
    tensors["trunk.1.weight"][3] = 0  # a row of nothing
    tensors["trunk.1.weight"][5] *= 1000
    small = packed(tensors)
    eight = {"trunk.1.weight"}
    assert {name for name, tensor in small.items() if tensor.dtype == np.int8} == eight
    assert small.keys() == {*tensors, "trunk.1.weight_scale"}
    assert all(small[name].dtype == np.float16 for name in tensors.keys() - eight)
    large = unpacked(small)
    assert large.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert large[name].dtype == np.float32
        steps = np.abs(tensor).max(1, keepdims=True) / 127 if name in eight else np.abs(tensor) / 1024
        assert (np.abs(large[name] - tensor) <= 0.501 * steps).all()
    write_checkpoint(tmp_path / "a", header(), small)
    agent = make_agent(f"checkpoint:{tmp_path / 'a'}")
    assert all((agent.tensors[name] == large[name]).all() for name in large)


@pytest.mark.parametrize(
    ("weight", "scale", "said"),
    [
        (np.ones((8, 16), np.int8), None, "tensor 'trunk.1.weight' [8, 16] holds int8, not float32"),
        (np.ones((8, 16), np.int8), np.ones(16), "tensor 'trunk.1.weight' [8, 16] holds int8, not float32"),
        (np.array(1, np.int8), np.array(1.0), "tensor 'trunk.1.weight' [] does not fit its network"),
        (np.ones(8, np.int8), np.ones(8), "tensor 'trunk.1.weight' [8] does not fit its network"),
        (np.full((8, 16), 127, np.int8), np.full(8, 3e38), "scores may reach inf"),
        (np.ones((8, 16), np.int8), np.full(8, np.nan), "holds values that are not finite"),
    ],
)
def test_packed_weights_that_do_not_fit_are_refused(tmp_path, weight, scale, said):
    tensors = {**weights(), "trunk.1.weight": weight}
    if scale is not None:
        tensors["trunk.1.weight_scale"] = scale.astype(np.float32)
    write_checkpoint(tmp_path / "a", header(), tensors)
    assert said in refusal(tmp_path / "a")


@pytest.mark.parametrize("name", ["trunk.0.weight", "trunk.1.bias", "policy.weight"])
@pytest.mark.parametrize("size", [3e38, 1e31, -3e38])
def test_weights_that_might_overflow_are_refused(tmp_path, name, size):
    tensors = weights()
    tensors[name].flat[0] = size
    write_checkpoint(tmp_path / "a", header(), tensors)
    assert "weights are so large that scores may reach" in refusal(tmp_path / "a")


def test_large_weights_that_cannot_overflow_play(tmp_path):
    tensors = {name: tensor * np.float32(1e6) for name, tensor in weights().items()}
    write_checkpoint(tmp_path / "a", header(), tensors)
    with np.errstate(all="raise"):
        for kind in ("checkpoint", "sample"):
            agent = make_agent(f"{kind}:{tmp_path / 'a'}")
            asked = turns()
            actions = agent.act(asked)
            assert asked.masks[np.arange(len(actions)), actions].all()


def test_residual_sums_count_in_the_overflow_bound():
    """Layers of no weight hand on what came in: the bound of a plain network would be that of the last one."""
    net = {"type": "residual", "hidden": [16, 16, 16], "activation": "relu"}
    shapes = tensor_shapes(net, GAME.encoder.layout.size, GAME.num_actions)
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    tensors["trunk.0.bias"][:] = 1e20
    NetworkAgent("large", GAME, net, tensors, sample=False)
    tensors["policy.weight"][:] = 1e20
    with pytest.raises(ValueError, match=r"scores may reach 2e\+41"):
        NetworkAgent("too large", GAME, net, tensors, sample=False)


def test_gate_output_counts_in_the_overflow_bound():
    """At most twice a step; the gate itself before it is clipped."""
    net = {"type": "gated", "hidden": [16, 16], "activation": "relu"}
    shapes = tensor_shapes(net, GAME.encoder.layout.size, GAME.num_actions)
    assert {name: shapes[name] for name in shapes if name.startswith("gate")} == {
        "gate.1.weight": (16, 16),
        "gate.1.bias": (16,),
    }
    tensors = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    tensors["trunk.0.bias"][:] = 1.0
    tensors["trunk.1.bias"][:] = 1e20
    layers = trunk_of(net, linear_of(tensors))
    ones = np.ones(GAME.encoder.layout.size)
    assert highest_score(layers, ones) == pytest.approx(2e20)
    tensors["gate.1.weight"][:] = 1e20
    assert highest_score(layers, ones) == pytest.approx(16e20)
    tensors["gate.1.bias"][:] = 1e30
    with pytest.raises(ValueError, match=r"scores may reach 1e\+30"):
        NetworkAgent("too large", GAME, net, tensors, sample=False)
