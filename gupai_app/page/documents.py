"""What a page asks for, wherever the page is: a table, a puzzle, or a game to look at."""

from collections.abc import Callable, Mapping
from typing import Any

from gupai_app.kept.puzzles import puzzle
from gupai_app.play.table import document
from gupai_app.review.document import review
from gupai_app.server.players import Players


def document_at(query: Mapping[str, str], players: Players, waits: Callable[[str], str]) -> dict[str, Any]:
    """Return what an address shows, as JSON holds it. Raises: ValueError, in one line.

    Args:
        query: The words of the address: `review` asks for a game to look at, `puzzle` for a puzzle.
        players, waits: As of `document`.
    """
    if "review" in query:
        return review(query, players)
    return puzzle(query, players) if "puzzle" in query else document(query, players, waits)
