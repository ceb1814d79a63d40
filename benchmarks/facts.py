"""The facts of all games and numbers of players, recorded in `results/facts` and, by question, `results/atlas`.

    python -m benchmarks.facts
    python -m benchmarks.facts jie-long --deals 10_000

Each is what `gupai facts GAME -o players=N --json` prints, or the same with `--about QUESTION`; one that is there
already is left alone, so that a run that was stopped can be continued. All together take about an hour and a half of
one core.
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
ATLAS = FOLDER.with_name("atlas")
# Deals of each question; of `mixing` all, exactly.
QUESTIONS = {"tiles": 20_000, "seats": 2_000, "sure": 1_000, "mixing": 2, "openings": 200, "secrets": 1_000}
# Other numbers, where more are needed or fewer are enough.
SECRETS = {"jie-long": 4_000, "ding-niu": 4_000, "da-ling": 4_000, "tien-gow": 4_000, "deer-hunt": 4_000}
SECRETS |= {"tiu-u": 500, "shi-wu-hu": 300}
MORE = {"jie-long": ["forced_play=true"]}  # variants with figures of their own


def variants(game: Game) -> list[str]:
    """Return the options of each variant in words: the default ones, other numbers of players, and some more."""
    players = next(field for field in fields(game.variant) if field.name == "players")
    limits = game.variant.LIMITS.get("full", {}).get("players", players.metadata["choices"])
    return ["", *(f"players={number}" for number in limits if number != players.default), *MORE.get(game.id, [])]


def questions(game: Game) -> dict[str, list[str]]:
    """Return what is asked about a game, each with the words of its command."""
    deals = QUESTIONS | {"secrets": SECRETS.get(game.id, QUESTIONS["secrets"])}
    commands = {question: [game.id, "--about", question, "--deals", str(number)] for question, number in deals.items()}
    commands["seats"] += ["random", "greedy", "best"]
    commands["sure"] += ["greedy", "tuned", "best"]
    if game.variant().players == 2:  # of two seats nobody sits behind another
        commands["seats"] += ["-o", "players=3"]
    if game.simultaneous:  # nobody leads
        del commands["openings"]
    return commands


def record(file: Path, words: list[str]) -> None:
    """Write what a command prints to a file that is not there yet."""
    if not file.exists():
        command = [sys.executable, "-m", "gupai_app", "facts", *words, "--json"]
        write_file(file, subprocess.run(command, check=True, capture_output=True).stdout.decode())
        print(file.name, flush=True)


def main() -> None:
    """Measure what is not there yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="*", help="default: all")
    parser.add_argument("--deals", type=int, default=5000)
    chosen = parser.parse_args()
    for folder in (FOLDER, ATLAS):
        folder.mkdir(exist_ok=True)
    for name in chosen.game or GAMES:
        for option in variants(GAMES[name]):
            file = FOLDER / f"{'-'.join([name, *option.replace('=', '-').split()])}.json"
            record(file, [name, *(["-o", option] if option else []), "--deals", str(chosen.deals)])
    for question in QUESTIONS:  # of all games, one after the other
        for name in chosen.game or GAMES:
            if words := questions(GAMES[name]).get(question):
                record(ATLAS / f"{name}-{question}.json", words)


if __name__ == "__main__":
    main()
