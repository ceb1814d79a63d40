"""Networks of other people are players wherever one is named: as checkpoints and by their scores."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from commands import gupai
from gupai_agents import ObservationAgent, make_agent, save_network
from gupai_agents.agent import probabilities
from gupai_agents.evaluation import verify
from gupai_agents.networks.checkpoint import read_header
from gupai_agents.networks.network import NetworkAgent
from networks import ACTIONS, GAME, SIZE, Masked, Odd, best, logits_of, network, with_onnx

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's, about the exporter that needs no more


# --- a player that draws ----------------------------------------------------------------------------


def test_player_of_scores_draws_from_their_softmax(decisions):
    batch, seen = decisions
    player = ObservationAgent("mine", GAME, lambda shown: logits_of(network(16), shown), sample=True)
    logits = np.where(batch.masks, logits_of(network(16), seen).astype(float), -np.inf)
    softmax = np.exp(logits - logits.max(1, keepdims=True))
    softmax /= softmax.sum(1, keepdims=True)
    np.testing.assert_allclose(player.probabilities(batch), softmax, atol=1e-3)
    draws, row = 20_000, int(batch.masks.sum(1).argmax())
    keys = np.random.default_rng(1).integers(0, 2**63, draws)
    often = np.bincount(player.act(batch.at([row] * draws)._replace(rng_keys=keys)), minlength=ACTIONS) / draws
    np.testing.assert_allclose(often, softmax[row], atol=0.02)
    np.testing.assert_array_equal(player.act(batch), player.act(batch))
    plain = ObservationAgent("mine", GAME, player.score)
    np.testing.assert_array_equal(plain.probabilities(batch).argmax(1), best(logits, batch.masks))
    np.testing.assert_array_equal(plain.drawing().act(batch), player.act(batch))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("sample", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("output", [np.nan, np.inf, 1e36, -1e36])
def test_invalid_score_is_reported_with_its_action_and_row(output, dtype, sample, decisions):
    def score(shown):
        scores = np.zeros((len(shown), ACTIONS), dtype)
        scores[3:, 5], scores[:, 6] = output, -np.inf  # as a network masks actions by itself
        return scores

    player = ObservationAgent("mine", GAME, score, sample=sample)
    line = rf"^mine: the network's output for action 5 is {dtype(output)!s} in row 3; it must be .*$"
    for ask in (player.act, player.probabilities):
        with pytest.raises(ValueError, match=line.replace("+", r"\+")):
            ask(decisions[0])


@pytest.mark.filterwarnings("error")
def test_network_may_mask_some_legal_actions_but_not_all(decisions):
    batch, _ = decisions

    def score(shown):
        return np.where(np.arange(len(shown))[:, None] == row, outputs, np.zeros(ACTIONS))

    row, outputs = 4, np.where(batch.masks[4], -np.inf, 1.0)
    for sample in (False, True):
        player = ObservationAgent("mine", GAME, score, sample=sample)
        for ask in (player.act, player.probabilities):
            with pytest.raises(
                ValueError, match=r"^mine: the network's output is -inf for all legal actions of row 4$"
            ):
                ask(batch)
    row, outputs = 4, np.full(ACTIONS, -np.inf)
    outputs[action := batch.masks[4].nonzero()[0][-1]] = -1e30
    player = ObservationAgent("mine", GAME, score, sample=True)
    assert player.act(batch)[4] == action and player.probabilities(batch)[4, action] == 1


@pytest.mark.filterwarnings("error")
def test_overflowing_sums_are_reported_without_a_warning(decisions):
    weights = np.full((GAME.encoder.layout.size, ACTIONS), 3e38, np.float32)
    player = ObservationAgent("mine", GAME, lambda shown: np.abs(shown).astype(np.float32) @ weights)
    with pytest.raises(ValueError, match=r"^mine: the network's output for action 0 is inf in row 0; "):
        player.act(decisions[0])
    agent = make_agent("best", GAME, forced_play=True)
    agent.layers[-1].linear.bias[:] = np.inf
    with pytest.raises(ValueError, match=r": the network's output for action 0 is inf in row 0; "):
        agent.act(decisions[0])


def test_class_with_its_own_drawing_states_no_policy(decisions):
    class Own(ObservationAgent):
        def act(self, batch):
            return make_agent("random", GAME).act(batch)

    with pytest.raises(ValueError, match="mine draws its actions; give it a method `probabilities`"):
        probabilities(Own("mine", GAME, lambda shown: None), GAME, GAME.variant.make(forced_play=True), decisions[0])


# --- checkpoints of other people's weights ----------------------------------------------------------


def as_flax(module):
    """The same weights as Flax keeps them, sorted by name as JAX does."""
    linear = [layer for layer in module if isinstance(layer, nn.Linear)]
    layers = {
        f"Dense_{n}": {"kernel": layer.weight.detach().numpy().T, "bias": layer.bias.detach().numpy()}
        for n, layer in enumerate(linear)
    }
    return {"params": dict(sorted(layers.items()))}


DEEP = (16,) * 11  # Dense_10 comes before Dense_2 by its letters


@pytest.mark.parametrize(
    "given", [lambda net: net, nn.Module.state_dict, as_flax], ids=["module", "state dict", "flax"]
)
def test_weights_of_any_library_are_a_player(given, decisions, tmp_path):
    batch, seen = decisions
    file, module = tmp_path / "mine.safetensors", network(*DEEP)
    save_network(given(module), "jie-long", {"forced_play": True}, file)
    player = make_agent(f"checkpoint:{file}", GAME, forced_play=True)
    np.testing.assert_allclose(player.score(seen), logits_of(module, seen), atol=1e-4)
    assert (player.act(batch) == best(logits_of(module, seen), batch.masks)).mean() > 0.99
    assert read_header(file)["net"] == {"type": "mlp", "hidden": list(DEEP), "activation": "relu"}
    for options in ({}, {"players": 3, "forced_play": True}):
        with pytest.raises(ValueError, match="trained with"):
            make_agent(f"sample:{file}", GAME, **options)
    assert (
        gupai("tournament", "jie-long", f"sample:{file}", "greedy", "--deals", 2, "-o", "forced_play=1").exit_code == 0
    )


def test_layers_name_the_policy_and_inputs_may_be_scaled(decisions, tmp_path):
    class Agent(nn.Module):
        def __init__(self):
            super().__init__()
            self.critic, self.actor = network(8), network(16)

        def forward(self, observations):
            return self.actor(observations)

    module, file, seen = Agent(), tmp_path / "mine.safetensors", decisions[1]
    variant = GAME.variant.make(forced_play=True)
    save_network(module, GAME, variant, file, layers=["actor.0", "actor.2"], scaled=True)
    player = NetworkAgent.load(file, GAME, variant)
    np.testing.assert_allclose(player.score(seen), logits_of(module, seen / GAME.encoder.layout.high), atol=1e-4)
    with pytest.raises(ValueError, match="exists already"):
        save_network(module, GAME, variant, file, layers=["actor.0", "actor.2"])
    save_network(module, GAME, variant, file, layers=["actor.0", "actor.2"], force=True)
    np.testing.assert_allclose(NetworkAgent.load(file, GAME, variant).score(seen), logits_of(module, seen), atol=1e-4)


def test_network_of_ours_is_saved_by_its_description(tmp_path, decisions):
    from gupai_training.network import Network

    net = {"type": "gated", "hidden": [16, 16], "activation": "relu"}
    module, file = Network(net, GAME.encoder.layout.high, ACTIONS), tmp_path / "ours.safetensors"
    save_network(module, GAME, {}, file, net=net)
    with torch.no_grad():
        wanted = module(torch.as_tensor(decisions[1]))[0].numpy()
    np.testing.assert_allclose(make_agent(f"checkpoint:{file}", GAME).score(decisions[1]), wanted, atol=1e-4)


def test_sb3_ppo_is_saved_by_its_policy(tmp_path, decisions):
    from sb3_contrib import MaskablePPO

    from gupai_agents.gymnasium_envs import SeatEnv

    env, variant = SeatEnv("jie-long", forced_play=True), GAME.variant.make(forced_play=True)
    policy = MaskablePPO("MlpPolicy", env, policy_kwargs={"activation_fn": nn.ReLU}, device="cpu").policy
    body = nn.Sequential(policy.mlp_extractor.policy_net, policy.action_net)
    save_network(body, GAME, variant, tmp_path / "sb3.safetensors")
    batch, seen = decisions
    actions = policy.predict(seen, action_masks=batch.masks, deterministic=True)[0]
    player = make_agent(f"checkpoint:{tmp_path / 'sb3.safetensors'}", GAME, forced_play=True)
    assert (player.act(batch) == actions).mean() > 0.99
    with pytest.raises(ValueError, match="the module does not map observations to logits"):
        save_network(policy, GAME, variant, tmp_path / "x", layers=["mlp_extractor.policy_net.0", "action_net"])


def state_without(*names):
    return {name: value for name, value in network(8).state_dict().items() if name not in names}


@pytest.mark.parametrize(
    ("given", "how", "printed"),
    [
        (network(8, activation=nn.Tanh), {}, "the module computes something other than a checkpoint does"),
        (Odd(lambda x: 1.1 * x), {"layers": ["body.0", "body.2"]}, "the module computes something other"),
        (Masked(), {}, "critic.0 takes .* inputs .* the tensors are actor.0.weight .* expected for jie-long"),
        (Masked(), {"layers": ["actor.0", "actor.2", "actor.4"]}, r"does not map observations to logits.*Sequential"),
        (state_without(), {"layers": ["0", "3"]}, "3 is not a linear layer; the tensors are 0.weight"),
        (state_without("0.weight"), {}, rf"2 takes 8 inputs and has a bias \[{ACTIONS}\], not {SIZE}"),
        (state_without("2.weight"), {}, rf"lead to {ACTIONS} actions, but 0 has 8 outputs"),
        (
            {"0.weight": np.zeros((4, SIZE)), "1.weight": np.zeros((ACTIONS + 1, 4))},
            {},
            f"lead to {ACTIONS} actions, but 1 has {ACTIONS + 1} outputs",
        ),
        ({"scale": np.ones(3), **state_without()}, {}, "scale does not belong to a linear layer"),
        ({"0.weight": "x"}, {}, "0.weight is 'x', not a tensor"),
        ({"0.weight": np.full((4, SIZE), np.nan)}, {}, f"lead to {ACTIONS} actions, but 0 has 4 outputs"),
        (3, {}, "3 is neither a torch module nor a mapping"),
        ({}, {}, "but there are none; the tensors are none"),
        ({}, {"net": {"type": "lstm"}}, "is not a known network"),
    ],
)
def test_unsupported_network_is_reported_with_its_shapes(given, how, printed, tmp_path):
    with pytest.raises(ValueError, match=printed) as error:
        save_network(given, "jie-long", {}, tmp_path / "x.safetensors", **how)
    assert "\n" not in str(error.value)
    assert not list(tmp_path.iterdir())


# --- factories ------------------------------------------------------------------------------------

MODULE = """
import own_moves

class Own:
    name = "own"
    def act(self, batch):
        return own_moves.first(batch)

class Other:
    name = "own"
    def act(self, batch):
        return batch.masks.argmax(1)

def make(game, variant):
    return Own()

def again(game, variant):
    return Other()
"""
LAST = "def first(batch): return batch.masks.shape[1] - 1 - batch.masks[:, ::-1].argmax(1)\n"


@pytest.fixture
def factories(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    Path("own_players.py").write_text(MODULE)
    Path("own_moves.py").write_text("def first(batch): return batch.masks.argmax(1)\n")
    yield
    for name in ("own_players", "own_moves"):
        sys.modules.pop(name, None)


def test_factory_with_changed_moves_is_refused_by_verify_and_resume(factories):
    words = ["tournament", "jie-long", "own_players:make", "own_players:again", "--deals", 4, "--out", "kept"]
    assert gupai(*words).exit_code == 0
    told = json.loads(Path("kept/manifest.json").read_text())
    assert [(each["name"], each["spec"]) for each in told["players"]] == [
        ("own", "own_players:make"),
        ("own", "own_players:again"),
    ]
    assert len(set(told["agents"])) == 2
    assert gupai("verify", "kept", "--rerun").exit_code == 0
    Path("own_moves.py").write_text(LAST)
    del sys.modules["own_moves"], sys.modules["own_players"]
    assert gupai("verify", "kept").exit_code == 0  # which runs no code of theirs
    assert "own_players" not in sys.modules
    for command in (["verify", "kept", "--rerun"], [*words, "--resume"]):
        found = gupai(*command)
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
        assert "own (own_players:make) played other moves; what makes it has changed" in found.stderr
    Path("own_players.py").write_text(MODULE + "\n")
    assert "own_players.py is not the file that played" in gupai("verify", "kept").stderr


def test_program_object_is_noted_by_verify(tmp_path):
    from gupai_agents.evaluation import play_into, schedule

    player = ObservationAgent("mine", GAME, lambda shown: logits_of(network(16), shown))
    play_into(tmp_path / "kept", schedule(GAME, ["mine", "greedy"], 2), [player, make_agent("greedy", GAME)])
    noted = []
    verify(tmp_path / "kept", note=noted.append, agents=True)
    assert noted == ["mine was an object of a program: whether it plays like this was not checked"]


def test_labels_are_unique_at_a_table_and_in_a_panel(factories):
    found = gupai("watch", "jie-long", "own_players:make", "own_players:again", "own_players:make", "greedy", "--json")
    seats = {line["seat"]: line["agent"] for line in map(json.loads, found.stdout.splitlines()) if "seat" in line}
    assert seats == {0: "own (own_players:make)", 1: "own (own_players:again)", 2: seats[0], 3: "greedy"}
    from gupai_agents.evaluation.claims.players import labels_in

    first, second = (make_agent(f"own_players:{name}", GAME) for name in ("make", "again"))
    second.name = "greedy"
    assert labels_in(["greedy", first, second]) == ["greedy", "own", "greedy (2)"]


# --- the pages ------------------------------------------------------------------------------------


def pages_with(*agents):
    pytest.importorskip("fastapi", reason="the pages need gupai[web]")
    pytest.importorskip("httpx", reason="pages are tested with httpx")
    from fastapi.testclient import TestClient

    from gupai_app.server.app import create_app

    return TestClient(create_app(agents=agents), base_url="http://127.0.0.1", raise_server_exceptions=False)


def test_pages_seat_only_factories_that_the_command_names(factories):
    pages = pages_with("own_players:make")
    assert "own_players:make" in pages.get("/document?game=jie-long&begin=1").text
    table = "/document?game=jie-long&seed=5&seat=3&with="
    assert pages.get(f"{table}own_players:make").status_code == 200
    refused = pages.get(f"{table}own_players:again")
    assert refused.status_code == 422 and "does not play here" in refused.text


@with_onnx
def test_pages_seat_a_graph_in_its_game(graph):
    pages = pages_with(f"onnx:{graph}")
    found = pages.get(f"/document?game=jie-long&seed=5&seat=3&with=onnx:{graph}")
    assert found.status_code == 200 and f"onnx:{graph}" in found.text
    refused = pages.get(f"/document?game=pai-gow&seed=5&seat=0&with=onnx:{graph}")
    assert refused.status_code == 422 and "its input is seen" in refused.text


def test_missing_page_player_is_reported_in_one_line(factories):
    for name, printed in (("own_none:make", "there is no module own_none"), ("nobody", "'nobody' plays no game")):
        found = gupai("web", "--no-browser", "--agent", name)
        assert found.exit_code == 2 and found.stderr.count("\n") == 1 and printed in found.stderr
