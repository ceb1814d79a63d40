"""Record a suite of the benchmark: who plays in it, by hash, and what both ends of its scale win in its deals.

    python benchmarks/suite.py v1 --out agents/gupai_agents/evaluation/benchmark/suites/v1.json
    python benchmarks/suite.py v1 --check      # is what ships what is recorded now?

A suite that was released never changes, and its tasks, seed and number of deals are those of its file; for a new one,
list its tasks in a copy of the last, and record it. A network that another `best` replaces stays with it, in
agents/gupai_agents/evaluation/benchmark/suites/networks, where benchmarks/strong.py puts it. Recording takes some
minutes of two cores.
"""

import argparse
from pathlib import Path

from gupai_agents import agent_names
from gupai_agents.evaluation.benchmark.cards import hash_of, replaced_file, with_scales
from gupai_agents.evaluation.benchmark.models import Suite, Task, as_text, read_suite, suite_names
from gupai_agents.play.workers import workers_for
from gupai_env import __version__
from gupai_env.storage.files import write_file
from gupai_env.storage.models import difference

STRONG = ("tuned", "best")  # the population of v2, as far as they play a task; the last is its hundred
ZERO = "greedy"  # of its scale


def main() -> None:
    """Record a suite, or compare one that ships with what would be recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", choices=suite_names())
    parser.add_argument("--out", type=Path, help="a new file")
    parser.add_argument("--check", action="store_true", help="compare with the suite that ships")
    parser.add_argument("--force", action="store_true", help="replace a file that exists")
    parser.add_argument("--jobs", type=int, default=2)
    chosen = parser.parse_args()
    if bool(chosen.out) == chosen.check:
        parser.error("--out FILE or --check")
    known = read_suite(chosen.suite)
    suite = record(known, max(task.deals for task in known.tasks), chosen.jobs, replaced=chosen.check)
    if chosen.out:
        write_file(chosen.out, as_text(suite).encode(), force=chosen.force)
        print(f"{chosen.out}: suite {suite.name}, digest {suite.digest}")
    else:
        print(difference(known.model_dump(), suite.model_dump()) or "it is the same")


def record(known: Suite, deals: int, jobs: int = 1, only: tuple[str, ...] = (), *, replaced: bool = False) -> Suite:
    """Return a suite as this version of gupai plays it.

    Args:
        known: The suite, of which the tasks count, and the seed.
        deals: Of every duel.
        jobs: Processes that share the work.
        only: Names of tasks, default all.
        replaced: Whether its players that were replaced play again, and those that came later stay out.
    """
    tasks = []
    for task in known.tasks:
        if only and task.name not in only:
            continue
        game, variant = task.played
        specs = agent_names(game, variant)
        rivals = specs if known.name == "v1" else [spec for spec in STRONG if spec in specs]
        ends = [] if known.name == "v1" else [ZERO, rivals[-1]]
        if replaced:
            rivals = [spec for spec in rivals if spec in task.players]
        hashes = {spec: hash_of(spec, game, variant) for spec in [*rivals, *ends]}
        if replaced:
            hashes |= {spec: task.players[spec] for spec in hashes if replaced_file(task.players[spec])}
        population, scale = ({spec: hashes[spec] for spec in part} for part in (rivals, ends))
        identity = {"name": task.name, "game": game.id, "version": game.version, "options": task.options}
        tasks.append(Task(**identity, population=population, ends=scale, zero=[0.0, 0.0], hundred=[0.0, 0.0]))
    recorded = with_scales(tasks, known.seed, deals, workers=workers_for(jobs))
    return Suite(name=known.name, made_with=__version__, seed=known.seed, tasks=recorded)


if __name__ == "__main__":
    main()
