"""Runs on the disk and under signals: nothing is lost, nothing is written twice, nothing empty is left."""

import copy
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import small_runs
from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation.matches.match import DuplicateResult
from gupai_agents.networks.checkpoint import CheckpointError, read_checkpoint, read_header, write_checkpoint
from gupai_app.shell.screen import Screen
from gupai_app.shell.stop import Stop
from gupai_app.training.terminal import ScreenReporter, results_table
from gupai_env import get_game
from gupai_env.storage.files import locked
from gupai_training.config import CONFIG_FILE, REPORT_FILE, RESUME_FILE, parse
from gupai_training.opponents import OpponentPool
from gupai_training.run import Reporter, Row, Run, Spent
from gupai_training.selfplay import SelfPlayEnv
from processes import Command

SMALL = {
    **small_runs.SMALL,
    "decisions": 64 * 16 * 2,
    "pool": {"snapshots": 0, "rules": []},
    "evaluation": {"every": 1000, "deals": 4, "final_deals": 4, "baselines": ["random"]},
}
ENDLESS = {**SMALL, "decisions": 10**9, "save_every": 10**6}  # saves only when it is stopped


def train(*words):
    return gupai("train", *words)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run that is saved and ended; to be copied, not changed."""
    run = Run.begin(parse(SMALL, "test"), tmp_path_factory.mktemp("runs"))
    run.learn()
    return run.folder


@pytest.fixture
def saved(trained, tmp_path):
    """A copy of it."""
    return Path(shutil.copytree(trained, tmp_path / "runs" / trained.name))


def until(condition, seconds=120):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def learning(folder, parts=1) -> bool:
    """True once a run has told TensorBoard of several updates; each time that it is resumed it begins another file."""
    files = list(folder.glob("events*"))
    return len(files) == parts and all(file.stat().st_size > 8000 for file in files)


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signal_saves_and_tells_how_to_resume(tmp_path, number, status):
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(ENDLESS))
    folder = tmp_path / "small-1"
    training = Command("train", path, "--runs", tmp_path, "--json")
    until(lambda: learning(folder))
    training.send_signal(number)
    done = training.ends()
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr == f"gupai: stopped and saved; continue with: gupai train --resume {folder}\n"
    updates = read_header(folder / RESUME_FILE)["updates"]
    assert updates == read_header(folder)["updates"] > 0
    if number == signal.SIGINT:
        return  # going on is the same whatever the signal
    training = Command("train", "--resume", folder, "--json")
    until(lambda: learning(folder, parts=2))
    training.send_signal(number)
    assert training.ends().returncode == status
    assert read_header(folder / RESUME_FILE)["updates"] > updates


@pytest.mark.usefixtures("signals")
def test_signal_before_the_run_is_built_leaves_nothing(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(ENDLESS))
    words = ["train", path, "--runs", tmp_path / "runs"]
    # Before Python itself has started, which it does late on a loaded machine, a signal ends it with 1.
    begun = "print(flush=True); import runpy; runpy.run_module('gupai_app', run_name='__main__')"
    command, ends = [sys.executable, "-c", begun, *words], []
    for delay in (0.05, 0.3, 0.6):  # it imports, it reads, it builds
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as training:
            training.stdout.readline()
            time.sleep(delay)
            training.send_signal(signal.SIGINT)
            ends.append((training.communicate(timeout=120)[1], training.wait()))
    for err, returned in ends:
        # While libraries are imported, the signal may end Python itself, or be an error of theirs that it caused.
        assert returned, err
        assert err.count("\n") <= 1 or returned != 130 or "saved" in err
        for folder in (tmp_path / "runs").glob("*"):
            assert (folder / CONFIG_FILE).is_file()


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize("loading", ["gupai_training.config.load", "gupai_training.run.Run.begin"])
def test_loading_is_not_interrupted(tmp_path, monkeypatch, loading):
    ended = []

    def load(*_):
        os.kill(os.getpid(), signal.SIGINT)
        ended.append(True)
        return parse(SMALL, "test")

    monkeypatch.setattr(loading, load)
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(SMALL))
    result = train(path, "--runs", tmp_path / "runs")
    assert (result.exit_code, result.stderr, ended) == (130, "gupai: stopped\n", [True])
    assert not (tmp_path / "runs").exists()


def interrupt_a_load(stop):
    with stop.held():
        os.kill(os.getpid(), signal.SIGINT)
        stop.result = ", but all is loaded"


@pytest.mark.usefixtures("signals")
def test_signal_is_never_lost():
    before = signal.getsignal(signal.SIGINT)
    with Stop() as stop:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        # Whoever swallowed that is found out at the next look.
        assert stop.requested()
        with pytest.raises(KeyboardInterrupt):
            stop.check()
    with Stop() as stop:
        stop.check()
        stop.gently = True
        assert not stop.requested()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.requested()
        with pytest.raises(KeyboardInterrupt):  # who asks twice means at once
            os.kill(os.getpid(), signal.SIGINT)
    with Stop() as stop:
        with pytest.raises(KeyboardInterrupt):
            interrupt_a_load(stop)
        assert stop.result == ", but all is loaded"
        assert not stop.gently
    assert signal.getsignal(signal.SIGINT) is before


def test_ignored_signal_stays_ignored():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        with Stop() as stop:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not stop.requested()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_run_is_trained_by_one_process_at_a_time(saved):
    before = {path.name: path.read_bytes() for path in saved.iterdir()}
    with locked(saved, "training this run"):
        result = train("--resume", saved)
        assert result.exit_code == 2
        assert result.stderr == f"gupai: {saved}: another process is training this run\n"
        assert {path.name: path.read_bytes() for path in saved.iterdir()} == before
    assert train("--resume", saved).exit_code == 0


def test_run_is_locked_while_it_is_trained(tmp_path):
    class Rival(Reporter):
        refused = 0

        def moved(self, *_):
            with pytest.raises(ValueError, match="another process is here"), locked(run.folder, "here"):
                raise AssertionError
            self.refused += 1

    run, rival = Run.begin(parse(SMALL, "test"), tmp_path), Rival()
    run.learn(reporter=rival)
    assert rival.refused
    with locked(run.folder, "here"):
        pass


def test_partial_files_of_a_killed_process_are_removed(saved):
    (saved / "agent.safetensors.0123.part").write_bytes(b"half")
    Run(parse(SMALL, "test"), saved).learn(go_on=True)
    assert not list(saved.glob("*.part"))


@pytest.mark.parametrize(
    "change", ["device=cuda:999", "evaluation.baselines=[gredy]", "ppo.envs=0", "variant.players=9"]
)
def test_failed_start_leaves_no_folder(tmp_path, change):
    result = train("jie-long", "--set", change, "--runs", tmp_path / "runs")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(("number", "found"), [(0, "no GPUs"), (1, "1 GPU"), (2, "2 GPUs")])
def test_missing_gpu_is_refused(number, found, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: number > 0)
    monkeypatch.setattr("torch.cuda.device_count", lambda: number)
    with pytest.raises(ValueError, match=rf"device=cuda:2: torch finds {found} here; choose"):
        Run(parse({**SMALL, "device": "cuda:2"}, "test"), Path())


def test_uncreatable_folder_is_reported_in_one_line(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(SMALL))
    result = train(path, "--runs", path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "lie",
    [
        lambda header, tensors: header.pop("config"),
        lambda header, tensors: header.update(stage="later"),
        lambda header, tensors: header.update(stage="search"),
        lambda header, tensors: header.pop("spent"),
        lambda header, tensors: header["spent"].update(seconds="long"),
        lambda header, tensors: header["spent"].update(hours=1),
        lambda header, tensors: header.update(members=[["human", 0, True, 0.5, 0]]),
        lambda header, tensors: header.update(members=[["past", 1, False, 0.5, 0]]),
        lambda header, tensors: header.update(chance="{}"),
        lambda header, tensors: header.update(kind="player"),
        lambda header, tensors: tensors.pop("noise"),
        lambda header, tensors: tensors.update({"env._owed": np.zeros(3, np.float32)}),
        lambda header, tensors: tensors.update({"env._owed": tensors["env._owed"].astype(np.float64)}),
        lambda header, tensors: tensors.update({"env.totals": tensors["env.totals"][:, :1]}),
        lambda header, tensors: tensors.update({"env.played": tensors["env.played"].astype(np.int32)}),
        lambda header, tensors: tensors.update({"env.played": tensors["env.played"][:-1].copy()}),
        lambda header, tensors: tensors["env.played"].fill(9999),
        lambda header, tensors: tensors["env.played"].fill(-2),
        lambda header, tensors: tensors["env.moves"].fill(1 << 62),
        lambda header, tensors: np.add.at(tensors["env.moves"], range(4), 1 << 62),  # their sum is what it was
        lambda header, tensors: tensors["env.seeds"].__iadd__(1),
        lambda header, tensors: tensors["env.episodes"].fill(-1),
        lambda header, tensors: tensors["env.seating"].fill(99),
        lambda header, tensors: tensors["env.seating"].fill(0),
        lambda header, tensors: header.update(played=-1),
        lambda header, tensors: header.update(updates=1.5),
        lambda header, tensors: header["spent"].update(seconds=float("nan")),
        lambda header, tensors: header["shares"].update(play="x"),
        lambda header, tensors: header.update(members=[["greedy", 0, True, "often", 0]]),
        lambda header, tensors: header.update(members=[["greedy", 0, True, 0.5, -1]]),
        lambda header, tensors: header.update(chance=header["chance"].replace('"state": ', '"state": ' + "9" * 60)),
        lambda header, tensors: header.update(chance="[" * 100_000),
        lambda header, tensors: tensors.update({"network.value.bias": np.zeros(2, np.float32)}),
        lambda header, tensors: tensors.update({"adam.0.exp_avg": np.zeros(3, np.float32)}),
    ],
)
def test_forged_saved_run_is_refused_in_one_line(saved, lie):
    header, tensors = read_checkpoint(saved / RESUME_FILE)
    lie(header, tensors)
    write_checkpoint(saved / RESUME_FILE, header, tensors)
    with pytest.raises(CheckpointError) as caught:
        Run(parse(SMALL, "test"), saved).learn(go_on=True)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(saved / RESUME_FILE))


BY_SEARCH = {
    **SMALL,
    "expert_iteration": {"targets": 100_000, "tables": 8, "playouts": 1, "window": 300, "batch_size": 32},
}


@pytest.fixture(scope="module")
def half_searched(tmp_path_factory):
    """A run that was stopped while it learned from search, its window full."""
    run = Run.begin(parse(BY_SEARCH, "test"), tmp_path_factory.mktemp("by_search"))
    assert not run.learn(stop=lambda: len(run.search_stage.ends) == 4)
    return run.folder


@pytest.mark.parametrize(
    ("name", "lie"),
    [
        (RESUME_FILE, lambda header, tensors: header.update(stage="self-play")),
        (RESUME_FILE, lambda header, tensors: header.update(config={})),
        (RESUME_FILE, lambda header, tensors: header.update(ends=[5, 3])),
        (RESUME_FILE, lambda header, tensors: header.update(ends=[-1])),
        (RESUME_FILE, lambda header, tensors: header["ends"].append(10**15)),
        ("targets-3.safetensors", lambda header, tensors: header.update(kind="player")),
        ("targets-3.safetensors", lambda header, tensors: header.update(config={})),
        ("targets-3.safetensors", lambda header, tensors: header.update(end=header["end"] - 1)),
        ("targets-3.safetensors", lambda header, tensors: header.update(first=header["first"] + 1)),
        ("targets-3.safetensors", lambda header, tensors: tensors.update(legal=tensors["legal"][:, :5])),
        ("targets-3.safetensors", lambda header, tensors: tensors["legal"].fill(False)),
        ("targets-3.safetensors", lambda header, tensors: tensors.update(means=tensors["means"][:5])),
        ("targets-3.safetensors", lambda header, tensors: tensors.update(observations=np.zeros((3, 3), np.int8))),
        ("targets-3.safetensors", lambda header, tensors: tensors["observations"].fill(-7)),
    ],
)
def test_forged_unfinished_run_is_refused_in_one_line(half_searched, tmp_path, name, lie):
    folder = Path(shutil.copytree(half_searched, tmp_path / "run"))
    header, tensors = read_checkpoint(folder / name)
    lie(header, tensors)
    write_checkpoint(folder / name, header, tensors)
    with pytest.raises(CheckpointError) as caught:
        Run(parse(BY_SEARCH, "test"), folder).learn(go_on=True)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(folder))


def test_missing_targets_are_reported_in_one_line(half_searched, tmp_path):
    folder = Path(shutil.copytree(half_searched, tmp_path / "run"))
    (folder / "targets-3.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"targets-3\.safetensors: there is no such checkpoint"):
        Run(parse(BY_SEARCH, "test"), folder).learn(go_on=True)


def test_saved_run_reports_its_decisions_and_resumes():
    """Matches of several deals, forced decisions within them: no state is saved, and none can be made up."""

    def opened() -> SelfPlayEnv:
        pool = OpponentPool(2, np.random.default_rng(3), 0.0, 1, 0.0)
        for name in ("greedy", "random"):
            pool.add(make_agent(name, "tiu-u", must_catch=True, deals=3), 0, scripted=True)
        return SelfPlayEnv("tiu-u", 50, pool, seed=3, must_catch=True, deals=3)

    env, again = opened(), opened()
    env.reset()
    for _ in range(40):
        env.play(env.masks.argmax(1))
    saved = {name: array.copy() for name, array in env.saved().items()}
    assert saved["moves"].max() > saved["moves"].min()
    rows, elsewhere = np.arange(50), (env.seats + 1) % 2
    for seats, number, said in (
        (elsewhere, 2, "seating names a player outside the pool of 2"),
        (elsewhere, -2, "seating names a player outside the pool of 2"),
        (env.seats, 1, "not a learner's turn"),
    ):
        odd = {**saved, "seating": saved["seating"].copy()}
        odd["seating"][rows[7], seats[7]] = number
        with pytest.raises(ValueError, match=said):
            opened().put_back(odd)
    again.pool.rng = copy.deepcopy(env.pool.rng)
    again.put_back(saved)
    for _ in range(60):
        for name in ("seats", "masks", "observations", "seating", "totals"):
            np.testing.assert_array_equal(getattr(again, name), getattr(env, name))
        np.testing.assert_array_equal(again.envs.states, env.envs.states)
        for each in (env, again):
            each.play(each.masks.argmax(1))
        np.testing.assert_array_equal(again.rewards, env.rewards)


def test_diverging_training_is_reported_in_one_line(tmp_path, monkeypatch):
    def diverge(self, *_):
        raise FloatingPointError("values of update 1 hold values that are not finite; training stopped")

    monkeypatch.setattr("gupai_training.learner.SelfPlay._require_finite", diverge)
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(SMALL))
    result = train(path, "--runs", tmp_path)
    assert result.exit_code == 2
    assert result.stderr == (
        f"gupai: {tmp_path / 'small-1'}: values of update 1 hold values that are not finite; training stopped\n"
    )


@pytest.mark.parametrize("players", [2, 4, 5])
def test_names_are_whole_in_the_final_table_at_80_columns(players):
    game = get_game("da-ling")
    chips = np.random.default_rng(0).normal(size=(50, players, players)) * 60
    names = ["trained", "variety", "[brave]:x:", f"checkpoint:runs/{'a-long-name-' * 3}7/agent.safetensors"]
    rows = [Row(hero, other, DuplicateResult((hero,), chips, 0)) for hero in names for other in names if hero != other]
    config = SimpleNamespace(variant={}, seed=1, evaluation=SimpleNamespace(final_deals=50))
    run = SimpleNamespace(
        config=config, game=game, variant=SimpleNamespace(players=players), spent=Spent(targets=12_000), decisions=3_000
    )
    console = Screen(width=80, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(results_table(run, rows))
    shown = console.export_text()
    assert all(len(line) <= 80 for line in shown.splitlines())
    assert "…" not in shown and "bold" not in shown
    printed = " ".join(shown.split())
    assert "learned from 12,000 positions with targets, then 3,000 decisions of self-play." in printed
    for name in names[:3]:
        assert len(re.findall(rf"(?<!\S){re.escape(name)}(?!\S)", shown)) == 6
    for row in rows:
        assert str(row.result.mean(0)) in shown
        for seat in range(players):
            assert f"{row.result.at_seat(0, seat).mean:+.1f}" in shown


def test_finished_run_names_its_folder_and_how_to_play_it(tmp_path, monkeypatch):
    expected, dealt = [], []
    monkeypatch.setattr(ScreenReporter, "expect", lambda self, deals: expected.append(deals))
    monkeypatch.setattr(ScreenReporter, "dealt", lambda self, deals: dealt.append(deals))
    path, variant = tmp_path / "config.yaml", {"players": 2, "forced_play": True}
    path.write_text(json.dumps({**SMALL, "decisions": 64 * 16, "precision": "float32", "variant": variant}))
    result = train(path, "--runs", tmp_path / "runs")
    folder = tmp_path / "runs" / "small-1"
    assert (result.exit_code, result.stderr) == (0, "")
    begins, *_, report, play = result.stdout.splitlines()
    assert report == f"Report: {folder / REPORT_FILE}" and (folder / REPORT_FILE).is_file()
    against = f"gupai play jie-long --against checkpoint:{folder} -o players=2 -o forced_play=true"
    assert play == f"Play against it: {against}"
    assert begins == f"Jie Long 接龍: training in {folder} on cpu in float32; ctrl-C saves and stops"
    assert expected == [2 * 4] and sum(dealt) == 2 * 4  # the final table, both ways round
