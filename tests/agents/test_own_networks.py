"""Networks of other people are players wherever one is named: as ONNX graphs, as checkpoints and by their scores."""

import importlib.util
import json
import pickle
import re
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from checkout import ROOT
from commands import gupai
from gupai_agents import DecisionBatch, ObservationAgent, make_agent, onnx_agent, save_network
from gupai_agents.agent import origin_of, probabilities
from gupai_agents.checkpoint import read_header
from gupai_agents.evaluation import play_tournament, verify
from gupai_agents.evaluation.claims import read_claim, try_claim
from gupai_agents.look_ahead import Depth, LookAhead
from gupai_agents.network import NetworkAgent
from gupai_agents.onnx_agent import HEADER_KEY
from gupai_agents.shipped import best_file
from gupai_agents.workers import Processes
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv
from gupai_training.config import parse
from gupai_training.self_play_stage import build_learner
from trees import tiny_tree

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's, about the exporter that needs no more

GAME = get_game("jie-long")
SIZE, ACTIONS = GAME.encoder.layout.size, GAME.num_actions
TINY = {"players": 2, "deck": "tiny", "forced_play": True}
with_onnx = pytest.mark.skipif(
    not (importlib.util.find_spec("onnx") and importlib.util.find_spec("onnxruntime")), reason="needs gupai[onnx]"
)


def network(*widths, activation=nn.ReLU, seed=1):
    """A perceptron with ordinary weights, as somebody's own program has it."""
    torch.manual_seed(seed)
    layers = []
    for before, after in zip((SIZE, *widths), (*widths, ACTIONS), strict=True):
        layers += [nn.Linear(before, after), activation()]
    return nn.Sequential(*layers[:-1])


class Masked(nn.Module):
    """A policy and a value in one module, as actor and critic are written."""

    def __init__(self, seed=1):
        super().__init__()
        self.actor, self.critic = network(24, 16, activation=nn.Tanh, seed=seed), network(8)

    def forward(self, observations):
        return self.actor(observations.float()), self.critic(observations.float()).sum(1)


def exported(module, path, *, rows="N", names=("logits", "values"), size=SIZE, dtype=torch.int8):
    shown = torch.zeros((2, size), dtype=dtype)
    axes = {name: {0: rows} for name in ("seen", *names)} if rows else None
    torch.onnx.export(
        module, (shown,), path, dynamo=False, input_names=["seen"], output_names=list(names), dynamic_axes=axes
    )
    return path


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    return exported(Masked().eval(), tmp_path_factory.mktemp("graph") / "mine.onnx")


@pytest.fixture(scope="module")
def decisions():
    """Decisions of all moments, and the observations there."""
    envs, parts, seen = VectorEnv("jie-long", 25, seed=1, forced_play=True), [], []
    for step in range(24):
        views, rng_keys = envs.views()
        parts.append(DecisionBatch(views, envs.masks.copy(), rng_keys))
        seen.append(envs.observations.copy())
        envs.step(envs.sample(step))
    joined = DecisionBatch(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    views = np.ascontiguousarray(joined.views).view(GAME.view, np.recarray)
    return joined._replace(views=views), np.concatenate(seen)


def logits_of(module, observations):
    with torch.no_grad():
        answer = module(torch.as_tensor(observations, dtype=torch.float32))
    return (answer[0] if isinstance(answer, tuple) else answer).numpy()


def best(logits, masks):
    return np.where(masks, logits.round(4), -np.inf).argmax(1)


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


@with_onnx
def test_infinite_output_of_a_graph_is_reported(decisions, tmp_path):
    class Endless(nn.Module):
        def forward(self, seen):
            return seen.float()[:, :ACTIONS] + 1.0 / (0.0 * seen.float()[:, :1].abs())

    player = make_agent(
        f"onnx:{exported(Endless().eval(), tmp_path / 'endless.onnx', names=('logits',))}", GAME, forced_play=True
    )
    with pytest.raises(ValueError, match=r"endless.onnx: the network's output for action 0 is inf in row 0; "):
        player.act(decisions[0])


def test_exact_search_takes_a_player_that_draws():
    tree = tiny_tree("jie-long", forced_play=True)
    drawing = ObservationAgent("mine", GAME, lambda shown: logits_of(network(16), shown), sample=True)
    policy = tree.policy([drawing] * 2)
    greedy = tree.policy([ObservationAgent("mine", GAME, drawing.score)] * 2)
    assert ((policy > 0) & (policy < 1)).any() and set(greedy) == {0.0, 1.0}
    assert tree.exploitability(policy) != pytest.approx(tree.exploitability(greedy), abs=0.1)


def test_class_with_its_own_drawing_states_no_policy(decisions):
    class Own(ObservationAgent):
        def act(self, batch):
            return make_agent("random", GAME).act(batch)

    with pytest.raises(ValueError, match="mine draws its actions; give it a method `probabilities`"):
        probabilities(Own("mine", GAME, lambda shown: None), GAME, GAME.variant.make(forced_play=True), decisions[0])


def test_score_players_can_look_ahead(decisions):
    batch, _ = decisions
    variant = GAME.variant.make(forced_play=True)
    player = ObservationAgent("mine", GAME, lambda shown: logits_of(network(16), shown))
    plain = player.scores(batch)
    player.ahead = LookAhead(GAME, variant, Depth(tiles=4, playouts=4, trust=0.5, temperature=1.0))
    late = batch.views.sizes[:, 0] <= 4
    changed = (player.scores(batch) != plain).any(1)
    assert changed[late].any() and not changed[~late].any()


# --- ONNX -----------------------------------------------------------------------------------------


@with_onnx
def test_graph_plays_like_its_network(graph, decisions):
    batch, seen = decisions
    player = make_agent(f"onnx:{graph}", GAME, forced_play=True)
    logits = logits_of(Masked(), seen)
    np.testing.assert_array_equal(player.act(batch), best(logits, batch.masks))
    assert len(set(player.act(batch))) > 5
    assert origin_of(player) == (f"onnx:{graph}", (graph,))
    drawing = make_agent(f"sample:{graph}", GAME, forced_play=True)
    assert (drawing.act(batch) != player.act(batch)).any()
    again = pickle.loads(pickle.dumps(drawing))
    np.testing.assert_array_equal(again.act(batch), drawing.act(batch))


@with_onnx
def test_tournament_manifest_has_the_digest_of_a_graph(graph, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.onnx").write_bytes(graph.read_bytes())
    words = ["tournament", "jie-long", "onnx:mine.onnx", "sample:mine.onnx", "greedy", "--deals", 20, "--out", "kept"]
    assert gupai(*words).exit_code == 0
    told = json.loads(Path("kept/manifest.json").read_text())
    assert told["agents"] == ["onnx:mine.onnx", "sample:mine.onnx", "greedy"]
    assert [list(each["files"]) for each in told["players"]] == [["mine.onnx"], ["mine.onnx"], []]
    assert told["players"][0]["moves"] != told["players"][1]["moves"]
    assert gupai("verify", "kept", "--rerun").exit_code == 0
    exported(Masked(seed=2).eval(), "mine.onnx")
    for command, printed in (
        (["verify", "kept"], "mine.onnx is not the file"),
        ([*words, "--resume"], "from other files"),
    ):
        found = gupai(*command)
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1) and printed in found.stderr


@with_onnx
def test_graph_plays_the_same_in_another_process(graph):
    agents = [make_agent(f"sample:{graph}", GAME), make_agent("greedy", GAME)]
    workers = Processes(1)
    there = play_tournament(GAME, agents, 20, seed=3, workers=workers)
    workers.close()
    np.testing.assert_array_equal(there.chips, play_tournament(GAME, agents, 20, seed=3).chips)


@with_onnx
@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("gate jie-long GRAPH greedy --most 40", "GRAPH"),
        ("ladder jie-long GRAPH --deals 4 --few 2 --json", "GRAPH"),
        ("best-response jie-long GRAPH --generations 1 --candidate-deals 2 --deals 2", "GRAPH"),
        ("exploitability jie-long GRAPH sample:FILE --json", "sample:FILE"),
        ("claim run jl-variety --panel GRAPH --deals 40", "GRAPH"),
        ("watch jie-long GRAPH greedy", "GRAPH"),
    ],
)
def test_commands_accept_a_graph(graph, words, printed, monkeypatch):
    monkeypatch.setattr("gupai_app.tournaments.terminal.SEARCHES", ("search:playouts=3",))

    def filled(text):
        return text.replace("GRAPH", f"onnx:{graph}").replace("FILE", str(graph))

    found = gupai(*(filled(word) for word in words.split()))
    assert found.exit_code == 0, found.stderr
    assert filled(printed) in found.output.replace("\n", "")


@with_onnx
def test_claims_panel_accepts_a_graph(graph):
    verdict = try_claim(read_claim(ROOT / "configs" / "claims" / "jl-variety.yaml"), deals=40, panel=[f"onnx:{graph}"])
    assert {effect.label for finding in verdict.findings for effect in finding.effects} >= {f"onnx:{graph}"}


@with_onnx
def test_training_pool_accepts_a_graph(graph):
    pool = {"rules": [f"onnx:{graph}"], "rule_share": 0.2}
    small = {"network": {"hidden": [8]}, "ppo": {"envs": 8, "steps": 16, "batch_size": 64, "epochs": 1}}
    learner = build_learner(parse({"game": "jie-long", "pool": pool, **small}, "test"))
    (member,) = learner.env.pool.members
    assert member.agent.name == f"onnx:{graph}"
    asked = []
    act = member.agent.act
    member.agent.act = lambda batch: asked.append(len(batch.rng_keys)) or act(batch)
    learner.env.reset()
    for _ in range(20):
        learner.env.step(learner.env.action_masks().argmax(1))
    assert sum(asked) > 20


@with_onnx
def test_missing_graph_of_a_configuration_is_reported_in_one_line():
    with pytest.raises(ValueError, match=r"pool\.rules: nowhere\.onnx: no such file"):
        parse({"game": "jie-long", "pool": {"rules": ["onnx:nowhere.onnx"]}}, "test")


@with_onnx
def test_exported_graph_plays_its_variant_as_its_checkpoint(tmp_path, decisions):
    from gupai_training.export import onnx_bytes

    file = tmp_path / "best.onnx"
    file.write_bytes(onnx_bytes(best_file(GAME, GAME.variant.make(forced_play=True))))
    player, ours = (make_agent(name, GAME, forced_play=True) for name in (f"onnx:{file}", "best"))
    assert player.ahead is not None  # it looks ahead as best does
    batch = decisions[0]
    assert (player.act(batch) == ours.act(batch)).mean() > 0.995  # sums of other order, rounded
    with pytest.raises(ValueError, match=r"best\.onnx: trained with players=4, not players=3"):
        make_agent(f"onnx:{file}", GAME, players=3, forced_play=True)
    with pytest.raises(ValueError, match=r"best\.onnx: made for game 'jie-long', not 'ce-deng'"):
        make_agent(f"onnx:{file}", "ce-deng")


class Odd(nn.Module):
    def __init__(self, change):
        super().__init__()
        self.body, self.change = network(8), change

    def forward(self, observations):
        return self.change(self.body(observations.float()))


@with_onnx
@pytest.mark.parametrize(
    ("change", "how", "printed"),
    [
        (lambda x: x[:, 1:], {}, rf"outputs for 1 observations are logits \[1, {ACTIONS - 1}\]; .* \[1, {ACTIONS}\]"),
        (lambda x: x.argmax(1), {}, r"outputs for 1 observations are logits \[1\]"),
        (lambda x: x[:1], {}, rf"outputs for 3 observations are logits \[1, {ACTIONS}\]"),
        (lambda x: (x, -x), {"names": ("a", "b")}, "outputs a, b may all be scores of actions; call one logits"),
        (lambda x: x, {"rows": None}, rf"input is seen \[2, {SIZE}\]; export it with a dynamic first axis"),
        (lambda x: x + torch.rand_like(x), {}, "output logits differs for equal observations"),
        (lambda x: x, {"dtype": torch.bool}, r"input is of type tensor\(bool\)"),
    ],
    ids=["actions", "argmax", "one row", "two", "fixed", "drawn", "type"],
)
def test_graph_of_another_shape_is_refused_in_one_line(change, how, printed, tmp_path):
    how = {"names": ("logits",), **how}
    file = exported(Odd(change).eval(), tmp_path / "odd.onnx", **how)
    found = gupai("watch", "jie-long", f"onnx:{file}")
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert re.match(rf"gupai: {re.escape(str(file))}: its {printed}", found.stderr), found.stderr


@with_onnx
def test_graph_that_cannot_run_is_refused_in_one_line(graph, tmp_path):
    import onnx

    failing = exported(Odd(lambda x: x.reshape(2, -1)[: len(x)]).eval(), tmp_path / "failing.onnx", names=("logits",))
    made = [*(onnx.load(graph) for _ in range(3)), onnx.load(failing)]
    again = made[0].graph.input.add()
    again.CopyFrom(made[0].graph.input[0])
    again.name = "more"
    made[1].graph.node[0].op_type = "Nothing"
    onnx.helper.set_model_props(made[2], {HEADER_KEY: "["})
    for model, printed in zip(
        made,
        (
            rf"it has 2 inputs \(seen \[N, {SIZE}\], more \[N, {SIZE}\]\); jie-long has one input",
            "onnxruntime cannot run it",
            "damaged, its metadata 'gupai' are not a header of gupai",
            "it fails for 1 observations",
        ),
        strict=True,
    ):
        onnx.save_model(model, tmp_path / "odd.onnx")
        found = gupai("watch", "jie-long", f"onnx:{tmp_path / 'odd.onnx'}")
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
        assert re.search(rf"odd\.onnx: {printed}", found.stderr), found.stderr


@with_onnx
def test_output_called_logits_has_the_scores(decisions, tmp_path):
    batch, seen = decisions
    file = exported(Odd(lambda x: (-x, x)).eval(), tmp_path / "two.onnx", names=("others", "logits"))
    found = make_agent(f"onnx:{file}", GAME, forced_play=True).act(batch)
    np.testing.assert_array_equal(found, best(logits_of(network(8), seen), batch.masks))


@with_onnx
def test_graph_of_another_game_is_refused_in_one_line(graph, tmp_path):
    (tmp_path / "bad.onnx").write_bytes(graph.read_bytes()[:500])
    other = get_game("pai-gow")
    for name, game, printed in (
        (graph, other.id, rf"input is seen \[N, {SIZE}\]; {other.id} has one input, observations \[N, \d+\]"),
        (tmp_path / "bad.onnx", GAME.id, r"bad\.onnx: not an ONNX graph, or a damaged one"),
        (tmp_path / "none.onnx", GAME.id, r"none\.onnx: no such file or folder"),
        (tmp_path, GAME.id, r": .*not a regular file"),
    ):
        found = gupai("watch", game, f"onnx:{name}")
        assert (found.exit_code, found.stderr.count("\n")) == (2, 1), found.stderr
        assert re.search(printed, found.stderr), found.stderr


@with_onnx
@pytest.mark.parametrize(("place", "printed"), [("w.bin", ""), ("../w.bin", "'../w.bin', which is not in its folder")])
def test_external_weights_are_read_from_the_same_folder(place, printed, graph, tmp_path, decisions, monkeypatch):
    import onnx

    folder = tmp_path / "in"
    folder.mkdir()
    model = onnx.load(graph)
    onnx.save_model(model, folder / "a.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    if printed:
        moved = onnx.load(folder / "a.onnx", load_external_data=False)
        for tensor in moved.graph.initializer:
            for entry in tensor.external_data:
                entry.value = entry.value.replace("w.bin", place)
        (folder / "w.bin").rename(tmp_path / "w.bin")
        (folder / "a.onnx").write_bytes(moved.SerializeToString())
        with pytest.raises(ValueError, match=re.escape(printed)):
            make_agent(f"onnx:{folder / 'a.onnx'}", GAME)
        return
    player = make_agent(f"onnx:{folder / 'a.onnx'}", GAME)
    assert origin_of(player).files == (folder / "a.onnx", folder / "w.bin")
    size = (folder / "w.bin").stat().st_size
    assert (folder / "a.onnx").stat().st_size < size - 1
    np.testing.assert_array_equal(player.act(decisions[0]), make_agent(f"onnx:{graph}", GAME).act(decisions[0]))
    monkeypatch.setattr(onnx_agent, "MAX_BYTES", size - 1)
    with pytest.raises(ValueError, match=rf"w\.bin is larger than {size - 1:,} bytes"):
        make_agent(f"onnx:{folder / 'a.onnx'}", GAME)
    (folder / "w.bin").unlink()
    with pytest.raises(ValueError, match=r"w\.bin: no such file"):
        make_agent(f"onnx:{folder / 'a.onnx'}", GAME)


def test_missing_onnxruntime_is_reported_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    found = gupai("watch", "jie-long", f"onnx:{tmp_path / 'mine.onnx'}")
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert "needs one more package (onnxruntime): pip install 'gupai[onnx]'" in found.stderr


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
    assert "own_players:make" in pages.get("/game/jie-long").text
    table = "/table?game=jie-long&seed=5&seat=3&with="
    assert pages.get(f"{table}own_players:make").status_code == 200
    refused = pages.get(f"{table}own_players:again")
    assert refused.status_code == 422 and "does not play here" in refused.text


@with_onnx
def test_pages_seat_a_graph_in_its_game(graph):
    pages = pages_with(f"onnx:{graph}")
    found = pages.get(f"/table?game=jie-long&seed=5&seat=3&with=onnx:{graph}")
    assert found.status_code == 200 and f"onnx:{graph}" in found.text
    refused = pages.get(f"/table?game=pai-gow&seed=5&seat=0&with=onnx:{graph}")
    assert refused.status_code == 422 and "its input is seen" in refused.text


def test_missing_page_player_is_reported_in_one_line(factories):
    for name, printed in (("own_none:make", "there is no module own_none"), ("nobody", "'nobody' plays no game")):
        found = gupai("web", "--no-browser", "--agent", name)
        assert found.exit_code == 2 and found.stderr.count("\n") == 1 and printed in found.stderr
