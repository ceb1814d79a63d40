"""Finds the puzzles that ship with the package: python tools/puzzles.py [GAME ...]

Players of several strengths play deals, and the decisions that `puzzles_in` finds in them are looked at with five times
as many playouts. Those stay in which the best move is as clear then, and of which something can be said: why it is
better, or which reply punishes the move that looks natural. Of each deal the dearest one is taken, of each game the
hundred dearest ones, as many of each rating as there are.
"""

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from gupai_agents.evaluation.records.games import GameRecord
from gupai_agents.players.search import PLAYOUTS, SearchAgent
from gupai_agents.registry import make_agent
from gupai_agents.shipped import levels
from gupai_app.kept.puzzles import CLEAR, Puzzle, Shipped, puzzles_in, solvers
from gupai_app.play.address import play_on
from gupai_app.play.coach import punishing_reply
from gupai_app.play.moves import move_values
from gupai_app.play.reasons import reason
from gupai_app.play.session import Session
from gupai_env.core.game import Game
from gupai_env.games import GAMES, get_game
from gupai_env.games.guide import guide_of

FOLDER = Path(__file__).parents[1] / "gupai_app" / "kept" / "puzzles"
FIRST = 1_000_000  # the seeds of the deals, which `gupai play` does not draw
MOST = 100  # puzzles of a game
CANDIDATES = 6 * MOST
SURE = 5 * PLAYOUTS


def records(game: Game) -> Iterator[GameRecord]:
    """Yield deals between the players by whom puzzles are rated and those of the levels that answer at once."""
    variant = game.variant()
    names = [*solvers(game, variant), *(level.player for level in levels(game) if ":" not in level.player)]
    agents = [make_agent(name, game, **vars(variant)) for name in names]
    seed = FIRST
    while True:
        session = Session(game, variant, seed)
        seats = [(seed * 7 + seat * 3 + seat * seat) % len(agents) for seat in range(variant.players)]
        while not session.terminated:
            session.play(session.answer(agents[seats[session.seat]]))
        yield session.record([names[seat] for seat in seats])
        seed += 1


def shipped(record: GameRecord, puzzle: Puzzle, sure: SearchAgent) -> Shipped | None:
    """Return a puzzle as it ships, None if more playouts do not confirm it or nothing can be said of it."""
    turn, session = puzzle.turn, Session.of(record)
    play_on(session, record.actions[: turn.number - 1])
    legal = [[value.action] for value in turn.ranked]
    ranked = sorted(move_values(sure.compare(session.decision_batch()), 0, legal), key=lambda value: value.rank)
    best = turn.ranked[0].action
    unturned = record.game.move(best, turn.view).unturned
    others = [value for value in ranked if record.game.move(value.action, turn.view).unturned != unturned]
    if ranked[0] in others or not all(value.dropped or value.loss > CLEAR * value.half for value in others):
        return None
    cost = next(value for value in ranked if value.action == puzzle.cost.action)
    why = reason(guide_of(record.game, record.variant), turn.view, best, cost.action)
    if not why and punishing_reply(session, cost.action, turn.seat) is None:
        return None
    words = {
        "seed": str(record.seed),
        "seat": str(turn.seat),
        "with": levels(record.game)[1].name,
        "moves": ".".join(map(str, record.actions[: turn.number - 1])),
    }
    return Shipped({"game": record.game.id, **words}, puzzle.fooled, round(cost.loss, 2))


def library(game: Game, seconds: float) -> list[Shipped]:
    """Return the puzzles of a game, searched for up to so many seconds of computing."""
    began, sure = time.process_time(), make_agent(f"search:playouts={SURE}", game)
    assert isinstance(sure, SearchAgent)
    candidates: list[Shipped] = []
    for record in records(game):
        dearest = sorted(
            (puzzle for puzzle in puzzles_in(record) if puzzle.fooled), key=lambda puzzle: -puzzle.cost.loss
        )
        candidates += [line for puzzle in dearest[:1] if (line := shipped(record, puzzle, sure)) is not None]
        if len(candidates) >= CANDIDATES or time.process_time() - began > seconds:
            return chosen(candidates)
    raise AssertionError("deals have no end")


def chosen(candidates: list[Shipped]) -> list[Shipped]:
    """Return the dearest puzzles, as many of each rating as there are, the easier ones first."""
    by_rating: defaultdict[int, list[Shipped]] = defaultdict(list)
    for puzzle in sorted(candidates, key=lambda puzzle: -puzzle.cost):
        by_rating[len(puzzle.fooled)].append(puzzle)
    taken: list[Shipped] = []
    for rank in range(MOST):
        taken += [listed[rank] for _, listed in sorted(by_rating.items()) if rank < len(listed)]
    return sorted(taken[:MOST], key=lambda puzzle: (len(puzzle.fooled), -puzzle.cost))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help="ids of games (default: all)")
    parser.add_argument("--seconds", type=float, default=420, help="of computing for each game at most (default: 420)")
    options = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    for game in map(get_game, options.games or GAMES):
        began = time.process_time()
        puzzles = library(game, options.seconds)
        text = "".join(json.dumps(puzzle._asdict(), separators=(",", ":")) + "\n" for puzzle in puzzles)
        (FOLDER / f"{game.id}.jsonl").write_text(text, encoding="utf-8")
        ratings = [sum(len(puzzle.fooled) == number for puzzle in puzzles) for number in (1, 2, 3)]
        print(
            f"{game.id}: {len(puzzles)} puzzles, {ratings} by rating, {time.process_time() - began:.0f} s", flush=True
        )


if __name__ == "__main__":
    main()
