"""Every learner on every task of a suite, tuned: the cards of all cells, and their table.

    python -m benchmarks.learners --out results/benchmark/learners --page docs/benchmark.md
    python -m benchmarks.learners --tasks pai-gow jie-long-2 --methods self-play nfsp --out results/benchmark/learners

A cell is a learner on a task. It first has as many trials as any other, with settings that are drawn from the same
ranges on every task, seeds that are reported nowhere, and deals that are not the suite's. With the settings of the
trial that won most it learns again from every seed of SEEDS, and each player has a card like those of
`benchmarks.entries`, next to its network: `gupai verify OUT/CARD` plays it again. Trials, with their settings and what
they won, are in OUT/trials.json. What is there is not made again, so a stopped command goes on.

BUDGETS are for about ten seconds of one core in Jie Long. --page writes the table between two marks of a page, with
all cells of OUT; with --minutes 0 nothing else is done.
"""

import argparse
import contextlib
import json
import re
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.entries import METHODS, entry
from gupai_agents.evaluation.benchmark.cards import play_duels, read_cards
from gupai_agents.evaluation.benchmark.models import Card, Suite, Task, as_text, read_suite
from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.statistics import estimate
from gupai_env.storage.files import write_file

SEEDS = (1, 2, 3)
DEALS = 250  # of a card, of every duel
TRIALS, TRIAL_SEED, TRIAL_DEALS = 3, 101, 250  # the seed of the first trial, and of its deals
TRIALS_FILE = "trials.json"
BUDGETS = {  # decisions, targets or deals
    "search-targets": 60_000,
    "self-play": 200_000,
    "magnetic-ppo": 200_000,
    "maskable-ppo": 8_192,
    "nfsp": 6_000,
    "cloning": 500,
}
SEARCHING = {"network.hidden": [128, 128], "expert_iteration.tables": 256, "expert_iteration.batch_size": 256}
PLAYING = {"network.hidden": [128, 128], "ppo.envs": 256, "ppo.average_rate": 0.2, "ppo.batch_size": 1024}
SMALL: dict[str, dict[str, Any]] = {  # settings for so small a budget
    "search-targets": {**SEARCHING, "expert_iteration.ahead": 0},
    "self-play": PLAYING,
    "magnetic-ppo": PLAYING,
    "maskable-ppo": {"n_steps": 64, "batch_size": 256},
    "nfsp": {},
    "cloning": {"width": 128},
}
RANGES: dict[str, dict[str, tuple[float, float]]] = {  # of what trials draw, evenly in its logarithm
    "search-targets": {"expert_iteration.learning_rate": (5e-4, 8e-3), "expert_iteration.random_moves": (0.03, 0.3)},
    "self-play": {"ppo.learning_rate": (5e-4, 8e-3), "ppo.entropy": (0.003, 0.1)},
    "magnetic-ppo": {"ppo.learning_rate": (5e-4, 8e-3), "learner_settings.magnet": (0.01, 0.3)},
    "maskable-ppo": {"learning_rate": (1e-4, 3e-3), "ent_coef": (0.001, 0.1)},
    "nfsp": {"rl_learning_rate": (3e-4, 1e-2), "sl_learning_rate": (3e-4, 1e-2)},
    "cloning": {"rate": (3e-4, 1e-2)},
}
BEGIN, END = "<!-- learners -->\n", "<!-- end of learners -->"


def main() -> None:
    """Make the cells that are missing, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="v1")
    parser.add_argument("--tasks", nargs="+", help="default: all of the suite")
    parser.add_argument("--methods", nargs="+", choices=BUDGETS, default=list(BUDGETS))
    parser.add_argument("--out", type=Path, required=True, help="the folder of cards, networks and trials")
    parser.add_argument("--minutes", type=float, default=1e9, help="after which no player begins to learn")
    parser.add_argument("--page", type=Path, help="Markdown that shows the table")
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    suite, end = read_suite(chosen.suite), time.monotonic() + 60 * chosen.minutes
    page = chosen.page and chosen.page.resolve()
    chosen.out.mkdir(exist_ok=True, parents=True)
    with contextlib.chdir(chosen.out):  # so that a card names the network next to it
        for name in chosen.tasks or [task.name for task in suite.tasks]:
            for method in chosen.methods:
                fill(method, suite, suite.task(name), end)
        rows = table(suite.name, Path())
    print(rows)
    if page:
        text = re.sub(f"(?<={BEGIN}).*?(?={END})", lambda _: rows, page.read_text(encoding="utf-8"), flags=re.DOTALL)
        write_file(page, text, force=True)


def fill(method: str, suite: Suite, task: Task, end: float) -> None:
    """Write what is missing of a cell into the current folder, until some time of `time.monotonic`."""
    cell = f"{method}-{task.name}"
    while len(trials := trials_of(cell)) < TRIALS and time.monotonic() < end:
        keep(cell, [*trials, trial(method, task, TRIAL_SEED + len(trials))])
        print(f"{cell}: trial {trials_of(cell)[-1]}", flush=True)
    for seed in SEEDS:
        path = Path(f"{cell}-{seed}.json")
        if len(trials) < TRIALS or path.exists() or time.monotonic() > end:
            continue
        settings = SMALL[method] | max(trials, key=lambda trial: trial["chips"])["settings"]
        card = entry(method, task, BUDGETS[method], seed, path.stem, settings, suite=suite, deals=DEALS)
        write_file(path, as_text(card).encode())
        print(f"{path.stem}: {card.score}", flush=True)


def trial(method: str, task: Task, seed: int) -> dict[str, Any]:
    """Return the settings that a seed draws, and the chips per deal that their player wins from the population."""
    rng = np.random.default_rng(seed)
    drawn = {key: float(f"{low * (high / low) ** rng.random():.2g}") for key, (low, high) in RANGES[method].items()}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        player = METHODS[method][1](task, BUDGETS[method], seed, "trial", SMALL[method] | drawn)
        won = play_duels({task.name: (task, player, TRIAL_DEALS)}, TRIAL_SEED, None, None)[task.name]
    return {"seed": seed, "settings": drawn, "chips": round(float(np.mean(list(won.values()))), 4)}


def trials_of(cell: str) -> list[dict[str, Any]]:
    """Return the trials of a cell in the current folder."""
    path = Path(TRIALS_FILE)
    return json.loads(path.read_text(encoding="utf-8")).get(cell, []) if path.exists() else []


def keep(cell: str, trials: list[dict[str, Any]]) -> None:
    """Write the trials of a cell next to those of other cells."""
    path = Path(TRIALS_FILE)
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    rows = (f" {json.dumps(name)}: {json.dumps(tried)}" for name, tried in sorted({**known, cell: trials}.items()))
    write_file(path, "{\n" + ",\n".join(rows) + "\n}\n", force=True)


def table(suite: str, folder: Path) -> str:
    """Return the scores of all cells in a folder: means over seeds with Student's interval."""
    names = [task.name for task in read_suite(suite).tasks]
    cards: dict[str, list[Card]] = {}
    for task in names:
        for method in BUDGETS:
            paths = [path for seed in SEEDS if (path := folder / f"{method}-{task}-{seed}.json").exists()]
            cards[f"{method}-{task}"] = [card for card in read_cards(paths) if card.suite == suite]
    lines = [f"| task | {' | '.join(METHODS[method][0] for method in BUDGETS)} |", f"|{'---|' * (1 + len(BUDGETS))}"]
    lines.append(f"| learns from | {' | '.join(f'{budget:,} {METHODS[m][2]}' for m, budget in BUDGETS.items())} |")
    for task in names:
        cells = [score_text(cards[f"{method}-{task}"]) for method in BUDGETS]
        if any(cells):
            lines.append(f"| `{task}` | {' | '.join(cells)} |")
    whole = sum(len(cell) == len(SEEDS) for cell in cards.values())
    note = f"{whole} of {len(cards)} cells have their {len(SEEDS)} seeds; cards of {DEALS} deals, each from every seat."
    return "\n".join([*lines, "", note, ""])


def score_text(cards: list[Card]) -> str:
    """Return the mean score of cards with its interval over seeds; one alone with its interval over deals."""
    if len(cards) < 2:
        return "".join(str(card.score) for card in cards)
    mean = estimate(np.array([card.score.mean for card in cards]), runs=True)
    few = "" if len(cards) == len(SEEDS) else f" ({len(cards)} seeds)"
    return figure(mean.mean, mean.half_width, signed=False) + few


if __name__ == "__main__":
    main()
