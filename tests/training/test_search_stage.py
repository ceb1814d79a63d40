"""The stage of search: its progress, its rate, what it learns from and what it saves."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gupai_agents import make_agent
from gupai_agents.evaluation import duel
from gupai_training.config import parse
from gupai_training.run import Run
from gupai_training.search_stage import SearchStage
from gupai_training.search_targets import Kind, Targets
from small_runs import config

TINY = {"deck": "tiny", "players": 2}


def test_last_part_of_the_stage_learns_once_from_dealt_deals(tmp_path, monkeypatch):
    run = Run.begin(
        config(targets=4000, heuristic_share=1, true_hands=0.5, self_rollouts=0.3, epochs=3, batch_size=64), tmp_path
    )
    stage, asked, learned, kinds = run.search_stage, [], [], set()
    make, learn = stage.target_maker.targets, stage._learn
    monkeypatch.setattr(stage.target_maker, "targets", lambda *of: (asked.append(of), make(*of))[1])
    monkeypatch.setattr(stage, "_learn", lambda rows: (learned.append(rows), learn(rows))[1])
    player = run.source.player("now")
    stage.player = lambda: player
    while stage.progress() < 1:
        progress, begun = stage.progress(), stage.count
        asked.clear(), learned.clear()
        stage.step()
        (by, _, kind), rows = asked[0], np.concatenate(learned)
        made = stage.count - begun
        assert kind == (progress >= 0.5) + (progress >= 0.7)  # kinds are numbered as they follow each other
        assert (by is player) == (kind != Kind.SEARCHED)
        kinds.add(kind)
        if kind != Kind.SEARCHED:
            places = np.arange(begun, stage.count) % len(stage.window)
            assert {len(batch) for batch in learned} == {64} and len(learned) == round(made / 64)
            _, counts = np.unique(rows, return_counts=True)
            assert set(rows) <= set(places) and abs(len(counts) - made) <= 32 and np.ptp(counts) <= 1
        else:
            assert len(rows) == pytest.approx(3 * made, abs=64)
    assert kinds == set(Kind)


def test_chunk_without_a_choice_gives_no_targets(tmp_path, monkeypatch):
    run = Run.begin(config(true_hands=1, tables=1), tmp_path)
    stage = run.search_stage
    lone = stage.target_maker.targets(run.source.player("now"), 0, kind=Kind.TRUE_HANDS)
    monkeypatch.setattr(stage.target_maker, "targets", lambda *_: Targets(*(array[:0] for array in lone)))
    before = run.network.tensors()
    assert stage.step().keys() == {"time/share_of_waiting"} and stage.count == 0
    for name, tensor in run.network.tensors().items():
        np.testing.assert_array_equal(tensor, before[name])


def test_targets_are_saved_only_while_learned_from(tmp_path):
    settings = config(targets=3000, true_hands=0.5, batch_size=64)
    whole = Run.begin(settings, tmp_path)
    whole.learn()
    for share, kept in ((0.2, True), (0.6, False)):
        run = Run.begin(settings, tmp_path)
        assert not run.learn(stop=lambda run=run, share=share: run.search_stage.progress() >= share)
        assert bool([*run.folder.glob("targets-*")]) == kept
        again = Run(settings, run.folder)
        assert again.learn(go_on=True)
        for name, tensor in whole.network.tensors().items():
            np.testing.assert_array_equal(again.network.tensors()[name], tensor)


def test_rate_and_progress_follow_the_configuration(tmp_path):
    run = Run.begin(config(targets=4000, learning_rate=1e-3, max_minutes=2), tmp_path)
    stage = run.search_stage
    for seconds, progress in ((0, 0.0), (30, 0.25), (60, 0.5)):
        stage.seconds = seconds
        assert max(progress, stage.count / 4000) == stage.progress()
        rate = 1e-3 * (1 - stage.progress())
        stage.step()
        assert stage.optimizer.param_groups[0]["lr"] == pytest.approx(rate)


def test_value_head_learns_the_payoff_of_the_policy(tmp_path):
    settings = config(targets=100, temperature=4.0).model_dump() | {"precision": "float32"}
    run = Run.begin(parse(settings, "test"), tmp_path)
    stage, scale = run.search_stage, run.config.payoff_scale
    targets = Targets(*(array[:100] for array in stage.target_maker.targets(stage.target_maker.heuristic, 0)))
    stage.window.add(targets)
    with torch.no_grad():
        run.network.policy.weight.mul_(100)
        logits, judged = run.network(torch.as_tensor(targets.observations))
    legal = ~np.isnan(targets.values)
    chances = np.where(legal, np.exp(logits.numpy()), 0)
    chances /= chances.sum(1, keepdims=True)
    won = (chances * np.nan_to_num(targets.values)).sum(1)
    wanted = (targets.means + won) / scale
    found = stage._learn(np.arange(100))
    assert abs(won).max() > 0.1
    assert float(found["won"]) == pytest.approx(won.mean(), abs=1e-2)
    assert float(found["value_loss"]) == pytest.approx(((judged.numpy() - wanted) ** 2).mean(), rel=1e-3)


def test_search_learning_beats_its_playouts_in_seconds(tmp_path):
    data = {
        "game": "jie-long",
        "variant": TINY,
        "threads": 1,
        "decisions": 0,
        "network": {"hidden": [64, 64]},
        "expert_iteration": {"targets": 40_000, "playouts": 4, "window": 40_000, "heuristic": "greedy", "tables": 512},
        "evaluation": {"every": 1000, "deals": 4, "final_deals": 4, "baselines": ["greedy"]},
    }
    run = Run.begin(parse(data, "test"), tmp_path)
    assert run.learn()
    by_search = make_agent(f"checkpoint:{run.folder}", "jie-long", **TINY)
    assert duel("jie-long", by_search, make_agent("greedy", "jie-long", **TINY), 500, seed=3, **TINY).mean(0).low > 1


def test_nan_stops_learning_and_keeps_the_last_save(tmp_path):
    import torch

    run = Run.begin(config(), tmp_path)
    with torch.no_grad():
        run.network.policy.weight.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="the loss is not finite after"):
        run.search_stage.step()


def test_value_learning_does_not_move_action_values(tmp_path):
    found = []
    for shift in (0, 50):
        run = Run.begin(config(targets=100), tmp_path)
        targets = run.search_stage.target_maker.targets(run.search_stage.target_maker.heuristic, 0)
        run.search_stage.window.add(targets._replace(means=targets.means + np.float32(shift)))
        for _ in range(5):
            run.search_stage._learn(np.arange(100))
        found.append(run.network.tensors())
    for name, tensor in found[0].items():
        assert (tensor == found[1][name]).all() == (not name.startswith("value")), name


@pytest.mark.parametrize(
    ("progress", "kind"),
    [
        (0.0, Kind.SEARCHED),
        (0.49, Kind.SEARCHED),
        (0.5, Kind.TRUE_HANDS),
        (0.74, Kind.TRUE_HANDS),
        (0.75, Kind.OWN),
        (1.0, Kind.OWN),
    ],
)
def test_target_method_depends_on_the_progress_of_the_stage(progress, kind):
    search_stage = SimpleNamespace(expert_iteration=SimpleNamespace(self_rollouts=0.25, true_hands=0.5))
    assert SearchStage.kind(search_stage, progress) == kind
