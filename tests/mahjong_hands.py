"""Hands and tables of Small Mahjong."""

from gupai_env.positions.small_mahjong import from_tiles, triplet_points

from adapters import FACES
from gupai_env import get_game

GAME = get_game("small-mahjong")


def points_of(kinds):
    return triplet_points([FACES[kind] for kind in kinds])


OFFERED = "[5:2]"
DOUBLE_SET, SET_AND_STRAIGHT, DOUBLE_STRAIGHT = "[2:2][5:2][5:5]", "[2:2][4:3][5:2]", "[3:3][4:4][5:2]"
DISCARDER = "[4:2][4:1][5:1][5:1][6:4]"
ONE, OTHER = "[2:2][5:5][6:6][6:5][1:1]", "[2:2][5:5][6:6][6:5][6:2]"  # each can claim a double set
IDLE = "[6:1][6:1][3:1][3:1][6:3]"  # nothing
WALL = "[6:4][5:4][3:2]"


def offered(*hands, **options):
    """Seat 0 has just discarded the offered tile; the others hold these hands."""
    return from_tiles([DISCARDER, *hands], offered=OFFERED, wall=WALL, **options)


SIX = "[2:2][5:2][5:5] [2:1][4:3][5:3]"
OTHERS = ["[6:6][6:6][6:5][6:5][6:4]", "[1:1][1:1][3:1][3:1][6:1]", "[4:4][4:4][6:2][6:3][4:1]"]
