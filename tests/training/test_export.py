"""Players for other programs answer as they do here."""

import errno
import zipfile

import numpy as np
import pytest

from commands import gupai
from gupai_agents.gymnasium_envs import SeatEnv
from gupai_agents.networks.checkpoint import identity, read_header, write_checkpoint
from gupai_agents.networks.network import NetworkAgent, tensor_shapes
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from gupai_training.export import onnx_bytes, sb3_bytes

GAME = get_game("jie-long")
OPTIONS = {"players": 3, "forced_play": True}
NETS = [
    {"type": "mlp", "hidden": [24, 16, 16], "activation": "relu"},
    {"type": "residual", "hidden": [24, 16, 16, 16, 12], "activation": "relu"},
    {"type": "residual", "hidden": [16, 16], "activation": "relu"},
    {"type": "gated", "hidden": [24, 16, 16, 16, 12], "activation": "relu"},
    {"type": "gated", "hidden": [16, 16], "activation": "relu"},
]


@pytest.fixture(scope="module", params=NETS, ids=lambda net: f"{net['type']} {net['hidden']}")
def checkpoint(request, tmp_path_factory):
    chance, net = np.random.default_rng(3), request.param
    shapes = tensor_shapes(net, GAME.encoder.layout.size, GAME.num_actions)
    tensors = {name: chance.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    header = {**identity(GAME, GAME.variant.make(**OPTIONS)), "kind": "player", "net": net, "payoff_scale": 35.0}
    path = tmp_path_factory.mktemp("player") / "agent.safetensors"
    write_checkpoint(path, header, tensors)
    return path


@pytest.fixture(scope="module")
def seen():
    """Observations from all moments of deals, and legal actions."""
    envs = VectorEnv("jie-long", 200, seed=1, **OPTIONS)
    for step in range(9):
        envs.step(envs.sample(step))
    return envs.observations.copy(), envs.masks.copy()


def values_of(checkpoint, agent, observations):
    """The value head, worked out with nothing of the package but the tensors."""
    net, tensors = read_header(checkpoint)["net"], agent.tensors
    x = observations / agent.game.encoder.layout.high @ tensors["trunk.0.weight"].T + tensors["trunk.0.bias"]
    for layer in range(1, len(net["hidden"])):
        step = np.maximum(x, 0) @ tensors[f"trunk.{layer}.weight"].T + tensors[f"trunk.{layer}.bias"]
        if net["type"] == "gated" and step.shape == x.shape:
            gate = x @ tensors[f"gate.{layer}.weight"].T + tensors[f"gate.{layer}.bias"]
            step *= gate.clip(-2, 2)
        x = x + step if net["type"] != "mlp" and step.shape == x.shape else step
    return np.maximum(x, 0) @ tensors["value.weight"][0] + tensors["value.bias"]


def test_onnx_graph_gives_the_logits_and_values_of_the_player(checkpoint, seen, tmp_path):
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    model = onnx.load_model_from_string(onnx_bytes(checkpoint))
    logits, values = ReferenceEvaluator(model).run(None, {"observations": seen[0]})
    agent = NetworkAgent.load(checkpoint, GAME, GAME.variant.make(**OPTIONS))
    np.testing.assert_allclose(logits, agent.logits(seen[0]), rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(values, values_of(checkpoint, agent, seen[0]), rtol=1e-4, atol=1e-3)
    printed = {each.key: each.value for each in model.metadata_props}
    assert (printed["game"], printed["payoff_scale"]) == ("jie-long", "35.0")


def test_plain_maskable_ppo_loads_the_player_and_plays_as_it(checkpoint, seen, tmp_path):
    import torch
    from sb3_contrib import MaskablePPO

    (tmp_path / "player.zip").write_bytes(sb3_bytes(checkpoint))
    short = {"n_steps": 64, "batch_size": 64}  # of the learning below
    env = SeatEnv("jie-long", **OPTIONS)
    model = MaskablePPO.load(tmp_path / "player.zip", env=env, device="cpu", custom_objects=short)
    agent = NetworkAgent.load(checkpoint, GAME, GAME.variant.make(**OPTIONS))
    logits = np.where(seen[1], agent.logits(seen[0]), -np.inf)
    actions, _ = model.predict(seen[0], action_masks=seen[1], deterministic=True)
    np.testing.assert_array_equal(actions, logits.argmax(1))
    values = model.policy.predict_values(torch.as_tensor(seen[0])).detach().numpy()[:, 0]
    np.testing.assert_allclose(values, values_of(checkpoint, agent, seen[0]), rtol=1e-4, atol=1e-3)
    model.learn(64)  # and goes on learning there


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["PLAYER"], "say what to write: --onnx FILE, --sb3 FILE or both"),
        (["nowhere"], "nowhere: there is no such checkpoint"),
        (["nowhere", "--onnx", "OUT"], "nowhere: there is no such checkpoint"),
        (["PLAYER", "--onnx", "FOLDER/nowhere/x/y"], "FOLDER"),
    ],
)
def test_unexportable_player_is_reported_in_one_line(checkpoint, tmp_path, words, said):
    (tmp_path / "file").write_text("")
    places = {"PLAYER": str(checkpoint), "OUT": str(tmp_path / "out"), "FOLDER": str(tmp_path / "file")}
    for name, place in places.items():
        words, said = [word.replace(name, place) for word in words], said.replace(name, place)
    result = gupai("export", *words)
    assert result.exit_code == 2
    assert said in result.stderr and result.stderr.count("\n") == 1


def test_command_writes_both_formats(checkpoint, tmp_path):
    result = gupai("export", checkpoint, "--onnx", tmp_path / "a.onnx", "--sb3", tmp_path / "a.zip")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "a.onnx").stat().st_size > 1000 and (tmp_path / "a.zip").stat().st_size > 1000
    with zipfile.ZipFile(tmp_path / "a.zip") as content:  # neither times nor addresses: equal players in equal bytes
        assert {each.date_time for each in content.infolist()} == {zipfile.ZipInfo().date_time}
        assert b" at 0x" not in content.read("data")


def test_exported_files_keep_their_names_and_are_whole_or_absent(checkpoint, tmp_path, monkeypatch):
    onnx, sb3 = tmp_path / "q.onnx", tmp_path / "q"
    words = ["export", str(checkpoint), "--onnx", str(onnx), "--sb3", str(sb3)]
    assert gupai(*words).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q", "q.onnx"]
    kept = onnx.read_bytes(), sb3.read_bytes()
    refused = gupai(*words)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1) and "exists already" in refused.stderr

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("gupai_env.storage.files.os.fsync", full)
        failed = gupai(*words, "--force")
    assert (failed.exit_code, failed.stderr) == (2, f"gupai: {onnx}: the disk is full\n")
    assert (onnx.read_bytes(), sb3.read_bytes()) == kept
    assert sorted(path.name for path in tmp_path.iterdir()) == ["q", "q.onnx"]
    streamed = gupai("export", checkpoint, "--onnx", "-")
    assert (streamed.exit_code, streamed.stdout_bytes) == (0, kept[0])
