"""What the README and the pages for a start print, compared with what their commands print here.

    python -m benchmarks.readme                # without training: five minutes
    python -m benchmarks.readme speed peers    # figures by name, or everything with --all

Run it before a release. Every command of a block is run as it is printed, those of a page in one empty folder, and
where the block shows what it prints, the output must be that: `...` stands for what is left out. A figure of a sentence
is found by one pattern in the README and by another in what its command prints. Those that are counts of chips depend
on the seed alone; speeds, times and what is learned in a given time depend on the machine, which is named first.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gupai_agents.play.workers import machine

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs" / "start").glob("*.md"))]
COLUMNS = "80"  # of the terminal that blocks show
OUTSIDE = ("git ", "pip ", "make ")  # fetch and install: CI does
SLOW = ("gupai train ", "checkpoint:")  # train, or need what is trained
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
    """Return what the slowest and the fastest game make in lanes, from the JSON of `benchmarks.speed`."""
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
        exact: Whether it is the same everywhere; it takes a minute or less.
    """

    stated: str
    command: str
    measured: Callable[[str], str]
    exact: bool = False


FORCED = "-o forced_play=true"
TRAINED = rf"(trained) +(greedy) +{CHIPS} +{SEATS} +{SEATS} +{SEATS} +{SEATS}"
FIGURES = {
    "games": Figure(r"environments for (\w+) games", "gupai rules", number_of_games, True),
    "lines": Figure(
        r"one file of (\d+) lines", "wc -l examples/ppo_single_file.py", matches(r"(\d+) examples"), True
    ),
    "best": Figure(
        rf"wins\s+{CHIPS} chips per deal from `greedy`",
        f"gupai tournament jie-long best greedy {FORCED}",
        matches(rf"^ *best +{CHIPS} +<"),
        True,
    ),
    "search": Figure(
        r"level with a search of (\d+) playouts",
        f"gupai tournament jie-long best search:playouts=200 {FORCED} --deals 400",
        matches(rf"^ *(best|search:playouts=200) +{CHIPS} +(\S+)"),
    ),
    "speed": Figure(
        r"compiled: (\d+ to \d+ million) decisions",
        "python -m benchmarks.speed --all --json",
        range_of_speeds,
    ),
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


@dataclass(frozen=True)
class Block:
    """A command of a page and what the page says that it prints, "" if it does not say."""

    page: Path
    command: str
    printed: str = ""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}: {self.command}"

    def agrees(self, output: str) -> bool:
        """Return whether an output is what is printed; `...` stands for any lines, or for a part of one."""
        lines = self.printed.splitlines()
        patterns = (
            re.escape(line).replace(r"\.\.\.", ".*") + " *\n" if line != "..." else "(?:.*\n)*?" for line in lines
        )
        return not lines or re.fullmatch("".join(patterns), output) is not None


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the commands of a page's shell blocks, in order."""
    for kind, text in re.findall(r"^```(sh|console)\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M):
        if kind == "console":
            for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", text, re.M):
                yield Block(page, command, printed)
        else:
            lines = text.replace("\\\n", " ").splitlines()
            yield from (Block(page, shlex.join(words)) for line in lines if (words := shlex.split(line, comments=True)))


def run(command: str, folder: Path = ROOT) -> str:
    """Return what a command prints; raises CalledProcessError if it fails."""
    words = shlex.split(command)
    programs = {"gupai": [sys.executable, "-m", "gupai_app"], "python": [sys.executable]}
    words = [*programs.get(words[0], words[:1]), *words[1:]]
    paths = os.pathsep.join(map(str, (ROOT, ROOT / "agents", ROOT / "training")))
    environment = {**os.environ, "COLUMNS": COLUMNS, "PYTHONPATH": paths}
    how = {"cwd": folder, "env": environment, "stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    return subprocess.run(words, check=True, text=True, **how).stdout


def run_blocks(everything: bool) -> int:
    """Run the commands of all pages and return how many print something else than their page."""
    wrong, left_out = 0, () if everything else SLOW
    for page in PAGES:
        with tempfile.TemporaryDirectory() as folder:
            for block in blocks_of(page):
                if block.command.startswith(OUTSIDE) or any(part in block.command for part in left_out):
                    continue
                begin, output = time.perf_counter(), run(block.command, Path(folder))
                seconds, agrees = time.perf_counter() - begin, block.agrees(output)
                wrong += not agrees
                verdict = "ran" if not block.printed else "same" if agrees else f"OTHER\n{output}\n"
                print(f"{verdict:5} {block} ({seconds:.0f} s)", flush=True)
    return wrong


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"figures: {', '.join(FIGURES)}")
    parser.add_argument("--all", action="store_true", help="all of them, which takes an hour or more")
    arguments = parser.parse_args(words)
    if unknown := [name for name in arguments.names if name not in FIGURES]:
        parser.error(f"there is no figure {unknown[0]!r}; there are {', '.join(FIGURES)}")
    names = arguments.names or [name for name, figure in FIGURES.items() if figure.exact or arguments.all]
    readme = README.read_text(encoding="utf-8")
    print(", ".join(f"{name} {value}" for name, value in machine().items()), flush=True)
    wrong = 0 if arguments.names else run_blocks(arguments.all)
    for name in names:
        figure, begin = FIGURES[name], time.perf_counter()
        stated, measured = matches(figure.stated)(readme), figure.measured(run(figure.command))
        wrong += figure.exact and stated != measured
        print(f"\n{name}: {figure.command} ({time.perf_counter() - begin:.0f} s)")
        print(f"  README {stated}\n  here   {measured}", flush=True)
    return wrong


if __name__ == "__main__":
    sys.exit(f"{wrong} differ" if (wrong := main()) else None)
