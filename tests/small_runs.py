"""Small runs that tests train, copy and compare."""

import json
import shutil

from gupai_training import load_run, train
from gupai_training.config import CONFIG_FILE, METRICS_FILE, REPORT_FILE, parse

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


def trained_runs(runs, recipes):
    """Two seeds of one recipe and one of another, trained from Python: settings, a configuration and a file."""
    file = recipes / "other.yaml"
    file.write_text(json.dumps({**SMALL, "ppo": {**SMALL["ppo"], "entropy": 0.05}}))
    return [train(settings, runs=runs) for settings in (SMALL, parse({**SMALL, "seed": 2}, "test"), file)]


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


def config(**expert_iteration):
    """The configuration of a run that learns from search alone."""
    expert_iteration = {"targets": 1000, "tables": 64, "playouts": 3, **expert_iteration}
    plain = {"game": "jie-long", "variant": {"forced_play": True}, "threads": 1, "decisions": 0, "device": "cpu"}
    evaluations = {"baselines": ["greedy"], "deals": 20}  # short ones: nothing here looks at them
    return parse({**plain, "expert_iteration": expert_iteration, "evaluation": evaluations}, "test")
