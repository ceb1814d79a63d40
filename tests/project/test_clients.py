"""Programs of other libraries: players made of their networks, and the examples as far as they run everywhere."""

import re
import runpy
import sys
import tomllib

import numpy as np
import pytest
import torch

from checkout import ROOT, files
from gupai_agents import DecisionBatch, ObservationAgent
from gupai_env import GAMES, make_vec

PROGRAMS = files("examples", name="examples/*.py")
NO_EXTRA = ("text_player", "d3rlpy_offline", "agilerl_ppo")
EXAMPLES = [path for path in PROGRAMS if path.stem not in NO_EXTRA]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


@pytest.mark.parametrize("game", GAMES)
def test_observation_player_takes_the_best_legal_action(game):
    table, rng = make_vec(game, 64, seed=1), np.random.default_rng(1)
    for key in range(50):
        seen, scores = [], rng.permuted(np.tile(np.arange(table.game.num_actions), (64, 1)), axis=1)
        player = ObservationAgent("permuted", game, lambda shown: seen.append(shown) or scores)  # noqa: B023
        views, rng_keys = table.views()
        actions = player.act(DecisionBatch(views, table.masks, rng_keys))
        np.testing.assert_array_equal(seen[0], table.observations)
        for action, mask, score in zip(actions, table.masks, scores, strict=True):
            assert score[action] == score[mask].max()
            assert mask[action]
        table.step(table.sample(key=key))


@pytest.fixture
def printed_by(capsys, monkeypatch):
    """What an example prints, which is run as a program, but here: what it imports, others have imported."""
    threads = torch.get_num_threads()

    def run(example, *words):
        monkeypatch.setattr(sys, "argv", [example, *words])
        capsys.readouterr()
        runpy.run_path(str(ROOT / "examples" / example), run_name="__main__")
        return capsys.readouterr().out

    yield run
    torch.set_num_threads(threads)


def test_plain_maskable_ppo_runs_as_documented(printed_by):
    printed = printed_by("maskable_ppo.py", "--decisions", "1", "--deals", "20")
    assert "8,192 decisions learned from" in printed
    number = r"[+-]\d+\.\d\d ±\d+\.\d\d"
    assert len(re.findall(rf"(?:before|after): +{number} against random  {number} against greedy", printed)) == 2


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_names_extras_and_constraints_that_there_are(path):
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("    pip install")]
    extras = {name for line in lines for group in re.findall(r"\[([\w,]+)\]", line) for name in group.split(",")}
    assert extras
    assert extras <= set(EXTRAS)
    assert all((ROOT / name).is_file() for line in lines for name in re.findall(r"-c (\S+)", line))


def test_behaviour_cloning_learns_from_exported_data(tmp_path, printed_by):
    from gupai_agents import make_agent
    from gupai_agents.evaluation import RecordWriter, data_seed, duel, games_to_arrays
    from gupai_agents.evaluation.records.arrays import as_npz

    greedy, other = (make_agent(name, "jie-long", forced_play=True) for name in ("greedy", "random"))
    with RecordWriter(tmp_path / "games.jsonl") as record:
        duel("jie-long", greedy, other, 120, seed=data_seed(1), record=record, forced_play=True)
    (tmp_path / "data.npz").write_bytes(as_npz(games_to_arrays(tmp_path / "games.jsonl", "greedy")))
    words = [str(tmp_path / "data.npz"), "--out", str(tmp_path / "clone.safetensors"), "--epochs", "3", "--deals", "8"]
    printed = printed_by("behaviour_cloning.py", *words)
    agreed = [float(share) for share in re.findall(r"the same action in (\d+\.\d)%", printed)]
    assert len(agreed) == 3 and agreed[-1] > 90
    assert re.search(r"[+-]\d+\.\d\d ±\d+\.\d\d chips per deal against best", printed)


def test_sweep_trains_trials_and_the_best_again(tmp_path, printed_by):
    pytest.importorskip("optuna", reason="the sweep needs gupai[optuna]")
    words = ["--trials", "1", "--decisions", "1", "--seeds", "1", "--deals", "20", "--runs", str(tmp_path)]
    printed = printed_by("optuna_sweep.py", *words)
    assert "best of 1 trials" in printed and "seed 2: " in printed
    assert {"trial-0-1", "best-seed2-1", "sweep.db"} <= {path.name for path in tmp_path.iterdir()}


def test_single_file_learns_in_seconds(printed_by):
    printed = printed_by("ppo_single_file.py", "--decisions", "65536", "--deals", "200")
    chips = re.search(r"in the end:  ([+-]\d+\.\d\d) ±\d+\.\d\d against random  ([+-]\d+\.\d\d)", printed)
    assert float(chips[1]) > 8 and float(chips[2]) > 0  # untrained it wins nothing from the one and loses to the other


def test_recurrent_file_learns_from_a_stacked_line(printed_by):
    printed = printed_by("recurrent_ppo.py", "--decisions", "65536", "--deals", "100")
    chips = re.search(r"in the end:  ([+-]\d+\.\d\d) ±\d+\.\d\d against random  [+-]\d+\.\d\d ±", printed)
    assert float(chips[1]) > 3
    assert re.search(r"as an agent: [+-]\d+\.\d\d ±\d+\.\d\d against greedy", printed)


def test_recurrent_network_remembers_unless_told_to_forget():
    sys.path.insert(0, str(ROOT / "examples"))
    import recurrent_ppo

    envs = make_vec("jie-long", 6, stacked=True, forced_play=True)
    rng = np.random.default_rng(0)
    for forget in (False, True):
        network = recurrent_ppo.Network(envs, 8, forget)
        past, now = (torch.as_tensor(rng.integers(0, 2, (2, 1, 6, envs.layout.size)))[at] for at in range(2))
        masks = torch.ones(2, 6, envs.game.num_actions, dtype=torch.bool)
        alone, later = network(now, masks[:1], None)[0][0], network(torch.cat([past, now]), masks, None)[0][1]
        assert torch.allclose(alone, later, atol=1e-6) == forget


def test_single_file_advantages_equal_the_trainer():
    sys.path.insert(0, str(ROOT / "examples"))
    import ppo_single_file

    from gupai_training.returns import advantages_by_seat

    rng, shape = np.random.default_rng(0), (24, 10)
    rollout = ppo_single_file.Rollout(24, make_vec("jie-long", 10))
    rollout.seats[:], rollout.values[:] = rng.integers(0, 4, shape), rng.normal(size=shape)
    rollout.terminated[:] = rng.random(shape) < 0.1
    rollout.rewards[:] = rng.normal(size=(*shape, 4)) * rollout.terminated[:, :, None]
    played = rollout.seats, rollout.values, rollout.rewards, rollout.terminated
    gains, known = advantages_by_seat(*map(torch.as_tensor, played), 1, 0.95)
    found, trained = ppo_single_file.advantages(rollout, 0.95)
    np.testing.assert_array_equal(trained, known)
    np.testing.assert_allclose(found, gains, atol=1e-5)
