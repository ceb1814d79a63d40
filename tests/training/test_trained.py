"""Runs from Python, several seeds side by side, and their comparison."""

import copy
import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from commands import gupai
from gupai_agents.evaluation import duel
from gupai_agents.registry import make_agent
from gupai_app.training import compare_runs
from gupai_app.training.seeds import BEGAN, ENDED, EVALUATED, FAILED, PROCESSES, Child, Seeds, seeds_of
from gupai_training import load_run, train
from gupai_training.comparison import Comparison
from gupai_training.config import REPORT_FILE, RESULTS_FILE, RESUME_FILE, parse
from gupai_training.trained import METRICS
from small_runs import SMALL, copy_of


def test_run_gives_its_player_past_selves_and_files(runs):
    run = load_run(runs[0].folder)
    assert run.config == parse(SMALL, "test") and run.baselines == ["random", "greedy"]
    assert (run.folder / REPORT_FILE).exists()
    final = json.loads((run.folder / RESULTS_FILE).read_text())["results"]
    assert [row["against"] for row in final] == ["random", "trained", "greedy", "trained"]
    *past, last = run.checkpoints.values()
    assert list(run.checkpoints) == ["update 2", "update 3", "last"]
    past = past[0]
    assert any((past.tensors[name] != last.tensors[name]).any() for name in past.tensors)
    greedy = make_agent("greedy", "jie-long", players=2)
    again = duel("jie-long", run.player, greedy, 10, seed=1, players=2).mean(0)
    assert again.mean == run.evaluations[-1]["greedy"]["mean"]  # what was evaluated is what was saved


def test_metrics_are_tidy_rows(runs, tmp_path):
    rows = runs[0].metrics()
    assert [(row["updates"], row["against"]) for row in rows] == [
        (2, "random"), (2, "greedy"), (4, "random"), (4, "greedy")
    ]  # fmt: skip
    assert {row["n"] for row in rows} == {10}
    runs[0].write_metrics(tmp_path / "metrics.csv")
    with (tmp_path / "metrics.csv").open() as file:
        read = list(csv.DictReader(file))
    assert list(read[0]) == list(METRICS)
    assert [float(row["mean"]) for row in read] == [row["mean"] for row in rows]
    assert all(float(row["low"]) <= float(row["mean"]) <= float(row["high"]) for row in read)


def test_invalid_run_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"this is not the folder of a run: it holds no config.yaml"):
        load_run(tmp_path)
    with pytest.raises(ValueError, match=r"config: decision is not known here"):
        train({**SMALL, "decision": 3}, runs=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_run_exploitability_is_a_separate_figure(runs):
    run = copy.copy(runs[0])
    row = {**runs[0].evaluations[0], "exploitability": {"best": 2.5, "drawn": 1.25}}
    vars(run).update(evaluations=[row])
    found = [each for each in run.metrics() if each["measure"] == "exploitability"]
    assert [(each["against"], each["mean"], each["low"], each["n"]) for each in found] == [
        ("best", 2.5, None, None),
        ("drawn", 1.25, None, None),
    ]
    assert {(each["run"], each["seed"], each["updates"]) for each in found} == {(str(run.folder), 1, row["updates"])}
    assert repr(run) == f"TrainedRun({str(run.folder)!r})"


def test_recipe_ends_and_probabilities_of_improvement_are_shown(capsys):
    ended = {"one": np.array([0.0, 0, 0, 0, 100]), "two": np.array([1.0, 1, 1, 1, -100])}
    runs = {recipe: [SimpleNamespace(folder=recipe)] * len(values) for recipe, values in ended.items()}
    found = SimpleNamespace(recipes=runs, notes=[], baselines=["greedy"], final=lambda recipe, against: ended[recipe])
    found.ends = lambda: Comparison.ends(found)
    compare_runs.show(found, as_json=True)
    one, two = json.loads(capsys.readouterr().out)["ends"]
    assert (one["recipe"], one["mean"], one["iqm"]["mean"], one["n"]) == ("one", 20, 0, 5)
    assert (two["recipe"], two["mean"], two["iqm"]["mean"]) == ("two", pytest.approx(-19.2), 1)
    assert two["low"] < two["mean"] < two["high"]
    assert "above_first" not in one and two["above_first"]["mean"] == pytest.approx(16 / 25)
    assert two["above_first"]["low"] < 16 / 25 < two["above_first"]["high"]
    compare_runs.show(found)
    printed = capsys.readouterr().out
    assert re.search(r"two .*-19\.20 ±.*\+1\.00 .* 64% \[", printed) and "%" not in re.search("one .*", printed)[0]


def test_command_writes_tables_pictures_and_tensorboard(runs, tmp_path):
    out = tmp_path / "out"
    words = ["compare-runs", *(str(run.folder) for run in runs), "--out", str(out), "--against", "random"]
    done = gupai(*words)
    assert done.exit_code == 0, done.output
    assert "ppo.entropy" in done.stdout and "ends above" in done.stdout
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    for axis in ("decisions", "seconds"):
        svg = (out / f"strength-{axis}.svg").read_text()
        assert svg.startswith("<svg xmlns=") and "against random" in svg and "&lt;style" not in svg
        assert (out / f"strength-{axis}.png").read_bytes().startswith(b"\x89PNG")
    events = EventAccumulator(str(out / "tensorboard" / "ppo.entropy=0.01")).Reload()
    last = events.Scalars("decisions/against_greedy_mean")[-1]
    means = [run.evaluations[-1]["greedy"]["mean"] for run in runs[:2]]
    assert (last.step, last.value) == (4096, pytest.approx(np.mean(means), rel=1e-6))
    with (out / "metrics.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 12
    again = gupai(*words)
    assert again.exit_code == 2 and "exists already" in again.stderr and again.stderr.count("\n") == 1
    assert gupai(*words[:-2], "--force").exit_code == 0  # in pictures the last baseline
    assert "against greedy" in (out / "strength-seconds.svg").read_text()
    for kept in ("strength-seconds.png", "tensorboard"):
        elsewhere = tmp_path / kept
        elsewhere.mkdir()
        (out / kept).rename(elsewhere / kept)
        words[words.index("--out") + 1] = str(elsewhere)
        again = gupai(*words)
        assert again.exit_code == 2 and f"{kept} exists already" in again.stderr and again.stderr.count("\n") == 1
        assert [path.name for path in elsewhere.iterdir()] == [kept]  # nothing else was written


def test_missing_packages_still_leave_the_tables(runs, tmp_path, monkeypatch):
    for package in ("resvg_py", "tensorboard", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "gupai_env.render.image", raising=False)
    out = tmp_path / "out"
    done = gupai("compare-runs", runs[0].folder, "--out", out)
    assert done.exit_code == 0, done.output
    assert sorted(path.name for path in out.iterdir()) == [
        *("curves.csv", "metrics.csv", "strength-decisions.svg", "strength-seconds.svg")
    ]
    said = " ".join(done.stdout.split())
    assert "without PNG: Pictures need Pillow and resvg-py: pip install gupai[render]" in said
    assert "without TensorBoard: " in said and "--logdir" not in said


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--against", "chess"], "--against"), (["/no/such/run"], "/no/such/run: this is not the folder of a run")],
)
def test_incomparable_runs_are_refused_in_one_line(runs, more, said):
    done = gupai("compare-runs", runs[0].folder, *more)
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    twice = gupai("compare-runs", *[str(runs[0].folder)] * 2)
    assert "the same run is named twice" in twice.stderr


# --- runs that count once, or not at all ----------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "spent", "progress"),
    [
        ({"decisions": 100}, {"decisions": 100}, None),
        ({"decisions": 100}, {"decisions": 99}, "99 of 100 decisions"),
        ({"decisions": 1000, "max_minutes": 2}, {"decisions": 9, "seconds": 150.0}, None),
        ({"decisions": 1000, "max_minutes": 2}, {"decisions": 9, "seconds": 149.0}, "2.0 of 2 minutes"),
        ({"decisions": 1000, "max_minutes": 2}, {"decisions": 900, "seconds": 90.0}, "900 of 1,000 decisions"),
        ({"decisions": 0, "expert_iteration": {"targets": 50}}, {"targets": 50}, None),
        ({"decisions": 0, "expert_iteration": {"targets": 50}}, {"targets": 49}, "49 of 50 targets"),
        ({"decisions": 10, "expert_iteration": {"targets": 50}}, {"targets": 50}, "0 of 10 decisions"),
        ({"decisions": 0, "expert_iteration": {"targets": 50, "max_minutes": 3}}, {"seconds": 180.0}, None),
    ],
)
def test_run_ends_with_its_decisions_targets_or_minutes(settings, spent, progress, runs, tmp_path):
    """Without a report; the stage of search before self-play took half a minute."""
    run = copy_of(runs[0], tmp_path / "run", killed=True)
    run.config = parse({**SMALL, **settings}, "test")
    before = {"targets": 5, "decisions": 0, "updates": 0, "seconds": 30.0}
    vars(run).update(evaluations=[before, {**before, **spent}] if settings["decisions"] else [{**before, **spent}])
    assert run.finished == (progress is None)
    assert progress is None or run.progress == progress


def test_command_names_the_runs_that_count(runs, tmp_path):
    copied = copy_of(runs[0], tmp_path / "copied")
    killed = copy_of(runs[1], tmp_path / "killed", rows=runs[1].evaluations[:1], seed=9, killed=True)
    words = ["compare-runs", *(str(run.folder) for run in (*runs[:2], copied, killed))]
    told = json.loads(gupai(*words, "--json").stdout)
    assert {end["n"] for end in told["ends"]} == {2} and len(told["notes"]) == 2
    printed = " ".join(gupai(*words).stdout.split())
    assert "they count once." in printed and "unfinished, 2,048 of 4,096 decisions." in printed
    told = json.loads(gupai(*words, "--json", "--unfinished").stdout)
    assert [end["n"] for end in told["ends"]] == [2, 1, 2, 1] and len(told["notes"]) == 1
    with (copied.folder / "metrics.jsonl").open("a") as file:
        file.write('{"targets": 0, "deci')
    broken = gupai(*words)
    assert broken.exit_code == 2 and f"{copied.folder / 'metrics.jsonl'}, line " in broken.stderr
    assert broken.stderr.count("\n") == 1 and "it is not JSON" in broken.stderr
    refused = gupai("compare-runs", killed.folder)
    assert refused.exit_code == 2 and "2,048 of 4,096" in refused.stderr and refused.stderr.count("\n") == 1


# --- several seeds --------------------------------------------------------------------------------


def test_seeds_share_the_cores(monkeypatch):
    monkeypatch.setenv("PYTHON_CPU_COUNT", "8")
    config = parse({**SMALL, "threads": 0, "seed": 5}, "test")
    found = seeds_of(config, 3)
    assert [(each.seed, each.threads, each.name) for each in found] == [
        (5, 2, "small-seed5"), (6, 2, "small-seed6"), (7, 2, "small-seed7")
    ]  # fmt: skip
    with pytest.raises(ValueError, match="seed"):
        seeds_of(parse({**SMALL, "seed": (1 << 32) - 1}, "test"), 2)


def test_seed_messages_are_heard_and_a_dead_seed_is_named(tmp_path):
    found, joined, heard = Seeds([], str(tmp_path)), [], []

    def child(seed, exitcode=None):
        ours, theirs = PROCESSES.Pipe(duplex=False)
        process = SimpleNamespace(join=lambda *_: joined.append(seed), exitcode=exitcode)
        return Child(seed, process, ours), theirs

    def notify(*what):
        heard.append(what)

    one, says = child(1)
    for what, content, goes_on in (
        (BEGAN, str(tmp_path / "one"), True),
        (EVALUATED, {"targets": 5}, True),
        (ENDED, None, False),
    ):
        says.send((what, content))
        assert found._heard(one, notify) == goes_on
    assert (found.folders, found.failed, heard) == ({1: str(tmp_path / "one")}, {}, [(1, {"targets": 5})])
    two, says = child(2)
    says.send((FAILED, "no memory"))
    assert not found._heard(two, notify)
    three, says = child(3, -9)
    says.close()
    assert not found._heard(three, notify)
    assert found.failed == {2: "no memory", 3: "its process ended with status -9"} and joined == [1, 2, 3]
    assert found.go_on == "stopped"  # nothing was saved
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / RESUME_FILE).write_bytes(b"")
    assert found.go_on == f"stopped; continue with gupai train --resume RUN for each of {tmp_path / 'one'}"


def words_for(tmp_path, settings):
    """`gupai train --seeds 2` with these settings."""
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(settings))
    return ["train", str(path), "--seeds", "2", "--runs", str(tmp_path / "runs"), "--json"]


def group_of(words):
    """The command as the first of a group of processes."""
    return subprocess.Popen(
        [sys.executable, "-m", "gupai_app", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        start_new_session=True,  # a group of its own, which gets ctrl-C as from a terminal
    )


def test_seed_in_a_process_equals_its_own_run(runs, tmp_path):
    done = gupai(*words_for(tmp_path, SMALL))
    out = done.stdout
    assert done.stderr == ""
    assert sorted(json.loads(line)["seed"] for line in out.splitlines()[:4]) == [1, 1, 2, 2]
    ends = json.loads(out[out.index("{\n") :])["ends"]
    assert [(row["against"], row["n"]) for row in ends] == [("random", 2), ("greedy", 2)]
    for run in runs[:2]:
        twin = load_run(tmp_path / "runs" / f"small-seed{run.config.seed}-1")
        assert [row["mean"] for row in twin.metrics()] == [row["mean"] for row in run.metrics()]
        assert (twin.folder / REPORT_FILE).exists()


def alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.usefixtures("signals")
def test_ctrl_c_ends_all_seeds_in_five_seconds_with_one_line(tmp_path):
    process = group_of(words_for(tmp_path, {**SMALL, "decisions": 10**9, "save_every": 1}))
    deadline = time.monotonic() + 240
    while len(list((tmp_path / "runs").glob("*/resume.safetensors"))) < 2:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.1)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    crowded = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))  # where others have the cores, all takes longer
    assert time.monotonic() - begun < 5 * crowded
    assert process.returncode == 130
    assert (
        err.startswith("gupai: stopped; continue with gupai train --resume RUN for each of ") and err.count("\n") == 1
    )
    while alive(process.pid):  # of the group, nobody soon
        assert time.monotonic() - begun < 60
        time.sleep(0.1)
    load_run(tmp_path / "runs" / "small-seed1-1")


def test_failing_seed_is_named(tmp_path):
    done = gupai(*words_for(tmp_path, {**SMALL, "device": "cuda:99"}))
    assert done.exit_code == 2 and done.stderr.count("\n") == 1
    assert "seed 1: device=cuda:99" in done.stderr and "seed 2: device=cuda:99" in done.stderr


def test_tensorboard_shows_how_long_the_learner_waits(runs, tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    search = {"targets": 200, "tables": 8, "playouts": 2, "batch_size": 32}
    searched = train({**SMALL, "decisions": 0, "expert_iteration": search}, runs=tmp_path)
    for run in (runs[0], searched):
        shares = EventAccumulator(str(run.folder)).Reload().Scalars("time/share_of_waiting")
        assert shares and all(0 < share.value < 1 for share in shares)
