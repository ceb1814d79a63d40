"""Plays a deal of every game and has a search look at each decision: `results/annotated/GAME.json`, which the pages of
the games show (`python tools/pages.py`).

    python tools/annotated.py [GAME ...]

A minute. The plainest rule-based player sits at every seat, so that there is something to learn, and plays the default
options. Of the first deals the one is taken in which most was lost by a decision, as far as that is clear.
"""

import argparse
import json
from pathlib import Path
from typing import Any

from gupai_agents import make_agent
from gupai_agents.shipped import heuristic_names
from gupai_app.play.moves import ADVISER, in_words
from gupai_app.play.session import Session
from gupai_app.review.analysis import judged
from gupai_env.core.game import Game
from gupai_env.games import GAMES

FOLDER = Path(__file__).parents[1] / "results" / "annotated"
SEEDS = range(1, 9)


def annotated(game: Game) -> dict[str, Any]:
    """Return the deal with the largest clear loss."""
    deals = [annotated_deal(game, seed) for seed in SEEDS]

    def clearly_lost(deal: dict[str, Any]) -> tuple[float, int]:
        notes = deal["notes"].values()
        return max(note["mean"] - note["played"] - note["half"] for note in notes), len(notes)

    return max(deals, key=clearly_lost)


def annotated_deal(game: Game, seed: int) -> dict[str, Any]:
    """Return a deal as `gupai watch --record` writes it, and its decisions with what a search says of them."""
    variant = game.variant()
    name = heuristic_names(game)[0]
    agent = make_agent(name, game)
    session = Session(game, variant, seed)
    while not session.terminated:
        session.play(int(agent.act(session.decision_batch())[0]))
    record = session.record([name] * variant.players)
    notes = {}
    for decision in judged(record).decisions:
        best, played = decision.ranked[0], decision.played
        notes[str(decision.number)] = {
            "best": in_words(game.move(best.action, decision.view)),
            "mean": round(best.mean, 2),
            "played": round(played.mean, 2),
            "half": round(played.half, 2),
        }
    return {"record": record.line, "adviser": ADVISER, "notes": notes}


def main(names: list[str]) -> None:
    """Write the deals of these games."""
    FOLDER.mkdir(exist_ok=True)
    for name in names:
        text = json.dumps(annotated(GAMES[name]), ensure_ascii=False, indent=1)
        (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", metavar="GAME", choices=GAMES, default=[*GAMES], help="default: all")
    main(parser.parse_args().games)
