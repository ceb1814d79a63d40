"""The combinations of Tien Gow: which there are, in what order, and which of them tiles hold, as the bits of a word.

A *set of combinations* is an int64 with bit c in use for combination c, 0 to 60: the single tiles by kind, civil pairs,
military pairs, the supreme pair, then the mixed sets of two, three and four tiles. No combination reaches beyond one of
four parts of the deck, so that what a hand holds is four look-ups in tables of 256 entries.
"""

from typing import NamedTuple

import numpy as np

from gupai_env.core.bits import gather
from gupai_env.core.rule import rule
from gupai_env.core.tiles import COPIES, KINDS, kind_of, set_name, tile_set
from gupai_env.messages import say

# Civil kinds, the highest first; then the military ones, those of equal rank together.
CIVIL = [
    kind_of(*face) for face in ((6, 6), (1, 1), (4, 4), (3, 1), (5, 5), (3, 3), (2, 2), (6, 5), (6, 4), (6, 1), (5, 1))
]
MILITARY = [
    [kind_of(*face) for face in faces]
    for faces in (((6, 3), (5, 4)), ((6, 2), (5, 3)), ((5, 2), (4, 3)), ((4, 2),), ((4, 1), (3, 2)), ((2, 1),))
]
RANK = np.zeros(KINDS, np.int64)  # [KINDS], from 1, the lowest of the suit
RANK[CIVIL] = range(len(CIVIL), 0, -1)
for _place, _kinds in enumerate(reversed(MILITARY)):
    RANK[_kinds] = _place + 1
HEAVEN, EARTH, MAN, HARMONY = CIVIL[:4]
NINES, EIGHTS, SEVENS, FIVES = (MILITARY[place] for place in (0, 1, 2, 4))
FAMILIES = ((HEAVEN, NINES), (EARTH, EIGHTS), (MAN, SEVENS), (HARMONY, FIVES))  # the highest first
SIX, THREE = kind_of(4, 2), kind_of(2, 1)  # the supreme pair
LOWEST_CIVIL, ITS_CAPTOR = kind_of(5, 1), kind_of(6, 1)

CLASSES = ("c1", "m1", "c2", "m2", "sup", "x11", "x21", "x12", "x22")
C1, M1, C2, M2, SUP, X11, X21, X12, X22 = range(len(CLASSES))
CLASS_NAMES = tuple(
    map(
        say,
        (
            "a civil tile",
            "a military tile",
            "a pair of civil tiles",
            "a pair of military tiles",
            "the supreme pair",
            "a civil and a military tile of one family",
            "two civil tiles and a military one of their family",
            "a civil tile and two military ones of its family",
            "two civil and two military tiles of one family",
        ),
    )
)  # by class, for people


class Combination(NamedTuple):
    """Tiles that are led together: their class, their order in it (higher beats), and their kinds."""

    class_number: int
    order: int
    kinds: tuple[int, ...]


def _all() -> list[Combination]:
    singles = [Combination(C1 if COPIES[kind] == 2 else M1, int(RANK[kind]), (kind,)) for kind in range(KINDS)]
    civil_pairs = [Combination(C2, int(RANK[kind]), (kind, kind)) for kind in range(KINDS) if COPIES[kind] == 2]
    military_pairs = [Combination(M2, int(RANK[kinds[0]]), tuple(kinds)) for _, kinds in FAMILIES]
    mixed = []
    for class_number, civil_tiles, military_tiles in ((X11, 1, 1), (X21, 2, 1), (X12, 1, 2), (X22, 2, 2)):
        for place, (civil, military) in enumerate(FAMILIES):
            for chosen in [tuple(military)] if military_tiles == 2 else [(kind,) for kind in military]:
                mixed.append(Combination(class_number, len(FAMILIES) - place, (civil,) * civil_tiles + chosen))
    return [*singles, *civil_pairs, *military_pairs, Combination(SUP, 1, (SIX, THREE)), *mixed]


COMBINATIONS = _all()
PAIR_OF = {  # by civil kind
    combination.kinds[0]: number for number, combination in enumerate(COMBINATIONS) if combination.class_number == C2
}
SUPREME = next(number for number, combination in enumerate(COMBINATIONS) if combination.class_number == SUP)
CIVIL_SUPREME, CAPTURING_PAIR = PAIR_OF[LOWEST_CIVIL], PAIR_OF[ITS_CAPTOR]

CLASS = np.array([combination.class_number for combination in COMBINATIONS], np.int8)  # [combinations]
SIZE = np.array([len(combination.kinds) for combination in COMBINATIONS], np.int8)  # tiles
COMBINATION_TILES = np.array([tile_set(combination.kinds) for combination in COMBINATIONS])  # tile sets
# For players: each tile by its place in the suit, 0 to 1, and the sum over the tiles of a combination.
KIND_STRENGTH = np.where(COPIES == 2, (RANK - 1) / (len(CIVIL) - 1), (RANK - 1) / (len(MILITARY) - 1))
STRENGTH = np.array([KIND_STRENGTH[list(combination.kinds)].sum() for combination in COMBINATIONS])
OF_CLASS = np.array(
    [sum(1 << int(number) for number in np.flatnonzero(class_number == CLASS)) for class_number in range(len(CLASSES))]
)
SETS = sum(  # of two tiles or more
    1 << number for number, combination in enumerate(COMBINATIONS) if len(combination.kinds) > 1
)


def beats(combination: int, other: int, civil_supreme: bool) -> bool:
    """Return whether a combination beats another."""
    mine, theirs = COMBINATIONS[combination], COMBINATIONS[other]
    if civil_supreme and CIVIL_SUPREME in (combination, other):
        return (combination, other) == (CAPTURING_PAIR, CIVIL_SUPREME)
    return mine.class_number == theirs.class_number and mine.order > theirs.order


# [without and with `civil_supreme`, combinations]: the combinations that beat each, and those that each beats.
BEATEN_BY, _BEATS = np.array(
    [
        [
            [
                sum(1 << b for b in range(len(COMBINATIONS)) if beats(*((b, a) if beaten else (a, b)), civil_supreme))
                for a in range(len(COMBINATIONS))
            ]
            for civil_supreme in (False, True)
        ]
        for beaten in (True, False)
    ],
    np.int64,
)

# The four parts; a part has one place in a word for each of its tiles.
_PARTS = ((HEAVEN, *NINES, EARTH, *EIGHTS), (MAN, *SEVENS, HARMONY, *FIVES), (*CIVIL[4:7], SIX, THREE), (*CIVIL[7:],))
PLACES = tuple(sum(((1 << int(COPIES[kind])) - 1) << (3 * kind) for kind in part) for part in _PARTS)
ENTRIES = 256


def _tiles_at(part: int) -> np.ndarray:
    """Return for every entry the tile set of which `gather` makes it, int64 [entries]."""
    places = [bit for bit in range(3 * KINDS) if PLACES[part] >> bit & 1]
    return sum((np.arange(ENTRIES) >> index & 1) << bit for index, bit in enumerate(places))  # type: ignore[return-value]


_NUMBERS = np.arange(len(COMBINATIONS))
_COUNTS = np.array([_tiles_at(part) for part in range(len(PLACES))])[..., None] >> 3 * np.arange(KINDS) & 7
_NEEDED = np.array([[combination.kinds.count(kind) for kind in range(KINDS)] for combination in COMBINATIONS])
# [parts, entries]: the combinations that are held there.
HELD = (_COUNTS[:, :, None] >= _NEEDED).all(-1) @ (1 << _NUMBERS)
# [without and with `civil_supreme`, parts, entries]: what some combination held there beats.
BEATABLE = np.bitwise_or.reduce(np.where(HELD[..., None] >> _NUMBERS & 1, np.array(_BEATS)[:, None, None], 0), -1)


@rule
def combinations_in(tiles):
    """Return the set of combinations that a tile set of no more than one set of tiles holds."""
    return (
        HELD[0, gather(tiles, PLACES[0])]
        | HELD[1, gather(tiles, PLACES[1])]
        | HELD[2, gather(tiles, PLACES[2])]
        | HELD[3, gather(tiles, PLACES[3])]
    )


PARTS = np.array([combinations_in(int(tiles)) for tiles in COMBINATION_TILES])  # [combinations], those in its tiles


@rule
def beatable_by(civil_supreme, tiles):
    """Return the set of all combinations that some tiles of a set beat."""
    return (
        BEATABLE[civil_supreme, 0, gather(tiles, PLACES[0])]
        | BEATABLE[civil_supreme, 1, gather(tiles, PLACES[1])]
        | BEATABLE[civil_supreme, 2, gather(tiles, PLACES[2])]
        | BEATABLE[civil_supreme, 3, gather(tiles, PLACES[3])]
    )


def combination_of(kinds: list[int]) -> int | None:
    """Return the number of the combination that some tiles are, None if they are none."""
    wanted = tile_set(kinds)
    return next((number for number, tiles in enumerate(COMBINATION_TILES) if tiles == wanted), None)


NAMES = tuple(set_name(int(tiles)) for tiles in COMBINATION_TILES)
