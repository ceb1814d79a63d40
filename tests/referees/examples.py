"""Small helpers of the referees' own tests."""

from typing import Any

from .tiles import Move, Tile, tiles


def hands(*texts: str) -> list[list[Tile]]:
    return [tiles(text) for text in texts]


def play_all(referee: Any, *moves: Move) -> Any:
    for move in moves:
        referee.play(move)
    return referee
