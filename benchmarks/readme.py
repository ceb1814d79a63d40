"""Every figure of the README beside what its command gives here.

    python -m benchmarks.readme                # those that take a minute or less
    python -m benchmarks.readme speed peers    # others by name, or all of them with --all

A figure is found by one pattern in the README and by another in what the command prints. Those that are counts of
chips depend on the seed alone; speeds and times depend on the machine, which is named first.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gupai_app.training.speed import machine

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
CHIPS = r"([+-]\d+\.\d+ ±\d+\.\d+)"
SEATS = r"([+-]\d+\.\d ±\d+\.\d)"


def matches(pattern: str) -> Callable[[str], str]:
    """Return what joins the groups of all matches of a pattern."""
    return lambda text: "; ".join(" ".join(match.groups()) for match in re.finditer(pattern, text, re.M))


def number_of_games(rules: str) -> str:
    """Return in words how many games `gupai rules` lists."""
    return NUMBERS[len(re.findall(r"^ +[a-z-]+ {2,}\S", rules, re.M))]


def range_of_speeds(measurements: str) -> str:
    """Return what the slowest and the fastest game make in lanes, from the JSON of `gupai bench --all`."""
    rows = [row for row in json.loads(measurements)["figures"] if row["what"] == "4096 lanes, observation and mask"]
    speeds = [row["value"] / 1e6 for row in rows]
    return f"{min(speeds):.1f} to {max(speeds):.1f} million"


@dataclass(frozen=True)
class Figure:
    """A figure of the README.

    Attributes:
        stated: The pattern of the README, whose groups are the figure.
        command: What measures it.
        measured: Returns the figure from what the command prints.
        quick: Whether it takes a minute or less.
    """

    stated: str
    command: str
    measured: Callable[[str], str]
    quick: bool = False


FORCED = "-o forced_play=true"
ROW = rf"(variety|greedy|random) +{CHIPS} +(\S+) +(\S+%) +(\d\.\d+) +([+-]\d+ ±\d+)"
TRAINED = rf"(trained) +(greedy) +{CHIPS} +{SEATS} +{SEATS} +{SEATS} +{SEATS}"
GAIN = r"(?:it (?:gains|loses) )?(\d+\.\d+)"  # its interval has the sign
DOSE = rf"{GAIN} (?:chips )?\((\S+ to \S+)\)"
DOSES = rf"than held: ([A-Z; ]+)\n.*with five or more {DOSE}; with four {DOSE}; with three {GAIN}"
FIGURES = {
    "games": Figure(r"environments for (\w+) games", "gupai rules", number_of_games, True),
    "lines": Figure(
        r"one file of (\d+) lines", "wc -l examples/ppo_single_file.py", matches(r"(\d+) examples"), True
    ),
    "tournament": Figure(ROW, "gupai tournament jie-long random greedy variety --deals 2000", matches(ROW), True),
    "best": Figure(
        rf"wins\s+{CHIPS} chips per deal from `greedy`",
        f"gupai tournament jie-long best greedy {FORCED}",
        matches(rf"^ *best +{CHIPS} +<"),
        True,
    ),
    "claim": Figure(
        DOSES,
        "gupai claim run jl-attack-2 --deals 2000 --no-masters",
        matches(DOSES),
        True,
    ),
    "search": Figure(
        r"level with a search of (\d+) playouts",
        f"gupai tournament jie-long best search:playouts=200 {FORCED} --deals 400",
        matches(rf"^ *(best|search:playouts=200) +{CHIPS} +(\S+)"),
    ),
    "speed": Figure(r"compiled: (\d+ to \d+ million) decisions", "gupai bench --all --json", range_of_speeds),
    "peers": Figure(
        r"(\d+) times as fast as Pgx's mahjong",
        "python -m benchmarks.peers",
        matches(r"\| Pgx \| sparrow_mahjong \|.*\| (\d+)x \|"),
    ),
    "trained": Figure(TRAINED, "gupai train jie-long", matches(TRAINED)),
    "self-play": Figure(
        rf"reaches {CHIPS}\s+against `greedy`",
        "gupai train self_play/jie-long",
        matches(rf"trained +greedy +{CHIPS}"),
    ),
}  # fmt: skip


def run(command: str) -> str:
    """Return what a command prints; raises CalledProcessError if it fails."""
    words = shlex.split(command)
    programs = {"gupai": [sys.executable, "-m", "gupai_app"], "python": [sys.executable]}
    words = [*programs.get(words[0], words[:1]), *words[1:]]
    return subprocess.run(words, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures: {', '.join(FIGURES)}")
    parser.add_argument("--all", action="store_true", help="all of them, which takes an hour or more")
    arguments = parser.parse_args(words)
    if unknown := [name for name in arguments.names if name not in FIGURES]:
        parser.error(f"there is no figure {unknown[0]!r}; there are {', '.join(FIGURES)}")
    names = arguments.names or [name for name, figure in FIGURES.items() if figure.quick or arguments.all]
    readme = README.read_text(encoding="utf-8")
    print(", ".join(f"{name} {value}" for name, value in machine().items()), flush=True)
    for name in names:
        figure, begin = FIGURES[name], time.perf_counter()
        measured = figure.measured(run(figure.command))
        seconds = time.perf_counter() - begin
        print(f"\n{name}: {figure.command} ({seconds:.0f} s)")
        print(f"  README {matches(figure.stated)(readme)}\n  here   {measured}", flush=True)


if __name__ == "__main__":
    main()
