"""`python -m benchmarks.peers`: our engine and other libraries, measured in turns on one core in one run."""

import argparse
import json
import os
import sys
from pathlib import Path

from benchmarks.peers.protocol import ENVS
from benchmarks.peers.table import OURS, lines, markdown
from benchmarks.peers.venvs import LIBRARIES, LibraryError, Program, interpreter
from gupai_agents.play.workers import machine
from gupai_app.shell.screen import progress


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers",
        description=f"Random play in our engine and in other libraries ({ENVS:,} lanes, one game, agent_iter): "
        "each library in its own virtual environment, all on one core, in turns.",
    )
    parser.add_argument("--only", nargs="+", choices=LIBRARIES, default=list(LIBRARIES), help="measure these alone")
    parser.add_argument("--rounds", type=int, default=5, help="measurements of each row; the median counts")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time of a measurement, at least")
    parser.add_argument("--core", type=int, help="the core to run on (default: the last one)")
    parser.add_argument("--cache", type=Path, default=Path("~/.cache/gupai-peers"), help="where the environments are")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    chosen = parser.parse_args()
    if chosen.rounds < 1 or chosen.seconds <= 0:
        parser.error("there must be at least one round, of more than zero seconds")
    if chosen.core is not None and chosen.core not in _cores():
        parser.error(f"there is no core {chosen.core}; choose one of {sorted(_cores())}")
    return chosen


def _cores() -> set[int]:
    return os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set()


def pin(core: int | None) -> str:
    """Run on one core, and with us all programs started from here; return how the table says it."""
    if not _cores():
        return f"{os.cpu_count()}, pinned to none"
    core = max(_cores()) if core is None else core
    os.sched_setaffinity(0, {core})
    return f"1 of {os.cpu_count()} (number {core})"


def prepare(only: list[str], cache: Path) -> tuple[dict[str, Path], dict[str, str]]:
    """Return the program and the Python of each library, and why others have none."""
    pythons, failures = {}, {}
    for library in only:
        print(f"preparing {LIBRARIES[library]}", file=sys.stderr)
        try:
            pythons[library] = interpreter(library, cache)
        except LibraryError as error:
            failures[LIBRARIES[library]] = str(error)
    return pythons, failures


def start(pythons: dict[str, Path], failures: dict[str, str]) -> dict[str, Program]:
    """Return our program and those of the libraries that start; add to `failures` why others do not."""
    programs = {OURS: Program("gupai", sys.executable)}
    for library, python in pythons.items():
        try:
            programs[LIBRARIES[library]] = Program(library, python)
        except LibraryError as error:
            failures[LIBRARIES[library]] = str(error)
    return programs


def measure(programs: dict[str, Program], failures: dict[str, str], rounds: int, seconds: float) -> list[dict]:
    """Measure every row once a round, a row of each library in turn; one that fails is left out from there on."""
    turns = max(len(program.rows) for program in programs.values())
    measurements = []
    with progress("measurements", rounds * sum(len(program.rows) for program in programs.values())) as done:
        for _ in range(rounds):
            for row in range(turns):
                for name in [name for name, program in programs.items() if row < len(program.rows)]:
                    try:
                        measurements.append(programs[name].measure(row, seconds))
                    except LibraryError as error:
                        game, mode = programs.pop(name).rows[row]
                        failures[name] = f"{game}, {mode}: {error}"
                    done(1)
    return measurements


def main() -> None:
    """Prepare, measure, print the table."""
    chosen = options()
    pythons, failures = prepare(chosen.only, chosen.cache.expanduser())
    where = machine() | {"cores": pin(chosen.core)}
    programs = start(pythons, failures)
    try:
        peer_lines = lines(measure(programs, failures, chosen.rounds, chosen.seconds))
    finally:
        for program in programs.values():
            program.close()
    print(f"{', '.join(f'{key} {value}' for key, value in where.items())};")
    print(f"medians of {chosen.rounds} rounds of {chosen.seconds:g} s of processor time per row.\n")
    print(markdown(peer_lines, failures))
    if chosen.json:
        rows = [line._asdict() | {"rate": line.rate} for line in peer_lines]
        chosen.json.write_text(json.dumps({"machine": where, "rows": rows, "failures": failures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
