"""Draws `docs/charts/*.svg` from recorded figures, for light and dark pages:

    python tools/charts.py

The effect of attacking with 2s, by how many were dealt (the verdict on `jl-attack-2`), the strength of all players, by
game (`results/ladder/*.json`), and the scores of learners from five seeds, by the share of their budget that they had
(`results/benchmark/curves.json`). How strength grows with training (`results/learning/*.json`) is drawn for the site.
"""

import argparse
import json

import numpy as np
from writing import DOCS, LADDERS, LEARNING, RESULTS, ranked

from gupai_agents.evaluation.claims.files import RECORDED
from gupai_agents.evaluation.claims.results import MOST_BYTES, Verdict
from gupai_agents.evaluation.pages.chart import Mean, columns, rows
from gupai_agents.evaluation.pages.html import standalone
from gupai_agents.evaluation.statistics import estimate
from gupai_app.claims.page import dose_chart
from gupai_env.storage.models import read_stored
from gupai_training.curves import strength

FOLDER = DOCS / "charts"


def charts() -> dict[str, str]:
    """Return the charts that are kept by the name of their file."""
    levels = read_stored(RECORDED / "jl-attack-2.json", Verdict, MOST_BYTES).findings[0].doses
    charts_by_name = {"attack-2-doses": dose_chart(levels)}
    forest = [
        (f"{level.dose.text}: {effect.label}", effect.estimate)
        for level in levels
        for effect in level.effects
        if level.dose and effect.estimate.has_interval
    ]
    means = [
        Mean(f"{name}: {mean.mean:+z.2f} ±{mean.half_width:.2f}", mean.mean, mean.half_width, place)
        for place, (name, mean) in enumerate(forest)
    ]
    charts_by_name["attack-2-forest"] = rows([name for name, _ in forest], means)
    for path in sorted(LADDERS.glob("*.json")):
        ladder = ranked(json.loads(path.read_text(encoding="utf-8")))
        means = [
            Mean(f"{rung['player']}: {total.mean:+z.2f}", total.mean, total.half_width, place)
            for place, (rung, total) in enumerate(ladder)
        ]
        charts_by_name[f"ladder-{path.stem}"] = rows([rung["player"] for rung, _ in ladder], means)
    for task, learners in json.loads((RESULTS / "benchmark" / "curves.json").read_text(encoding="utf-8")).items():
        charts_by_name[f"learners-{task}"] = budget_chart(learners)
    return {name: _drawn(chart) for name, chart in charts_by_name.items()}


def budget_chart(learners: dict[str, dict[str, list[float]]]) -> str:
    """Return the mean score over seeds of each learner, by the share of its largest budget."""
    scores = {
        (series, int(budget) / max(map(int, by_budget))): estimate(np.array(values), runs=True)
        for series, by_budget in enumerate(learners.values())
        for budget, values in by_budget.items()
    }
    shares, names = sorted({share for _, share in scores}), list(learners)
    means = [
        Mean(f"{names[series]}: {score.text(1)}", score.mean, score.half_width, shares.index(share), series)
        for (series, share), score in scores.items()
    ]
    return columns([f"{share:.0%}" for share in shares], names, means, "score by share of the budget, five seeds")


def learning_chart(game: str) -> str:
    """Return the learning curves of a game."""
    curve = json.loads((LEARNING / f"{game}.json").read_text(encoding="utf-8"))
    return _drawn(strength(curve["evaluations"], over="thousand targets"))


def _drawn(chart: str) -> str:
    return standalone(chart, dark=True) + "\n"


def main() -> None:
    """Write all charts."""
    FOLDER.mkdir(exist_ok=True)
    for name, chart in charts().items():
        (FOLDER / f"{name}.svg").write_text(chart, encoding="utf-8")


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    main()
