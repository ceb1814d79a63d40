"""ONNX graphs are players wherever one is named, and what is wrong with one gets one line."""

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
from gupai_agents import make_agent
from gupai_agents.agent import origin_of
from gupai_agents.evaluation import play_tournament
from gupai_agents.evaluation.claims import read_claim, try_claim
from gupai_agents.networks import onnx_agent
from gupai_agents.networks.checkpoint import read_checkpoint, write_checkpoint
from gupai_agents.networks.onnx_agent import HEADER_KEY
from gupai_agents.play.workers import Processes
from gupai_agents.shipped import best_file
from gupai_env.games import get_game
from gupai_training.config import parse
from gupai_training.learner import SelfPlay
from gupai_training.network import build_network
from networks import ACTIONS, GAME, SIZE, Masked, Odd, best, exported, logits_of, network, with_onnx

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # torch's, about the exporter that needs no more


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
    config = parse({"game": "jie-long", "pool": pool, **small}, "test")
    learner = SelfPlay(config, build_network(config))
    (member,) = learner.env.pool.members
    assert member.agent.name == f"onnx:{graph}"
    asked = []
    act = member.agent.act
    member.agent.act = lambda batch: asked.append(len(batch.rng_keys)) or act(batch)
    learner.env.reset()
    for _ in range(20):
        learner.env.play(learner.env.masks.argmax(1))
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
    header, tensors = read_checkpoint(best_file(GAME, GAME.variant.make(forced_play=True)))
    write_checkpoint(tmp_path / "mixing", {**header, "mixes": True}, tensors)
    file.write_bytes(onnx_bytes(tmp_path / "mixing"))
    assert make_agent(f"onnx:{file}", GAME, forced_play=True).sample and not player.sample


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
    with pytest.raises(ValueError, match=rf"w\.bin: it is larger than {size - 1:,} bytes"):
        make_agent(f"onnx:{folder / 'a.onnx'}", GAME)
    (folder / "w.bin").unlink()
    with pytest.raises(ValueError, match=r"w\.bin: no such file"):
        make_agent(f"onnx:{folder / 'a.onnx'}", GAME)


def test_missing_onnxruntime_is_reported_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    found = gupai("watch", "jie-long", f"onnx:{tmp_path / 'mine.onnx'}")
    assert (found.exit_code, found.stderr.count("\n")) == (2, 1)
    assert "needs one more package (onnxruntime): pip install 'gupai[onnx]'" in found.stderr
