"""The Chinese domino tiles, for the referees alone: a tile is a tuple (high, low).

Rulebook page: README, "The tiles".
"""

from typing import Any

Tile = tuple[int, int]
Move = tuple[Any, ...]  # a word of the rules, then its tiles and numbers

DOUBLES: list[Tile] = [(6, 6), (5, 5), (4, 4), (3, 3), (2, 2), (1, 1)]
CIVIL: list[Tile] = [*DOUBLES, (3, 1), (5, 1), (6, 1), (6, 4), (6, 5)]
MILITARY: list[Tile] = [(2, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3), (5, 4), (6, 2), (6, 3)]

DECK: list[Tile] = CIVIL + CIVIL + MILITARY  # 32 tiles


def is_double(tile: Tile) -> bool:
    return tile[0] == tile[1]


def other_end(tile: Tile, number: int) -> int:
    """The end of the tile across from `number`; for a double, the same number."""
    high, low = tile
    return low if number == high else high


def pips(tile: Tile) -> int:
    return tile[0] + tile[1]


def red_pips(tile: Tile) -> int:
    """Every one and every four is red, and half of [6:6]."""
    if tile == (6, 6):
        return 6
    return sum(number for number in tile if number in (1, 4))


def black_pips(tile: Tile) -> int:
    return pips(tile) - red_pips(tile)
