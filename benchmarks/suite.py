"""Record a suite of the benchmark: who plays in it, by hash, and what both ends of its scale win in its deals.

    python benchmarks/suite.py v1 --out agents/gupai_agents/evaluation/suites/v1.json
    python benchmarks/suite.py v1 --check      # is what ships what is recorded now?

A suite that was released never changes; a new one holds the tasks of those before it, and more. A network that another
`best` replaces stays with it, in agents/gupai_agents/evaluation/suites/networks, where benchmarks/strong.py puts it.
Recording takes some minutes of two cores.
"""

import argparse
from pathlib import Path
from typing import Any

from gupai_agents import agent_names
from gupai_agents.evaluation.benchmark import hash_of, replaced_file, with_scales
from gupai_agents.evaluation.benchmark_models import Suite, Task, as_text, read_suite
from gupai_agents.evaluation.folder import difference
from gupai_agents.workers import workers_for
from gupai_env import __version__, get_game
from gupai_env.words.files import write_file

DEALS = 1000
SEEDS = {"v1": 42_000_001, "v2": 42_000_002}  # of deals that no training, tuning or evaluation of what ships has met
STRONG = ("tuned", "best")  # the population of v2, as far as they play a task; the last is its hundred
ZERO = "greedy"  # of its scale
TASKS: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "v1": {
        "jie-long": ("jie-long", {}),
        "jie-long-forced": ("jie-long", {"forced_play": True}),
        "jie-long-2": ("jie-long", {"players": 2}),
        **{
            name: (name, {})
            for name in (
                *("ce-deng", "ding-niu", "da-ling", "tiu-u", "small-mahjong"),
                *("tien-gow", "deer-hunt", "shi-wu-hu", "pai-gow"),
            )
        },
    },
    "v2": {
        "jie-long-forced": ("jie-long", {"forced_play": True}),
        "jie-long-3": ("jie-long", {"players": 3, "forced_play": True}),
        "jie-long-match": ("jie-long", {"deals": 4, "forced_play": True}),
        "jie-long-stacked": ("jie-long", {"forced_play": True, "stacked": True}),
        "ce-deng": ("ce-deng", {}),
        "ce-deng-3": ("ce-deng", {"players": 3}),
        "ce-deng-stacked": ("ce-deng", {"stacked": True}),
        "ding-niu": ("ding-niu", {}),
        "da-ling": ("da-ling", {}),
        "tiu-u": ("tiu-u", {}),
        "tiu-u-3": ("tiu-u", {"players": 3}),
        "small-mahjong": ("small-mahjong", {}),
        "tien-gow": ("tien-gow", {}),
        "deer-hunt": ("deer-hunt", {}),
        "shi-wu-hu": ("shi-wu-hu", {}),
        "shi-wu-hu-3": ("shi-wu-hu", {"players": 3}),
    },
}


def main() -> None:
    """Record a suite, or compare one that ships with what would be recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=list(TASKS))
    parser.add_argument("--out", type=Path, help="a new file")
    parser.add_argument("--check", action="store_true", help="compare with the suite that ships")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    if bool(chosen.out) == chosen.check:
        parser.error("--out FILE or --check")
    suite = record(chosen.suite, DEALS, chosen.jobs, known=read_suite(chosen.suite) if chosen.check else None)
    if chosen.out:
        write_file(chosen.out, as_text(suite).encode(), force=chosen.force)
        print(f"{chosen.out}: suite {suite.name}, digest {suite.digest}")
    else:
        print(difference(read_suite(chosen.suite).model_dump(), suite.model_dump(), "") or "it is the same")


def record(name: str, deals: int, jobs: int = 1, only: tuple[str, ...] = (), known: Suite | None = None) -> Suite:
    """Return a suite as this version of gupai plays it.

    Args:
        deals: Of every duel.
        jobs: Processes that share the work.
        only: Names of tasks, default all.
        known: What ships of it, whose players that were replaced play again.
    """
    tasks = {}
    for task, (game_name, options) in TASKS[name].items():
        if only and task not in only:
            continue
        game = get_game(game_name)
        variant = game.variant.make(**options)
        specs = agent_names(game, variant)
        rivals = specs if name == "v1" else [spec for spec in STRONG if spec in specs]
        ends = [] if name == "v1" else [ZERO, rivals[-1]]
        hashes = {spec: hash_of(spec, game, variant) for spec in [*rivals, *ends]}
        if known:
            before = known.task(task).players
            rivals = [spec for spec in rivals if spec in before]  # players that came later stay out
            hashes = {spec: hashes[spec] for spec in [*rivals, *ends]}
            hashes |= {spec: before[spec] for spec in hashes if replaced_file(before[spec])}
        population, scale = ({spec: hashes[spec] for spec in part} for part in (rivals, ends))
        identity = {"name": task, "game": game.id, "version": game.version, "options": options}
        tasks[task] = Task(**identity, population=population, ends=scale, zero=[0.0, 0.0], hundred=[0.0, 0.0])
    recorded = with_scales(list(tasks.values()), SEEDS[name], deals, workers=workers_for(jobs))
    return Suite(name=name, made_with=__version__, seed=SEEDS[name], tasks=recorded)


if __name__ == "__main__":
    main()
