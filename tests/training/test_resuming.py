"""A run that was killed goes on from its last save: what it had told after that is told once, and nothing is mixed."""

import json

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import small_runs
from gupai_agents.networks.checkpoint import AGENT_FILE, CheckpointError, read_checkpoint, write_checkpoint
from gupai_env.storage.models import differences
from gupai_training.config import METRICS_FILE, RESUME_FILE, parse, saved_config
from gupai_training.run import Reporter, Run

SMALL = {
    **small_runs.SMALL,
    "decisions": 16 * 8 * 6,
    "save_every": 2,
    "ppo": {"envs": 16, "steps": 8, "batch_size": 64},
    "evaluation": {"every": 1, "deals": 2, "final_deals": 2, "baselines": ["random"]},
}
EXPERT_ITERATION = {"targets": 1000, "tables": 8, "playouts": 1, "window": 300, "batch_size": 32}


class Killed(Reporter):
    """Ends the process, as far as a run can tell, when it begins the look after so many."""

    def __init__(self, evaluations: int) -> None:
        self.evaluations = evaluations

    def moved(self, *_) -> None:
        if not self.evaluations:
            raise KeyboardInterrupt

    def evaluated(self, _) -> None:
        self.evaluations -= 1


def scalars(folder):
    """The steps of every scalar that TensorBoard shows."""
    events = EventAccumulator(str(folder)).Reload()
    by_time = {tag: sorted(events.Scalars(tag), key=lambda each: each.wall_time) for tag in events.Tags()["scalars"]}
    return {tag: [event.step for event in found] for tag, found in by_time.items()}


def places(folder):
    rows = map(json.loads, (folder / METRICS_FILE).read_text().splitlines())
    return [(row["targets"], row["decisions"]) for row in rows]


@pytest.mark.parametrize(
    ("stages", "evaluations"),
    [
        ({}, 3),  # an update after the save at the second
        ({"expert_iteration": EXPERT_ITERATION, "decisions": 0}, 3),
        ({"expert_iteration": {**EXPERT_ITERATION, "targets": 200}}, 3),  # in self-play
        ({"save_every": 50}, 2),  # before the first save that is due
    ],
)
def test_rows_after_the_last_save_are_reported_once(stages, evaluations, tmp_path):
    config = parse({**SMALL, **stages}, "test")
    whole = Run.begin(config, tmp_path)
    whole.learn()
    run = Run.begin(config, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        run.learn(reporter=Killed(evaluations))
    printed = places(run.folder)
    assert printed == places(whole.folder)[:evaluations]
    with (run.folder / METRICS_FILE).open("a") as file:
        file.write('{"labels": 0, "deci')  # a kill in the middle of a row
    again = Run(saved_config(run.folder), run.folder)
    again.learn(go_on=True)
    assert places(run.folder) == places(whole.folder)
    assert len(list(run.folder.glob("events*"))) == 2
    for folder in (whole.folder, run.folder):
        for steps in scalars(folder).values():
            assert steps == sorted(set(steps))
    assert scalars(run.folder) == scalars(whole.folder)
    (_, learned), (_, expected) = (read_checkpoint(folder / AGENT_FILE) for folder in (run.folder, whole.folder))
    assert all((learned[name] == tensor).all() for name, tensor in expected.items())


def test_resume_from_the_end_repeats_no_report(tmp_path):
    run = Run.begin(parse(SMALL, "test"), tmp_path)
    run.learn()
    printed, steps = places(run.folder), scalars(run.folder)
    Run(saved_config(run.folder), run.folder).learn(go_on=True)
    assert places(run.folder)[: len(printed)] == printed
    assert set(places(run.folder)) == set(printed)
    assert {tag: sorted(set(found)) for tag, found in scalars(run.folder).items()} == steps


@pytest.mark.parametrize(
    ("there", "here", "said"),
    [
        ({"a": 1}, {"a": 1.0}, []),
        ({"a": "x" * 99 + "1"}, {"a": "x" * 99 + "2"}, ["a differs, though it begins alike"]),
        ({"a": 1}, {"a": 2}, ["a is 1 there, here 2"]),
        ({"a": {"b": 1, "c": 3}}, {"a": {"b": 2, "c": 3}}, ["a.b is 1 there, here 2"]),
        ({"a": 1, "old": 5}, {"a": 1}, ["old is 5 there, not known here"]),
        ({"a": 1}, {"a": 1, "new": "x"}, ["new is missing there, here 'x'"]),
        ({"a": None}, {"a": {"b": 1}}, ["a is None there, here {'b': 1}"]),
        ({"a": [*range(200), 1]}, {"a": [*range(200), 2]}, ["a[200] is 1 there, here 2"]),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}, ["a is 1 there, here 2", "b is 2 there, here 1"]),
    ],
)
def test_differences_are_shown_by_values_never_as_equal_texts(there, here, said):
    assert [*map(str, differences(there, here, typed=False))] == said


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    run = Run.begin(parse(SMALL, "test"), tmp_path_factory.mktemp("runs"))
    assert not run.learn(stop=lambda: True)
    return run.folder


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda header: header["config"].update(seed=7), "config.seed is 7 there, here 1"),
        (lambda header: header["config"]["ppo"].update(envs=32), "config.ppo.envs is 32 there, here 16"),
        (lambda header: header["config"].update(moon=1), "config.moon is 1 there, not known here"),
        (lambda header: header["config"].pop("seed"), "config.seed is missing there, here 1"),
        (lambda header: header.update(version=99), "version is 99 there"),
        (lambda header: header["observation"].update(digest="0" * 64), "observation.digest is '0000"),
        (lambda header: header["actions"].update(size=1), "actions.size is 1 there"),
        (lambda header: header.pop("rules"), "rules is None there"),
    ],
)
def test_run_of_another_configuration_or_version_is_refused(change, said, saved, tmp_path):
    header, tensors = read_checkpoint(saved / RESUME_FILE)
    change(header)
    write_checkpoint(tmp_path / RESUME_FILE, header, tensors)
    with pytest.raises(CheckpointError) as caught:
        Run(parse(SMALL, "test"), tmp_path).learn(go_on=True)
    printed = str(caught.value)
    assert printed.startswith(f"{tmp_path / RESUME_FILE}: saved under another configuration or version; ")
    assert said in printed
    assert "\n" not in printed
