"""The facts of all games and numbers of players, recorded in `results/facts`, of which the pages are made.

    python -m benchmarks.facts
    python -m benchmarks.facts jie-long --deals 10_000

Each is what `gupai facts GAME -o players=N --json` prints; one that is there already is left alone, so that a run that
was stopped can be continued. All together take about an hour of one core.
"""

import argparse
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

from gupai_env.core.game import Game
from gupai_env.games import GAMES
from gupai_env.storage.files import write_file

FOLDER = Path(__file__).parents[1] / "results" / "facts"
MORE = {"jie-long": ["forced_play=true"]}  # variants with figures of their own


def variants(game: Game) -> list[str]:
    """Return the options of each variant in words: the default ones, other numbers of players, and some more."""
    players = next(field for field in fields(game.variant) if field.name == "players")
    limits = game.variant.LIMITS.get("full", {}).get("players", players.metadata["choices"])
    return ["", *(f"players={number}" for number in limits if number != players.default), *MORE.get(game.id, [])]


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", help="default: all")
    parser.add_argument("--deals", type=int, default=5000)
    chosen = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for name in chosen.game or GAMES:
        for option in variants(GAMES[name]):
            file = FOLDER / f"{'-'.join([name, *option.replace('=', '-').split()])}.json"
            if file.exists():
                continue
            words = ["facts", name, *(["-o", option] if option else []), "--deals", str(chosen.deals), "--json"]
            printed = subprocess.run([sys.executable, "-m", "gupai_app", *words], check=True, capture_output=True)
            write_file(file, printed.stdout.decode())
            print(file.name, flush=True)


if __name__ == "__main__":
    main()
