"""Runs from Python, several seeds side by side, and their comparison."""

import copy
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest

from commands import gupai
from gupai_agents.checkpoint import AGENT_FILE, read_checkpoint, write_checkpoint
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.statistics import estimate
from gupai_agents.registry import make_agent
from gupai_app.training import compare_runs
from gupai_app.training.seeds import BEGAN, ENDED, EVALUATED, FAILED, PROCESSES, Child, Seeds, seeds_of
from gupai_training import load_run, train
from gupai_training.comparison import Comparison
from gupai_training.config import CONFIG_FILE, METRICS_FILE, REPORT_FILE, RESULTS_FILE, RESUME_FILE, parse
from gupai_training.trained import METRICS

SMALL = {
    "game": "jie-long",
    "name": "small",
    "variant": {"players": 2},
    "decisions": 64 * 16 * 4,
    "threads": 1,
    "device": "cpu",
    "network": {"hidden": [16]},
    "ppo": {"envs": 64, "steps": 16, "batch_size": 256},
    "pool": {"snapshots": 2, "rules": []},
    "evaluation": {"every": 2, "deals": 10, "final_deals": 4, "baselines": ["random", "greedy"]},
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two seeds of one recipe and one of another, trained from Python: settings, a configuration and a file."""
    folder, file = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("recipes") / "other.yaml"
    file.write_text(json.dumps({**SMALL, "ppo": {**SMALL["ppo"], "entropy": 0.05}}))
    return [train(settings, runs=folder) for settings in (SMALL, parse({**SMALL, "seed": 2}, "test"), file)]


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


def test_runs_are_compared_by_recipe(runs):
    found = Comparison(runs)
    assert {name: len(each) for name, each in found.recipes.items()} == {"ppo.entropy=0.01": 2, "ppo.entropy=0.05": 1}
    assert found.axes() == ["decisions", "seconds"]
    means = [run.evaluations[-1]["greedy"]["mean"] for run in runs[:2]]
    row = next(
        row
        for row in found.rows()
        if (row["recipe"], row["against"], row["over"], row["at"]) == ("ppo.entropy=0.01", "greedy", "decisions", 4096)
    )
    assert row["mean"] == pytest.approx(np.mean(means)) and row["n"] == 2
    assert (row["low"], row["high"]) == pytest.approx(estimate(np.array(means), runs=True)[1:3])
    assert all(row["low"] is None for row in found.rows() if row["recipe"] == "ppo.entropy=0.05")


def test_curves_use_points_reached_by_all_runs_of_a_recipe(runs):
    """With times of our own: on a busy machine one run may begin after the other has ended."""
    found = Comparison(runs[:2])
    spans = [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]
    found.recipes["jie-long"] = [
        SimpleNamespace(evaluations=[{"seconds": at, "random": {"mean": 10 * at}} for at in span]) for span in spans
    ]
    points, values = found.curve("jie-long", "random", "seconds")
    assert points[0] == max(span[0] for span in spans) and points[-1] == min(span[-1] for span in spans)
    assert values.shape == (len(points), 2)
    assert points.tolist() == [2, 3, 4, 5] and values.tolist() == [[10 * at] * 2 for at in points]


def test_losses_are_compared_where_all_runs_have_them(runs):
    found = Comparison(runs)
    assert found.losses == ["policy_loss", "value_loss"]
    noted = [row["losses"]["value_loss"] for row in runs[2].evaluations]
    points, values = found.curve(list(found.recipes)[1], "value_loss", "decisions")
    assert values[:, 0].tolist() == noted and points[-1] == 4096
    assert {row["against"] for row in found.rows(found.losses)} == set(found.losses)
    assert all(row["against"] in found.baselines for row in found.rows())


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


def test_runs_are_compared_by_changed_settings_and_common_rivals(runs):
    searched = [{**row, "targets": 5, "decisions": 0, "tuned": row["greedy"]} for row in runs[0].evaluations]
    other = copy.copy(runs[2])
    vars(other).update(evaluations=searched)
    for order in ((runs[0], other), (other, runs[0])):
        found = Comparison(order)
        assert found.axes() == ["targets", "decisions", "seconds"] and found.baselines == ["random", "greedy"]


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


def test_runs_without_common_figures_are_not_compared(runs):
    def like(**other):
        run = copy.copy(runs[1])
        vars(run).update(other)
        return run

    variety = {key: value for key, value in runs[1].evaluations[-1].items() if key not in runs[1].baselines}
    variety |= {"variety": runs[1].evaluations[-1]["greedy"]}
    for other, said in (
        (like(variant=runs[0].game.variant.make(players=3)), "its game or variant is not that of"),
        (like(evaluations=[variety]), "no player was compared with all of these runs"),
    ):
        with pytest.raises(ValueError, match=said):
            Comparison((runs[0], other))


def test_long_curve_is_drawn_through_some_points_end_to_end(runs, monkeypatch):
    long = copy.copy(runs[0])
    rows = [{**runs[0].evaluations[0], "decisions": 10 * at} for at in range(9)]
    vars(long).update(evaluations=rows)
    monkeypatch.setattr("gupai_training.comparison.MOST_POINTS", 3)
    found = Comparison((long,))
    points, values = found.curve(next(iter(found.recipes)), "greedy", "decisions")
    assert points.tolist() == [0, 40, 80] and values.shape == (3, 1)


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


def copy_of(run, folder, *, rows=None, seed=None, killed=False):
    """A copy of a run, with some of its evaluations, with another seed, or as a killed process leaves it."""
    shutil.copytree(run.folder, folder)
    if killed:
        (folder / REPORT_FILE).unlink()
    if rows is not None:
        (folder / METRICS_FILE).write_text("".join(json.dumps(row) + "\n" for row in rows))
    if seed is not None:
        text = (folder / CONFIG_FILE).read_text()
        (folder / CONFIG_FILE).write_text(text.replace(f"seed: {run.config.seed}", f"seed: {seed}"))
    return load_run(folder)


def test_unfinished_run_is_named_and_left_out_or_cut(runs, tmp_path):
    killed = copy_of(runs[0], tmp_path / "killed", rows=runs[0].evaluations[:1], seed=9, killed=True)
    early = copy_of(runs[0], tmp_path / "early", rows=[], seed=8, killed=True)
    stopped = "2,048 of 4,096 decisions"
    assert runs[0].finished and not killed.finished and killed.progress == stopped and not early.finished
    found = Comparison([killed, early, *runs[:2]])
    assert found.recipes == {"jie-long": runs[:2]}
    assert list(map(str, found.notes)) == [
        f"{killed.folder} is left out: unfinished, {stopped}",
        f"{early.folder} is left out: nothing was evaluated there yet",
    ]
    found = Comparison([killed, early, *runs], unfinished=True)
    assert found.recipes == {
        "ppo.entropy=0.01": runs[:2],
        "ppo.entropy=0.05": runs[2:],
        f"ppo.entropy=0.01, {stopped}": [killed],
    }
    assert len(found.notes) == 1
    points, values = found.curve(f"ppo.entropy=0.01, {stopped}", "greedy", "decisions")
    assert points.tolist() == [2048] and values.tolist() == [[runs[0].evaluations[0]["greedy"]["mean"]]]
    assert found.curve("ppo.entropy=0.01", "greedy", "decisions")[0][-1] == 4096
    with pytest.raises(
        ValueError, match=rf"^none of these runs is finished: .*killed \({stopped}\); compare unfinished"
    ):
        Comparison([killed, early])
    with pytest.raises(ValueError, match=r"^nothing was evaluated yet in these runs$"):
        Comparison([early], unfinished=True)


@pytest.mark.parametrize("same_weights", [True, False])
@pytest.mark.parametrize("same_figures", [True, False])
def test_equal_digests_of_a_seed_count_once(same_figures, same_weights, runs, tmp_path):
    rows = [{**row, "seconds": row["seconds"] + 5} for row in runs[0].evaluations]
    if not same_figures:
        rows[-1]["greedy"] = {**rows[-1]["greedy"], "mean": rows[-1]["greedy"]["mean"] - 0.125}
    copied = copy_of(runs[0], tmp_path / "copied", rows=rows)
    header, tensors = read_checkpoint(copied.folder / AGENT_FILE)
    tensors = tensors if same_weights else {name: tensor + 1 for name, tensor in tensors.items()}
    write_checkpoint(copied.folder / AGENT_FILE, {**header, "time": "later"}, tensors)
    found = Comparison([*runs[:2], copied])
    same = same_figures and same_weights
    assert len(found.recipes["jie-long"]) == (2 if same else 3)
    said = "is the same run as" if same else "has the seed of"
    assert [str(note) for note in found.notes if str(note).startswith(f"{copied.folder} {said} {runs[0].folder}")]
    other = copy_of(runs[0], tmp_path / "other", seed=9)
    found = Comparison([runs[0], other])
    assert found.recipes == {"jie-long": [runs[0], other]} and not found.notes


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
