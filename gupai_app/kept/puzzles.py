"""Puzzles: decisions in which a move that looks natural costs much, and what such a move costs.

Those that ship with the package lie in `puzzles/GAME.jsonl`, one a line, as `tools/puzzles.py` found them.
"""

import functools
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from gupai_agents.evaluation.records.games import GameRecord
from gupai_agents.shipped import CARD, TUNED, plainest_heuristic
from gupai_app.play.address import Address, number_in, query_of
from gupai_app.play.coach import COST, mistake
from gupai_app.play.moves import Entry, MoveValue, move_values, value_texts
from gupai_app.play.session import Session
from gupai_app.play.table import WebGame, actions_in, heading, state
from gupai_app.review.analysis import Decision, judged
from gupai_app.server.players import NAMED, Players, adviser
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.messages import say, word
from gupai_env.messages.checks import read_whole, refused

NATURAL = "{move} looks natural and costs {loss} chips: it brings {own}, and {better} {most}"
HOW_FOUND = (
    "Chips that each move brings on average by a search that sees what you see; ± is half of the 95% interval of the "
    "difference from the best move."
)
CLEAR = 2.0  # times the 95% interval of the difference by which the best move leads, for it was picked from many
FEWEST = 3  # moves among which it is


class Puzzle(NamedTuple):
    """A decision that is a puzzle.

    fooled: the players that miss its best move. cost: what the move that looks natural costs, in chips; it is that of
    the strongest of them or, if they all find it, the one that was played.
    """

    turn: Decision
    fooled: tuple[str, ...]
    cost: MoveValue


class Shipped(NamedTuple):
    """A puzzle that ships with the package: the words of its table's address, who misses it, and what that costs."""

    words: dict[str, str]
    fooled: tuple[str, ...]
    cost: float


def solvers(game: Game, variant: Variant) -> list[str]:
    """Return the players by whom puzzles are rated, the weakest first."""
    allowed = NAMED.names(game, variant)
    return [name for name in (plainest_heuristic(game), CARD, TUNED) if name in allowed]


def puzzles_in(record: GameRecord) -> list[Puzzle]:
    """Return the decisions of all seats that are puzzles: of three moves or more one is clearly the best, and it was
    missed in the game, or a player misses it.
    """
    (turns, batch), game, variant = judged(record), record.game, record.variant
    if batch is None:
        return []
    chosen = {name: NAMED.agent(name, game, variant).act(batch) for name in solvers(game, variant)}
    puzzles = []
    for row, turn in enumerate(turns):
        actions = {name: int(choice[row]) for name, choice in chosen.items()}
        if (puzzle := _puzzle(game, turn, actions)) is not None:
            puzzles.append(puzzle)
    return puzzles


def _puzzle(game: Game, turn: Decision, chosen: dict[str, int]) -> Puzzle | None:
    moves = {value.action: game.move(value.action, turn.view).unturned for value in turn.ranked}
    best, *others = turn.ranked
    others = [value for value in others if moves[value.action] != moves[best.action]]
    clear = all(value.dropped or value.loss > CLEAR * value.half for value in others)
    if not clear or len({moves[value.action] for value in others}) < FEWEST - 1:
        return None
    values = {value.action: value for value in others}
    fooled = tuple(name for name, action in chosen.items() if action in values)
    natural = chosen[fooled[-1]] if fooled else turn.played.action
    return Puzzle(turn, fooled, values[natural]) if natural in values else None


@functools.cache
def shipped(game_id: str) -> list[Shipped]:
    """Return the puzzles of a game that ship with the package, easier ones first; none of a game of another package."""
    file = files("gupai_app.kept") / "puzzles" / f"{game_id}.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return [Shipped(line["words"], tuple(line["fooled"]), line["cost"]) for line in map(json.loads, lines)]


def solution(
    session: Session, entries: Sequence[Entry], names: Sequence[str], action: int
) -> tuple[list[str], list[tuple[str, bool]]]:
    """Return what is said of a move of a puzzle, in sentences, and of each move its value in words and whether it is
    best.

    Args:
        session: The game at the decision.
        entries: The moves.
        names: How the seats are called, by seat.
        action: What the person chose.

    Raises:
        ValueError: For an action that is not legal.
    """
    game, variant, batch = session.game, session.variant, session.decision_batch()
    chosen = next((index for index, entry in enumerate(entries) if action in entry.actions), None)
    if chosen is None:
        raise refused("play", str(action), say("choose one of the moves that are listed"))
    values = move_values(adviser(game, variant).compare(batch), 0, [entry.actions for entry in entries])
    notes = [(text, value.loss <= 0) for text, value in zip(value_texts(values), values, strict=True)]
    sentences, wrong, template = ["The marked move is worth more."], action, COST
    if notes[chosen][1]:  # then of what looks natural
        choices = [int(NAMED.agent(name, game, variant).act(batch)[0]) for name in solvers(game, variant)]
        wrong = next((choice for choice in reversed(choices) if choice not in entries[chosen].actions), action)
        sentences, template = ["Right: no other move is worth as much."], NATURAL
    lost = mistake(session.copy(), [wrong], names, template)
    sentences += [say("{sentence}.", sentence=part) for part in (lost or ()) if part]
    return sentences, notes


def puzzle(query: Mapping[str, str], players: Players) -> dict[str, Any]:
    """Return a puzzle as `document` returns a table, with what its moves bring once one is chosen.

    Args:
        query: The words of an address; `puzzle`, the number of one of those that ship, or another word for the table of
            the address; and `play`, what the person chose.
        players: Who may be named.

    Raises:
        ValueError: For a table with no decision, or an action that is not legal.
    """
    words, number, listed = dict(query), read_whole(query["puzzle"]), shipped(query.get("game", ""))
    if number is not None:
        number = number_in(query, "puzzle", 1, len(listed))
        words |= listed[number - 1].words
    seating = WebGame(Address.read(words, players))
    if seating.terminated:
        raise ValueError("the game is over; a puzzle is a decision")
    sentences, notes = ["One move is worth much more than the others. Which?"], list[tuple[str, bool]]()
    if "play" in query:
        sentences, notes = solution(seating.session, seating.entries, seating.names, actions_in(query)[0])
        sentences.append(HOW_FOUND)
    here = {"game": seating.address.game.id, "puzzle": str(number)}
    missed = listed[number - 1].fooled if number else ()
    table = heading(seating) | state(seating)
    return {
        **table,
        "frames": table["frames"][-1:],
        "practice": False,
        "coach": False,
        "undo": None,
        "lessons": [],
        "marked": [],
        "hint": None,
        "mistake": [],
        "coach_waits": "",
        "unseen": None,
        "moves": seating.moves(notes),
        "address": query_of(here) if number else f"{seating.address.query}&puzzle=own",
        "puzzle": {
            "title": word(say("Puzzle {number} of {count}", number=number, count=len(listed)))
            if number
            else word("Puzzle"),
            "rating": "★" * len(missed),
            "missed": word(say("Missed by {players}.", players=", ".join(missed))) if notes and missed else "",
            "sentences": [word(sentence) for sentence in sentences],
            "solved": bool(notes),
            "again": seating.address.query,
            "next": query_of(here | {"puzzle": str(number % len(listed) + 1)}) if number else "",
        },
    }
