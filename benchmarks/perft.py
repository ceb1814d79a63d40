"""Ways of play of every game, recorded so that other programs can be compared with them: `results/perft.json`.

    python -m benchmarks.perft

Of every game all deals of the tiny deck, to the end, and three deals of the default rules, as many actions deep as
MOST_WAYS allow. `gupai perft` counts any other. The tests count the beginnings again, and let the naive referees count;
a long run of these (half an hour):

    PERFT_WAYS=1_000_000 python -m pytest tests/referees/test_perft.py
"""

import argparse
from pathlib import Path
from typing import Any

from gupai_agents.evaluation.exact.perft import perft
from gupai_app.facts.terminal import dealt, perft_content
from gupai_env.core.game import Game
from gupai_env.deals import all_deals
from gupai_env.games import GAMES
from gupai_env.storage.files import json_text, write_file

RECORD = Path(__file__).parents[1] / "results" / "perft.json"
SEEDS = (0, 1, 2)
MOST_WAYS = 10_000_000
ABOUT = {
    "ways_of_play": "how many sequences of 1, 2, 3, ... legal actions begin with the deal, or with all deals together",
    "deals": "1, that of `seed`; or all different deals of the tiny deck, each once",
    "turns": "the seats in order of turn; the first of them leads, or is the banker",
    "order": (
        "the tiles as they are dealt: those of seat 0, of seat 1 and so on, then those on the table and the stock from "
        "its top, or what is not used; in Da Ling those on the table come first"
    ),
}


def counts_of(game: Game) -> list[dict[str, Any]]:
    """Return what `gupai perft --json` prints of the tiny deck, and of a deal of each seed."""
    tiny = game.variant.make(**game.variant.tiny_options())
    states = all_deals(game, **tiny.changed()).states
    contents = [perft_content(game, tiny, states, perft(game, tiny, states), None)]
    variant = game.variant()
    for seed in SEEDS:
        states, depth = dealt(game, variant, seed), 1
        while len(counts := perft(game, variant, states, depth)) == depth and counts[-1] * 4 < MOST_WAYS:
            depth += 1
        contents.append(perft_content(game, variant, states, [n for n in counts if n <= MOST_WAYS], seed))
    return contents


def main() -> None:
    """Count, and write the record."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    record = [content for game in GAMES.values() for content in counts_of(game)]
    write_file(RECORD, json_text({"about": ABOUT, "counts": record}, 1) + "\n")
    for content in record:
        print(content["game"], content.get("seed", "every deal"), *content["ways_of_play"])


if __name__ == "__main__":
    main()
