"""What people win beside the levels of the games: their deals, played again by every level at the person's seat.

    python -m benchmarks.people               # the files in results/people, with --write into docs/people.md
    python -m benchmarks.people mine.jsonl    # any file that `gupai games export` wrote

A file is one person, and its name is theirs in the table. A deal that is played again differs by the play of that seat
alone, so the tiles cancel out, and the interval is that of a mean over deals.
"""

import argparse
import contextlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from gupai_agents.evaluation.records.games import GameRecord, read_games
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.shipped import LEVELS, levels
from gupai_app.kept.rematch import duplicate
from gupai_app.play.seats import PERSON
from gupai_app.server.players import NAMED
from gupai_env import GAMES

ROOT = Path(__file__).parent.parent
FOLDER, PAGE = ROOT / "results/people", ROOT / "docs/people.md"
BEGIN, END = "<!-- `python -m benchmarks.people --write` writes from here on -->\n", "<!-- to here -->\n"
FEWEST = 10  # deals; with fewer there is no interval worth a row
PEOPLE = """## The table

Chips per deal by which a person is ahead of each level at the same seat of the same deals, with the same opponents,
with the 95% interval over deals.
"""
LEVELS_MEAN = """## What the levels are

Chips per deal of each level as one among players of the level `medium`, by duplicate deals with the default options,
with the 95% interval; in brackets the [player](players.md) that the level is.
"""


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, help="records of a person each (default: results/people)")
    parser.add_argument("--write", action="store_true", help="write the page")
    chosen = parser.parse_args()
    files = chosen.files or sorted(file for file in FOLDER.iterdir() if ".jsonl" in file.suffixes)
    text = "\n".join([PEOPLE, *table(files), "", LEVELS_MEAN, *level_table(), ""])
    if chosen.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text(f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    else:
        print(text, end="")


def table(files: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of the table, a row for each person and game of FEWEST deals or more."""
    yield f"| person | game | deals | {' | '.join(f'ahead of `{level}`' for level in LEVELS)} |"
    yield f"|---|---|---|{'---|' * len(LEVELS)}"
    rows = [
        [file.name.partition(".")[0], game, str(len(games)), *(mean.text(2) for mean in ahead(games))]
        for file in files
        for game, games in by_game(read_games(file)).items()
        if len(games) >= FEWEST
    ]
    yield from [f"| {' | '.join(row)} |" for row in rows] or ["| none yet | | |" + " |" * len(LEVELS)]


def level_table() -> Iterator[str]:
    """Yield the lines of a table of the levels, a row for each game."""
    yield f"| game | {' | '.join(f'`{level}`' for level in LEVELS)} |"
    yield f"|---|{'---|' * len(LEVELS)}"
    for game in GAMES.values():
        cells = [f"{Estimate(*level[3:]).text()} (`{level.player}`)" for level in levels(game)]
        yield f"| {game.title} | {' | '.join(cells)} |"


def by_game(games: Iterable[GameRecord]) -> dict[str, list[GameRecord]]:
    """Return the games in which one person sat, by the id of what was played; a deal counts once."""
    first: dict[str, dict[tuple[int, int, tuple[int, ...]], GameRecord]] = defaultdict(dict)
    for game in games:
        if game.agents.count(PERSON) == 1:
            first[game.game.id].setdefault((game.seed, game.episode, game.order), game)
    return {name: list(of_deals.values()) for name, of_deals in first.items()}


def ahead(games: Sequence[GameRecord]) -> list[Estimate]:
    """Return by how many chips per deal a person is ahead of each level at the same seat of the same deals."""
    return [estimate(np.array([_difference(game, level) for game in games])) for level in LEVELS]


def _difference(game: GameRecord, level: str) -> float:
    player = NAMED.agent(level, game.game, game.variant)
    # A file may name agents that open files or run code; those with a name of their own do not.
    played = duplicate(game, lambda name: NAMED.agent(name, game.game, game.variant), player)
    return played.difference / game.variant.deals


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
