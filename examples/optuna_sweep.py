"""A sweep with Optuna over settings of self-play: which ones win most chips from `tuned` after equally many decisions.

    pip install -c constraints.txt torch
    pip install -c constraints.txt ".[train,optuna]"
    python examples/optuna_sweep.py --trials 20

A trial is a run of `gupai_training.train`, in a folder of its own with everything that `gupai train` keeps; its figures
are read from there. One seed says little about a setting, so the best ones are trained again from other seeds, and only
these runs are compared: the value with which a trial won the sweep is flattered by having been chosen.
"""

import argparse
from pathlib import Path

import optuna

from gupai_training import train

AGAINST = "tuned"


def config_of(trial: optuna.trial.BaseTrial, seed: int, decisions: int, deals: int) -> dict:
    """Return the configuration of a trial; what is not named here stays at its default."""
    return {
        "game": "jie-long",
        "variant": {"forced_play": True},
        "name": f"trial-{trial.number}",
        "seed": seed,
        "threads": 1,
        "decisions": decisions,
        "payoff_scale": 35.0,
        "network": {"hidden": [trial.suggest_categorical("width", [64, 128, 256])] * 2},
        "ppo": {
            "learning_rate": trial.suggest_float("learning_rate", 3e-4, 1e-2, log=True),
            "entropy": trial.suggest_float("entropy", 1e-3, 5e-2, log=True),
            "gae_lambda": trial.suggest_float("gae_lambda", 0.8, 1.0),
            "envs": 512,
        },
        "pool": {"self_share": trial.suggest_float("self_share", 0.5, 1.0)},
        "evaluation": {"baselines": [AGAINST], "deals": deals, "final_deals": deals},
    }


def last_figure(config: dict, runs: Path) -> dict:
    """Train, and return the last row of the run's metrics: mean, low, high and n of chips per deal."""
    return train(config, runs=runs).metrics()[-1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--decisions", type=int, default=1_000_000, help="of each run")
    parser.add_argument("--deals", type=int, default=500, help="of each comparison")
    parser.add_argument("--seeds", type=int, default=5, help="other seeds from which the best settings are trained")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="the folder of the runs, and of the study")
    arguments = parser.parse_args()
    sizes = arguments.decisions, arguments.deals

    def objective(trial: optuna.Trial) -> float:
        figure = last_figure(config_of(trial, 1, *sizes), arguments.runs)
        trial.set_user_attr("interval", [figure["low"], figure["high"]])
        return figure["mean"]

    arguments.runs.mkdir(parents=True, exist_ok=True)
    study = optuna.create_study(
        study_name="gupai",
        storage=f"sqlite:///{arguments.runs}/sweep.db",  # a sweep that was stopped continues
        load_if_exists=True,
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=1),
    )
    study.optimize(objective, arguments.trials)
    best = study.best_trial
    print(f"best of {len(study.trials)} trials: {best.params}, {best.value:+z.2f} chips per deal against {AGAINST}")
    for seed in range(2, 2 + arguments.seeds):
        config = config_of(optuna.trial.FixedTrial(best.params), seed, *sizes)
        figure = last_figure(config | {"name": f"best-seed{seed}"}, arguments.runs)
        print(f"seed {seed}: {figure['mean']:+z.2f} [{figure['low']:+z.2f}, {figure['high']:+z.2f}]")
    print(f"gupai compare-runs {arguments.runs}/best-seed* --against {AGAINST}")


if __name__ == "__main__":
    main()
