"""A naive referee of Shi Wu Hu, written from the rulebook page `shi-wu-hu.md` and from nothing else.

`stock[0]` is the top of the stock. How it reads the sentences that leave room:

- `deck` is a list of tiles, `CARDS` or `TILES`, or None for all tiles that were dealt. "All tiles of the deck" are
  those of this list, in a smaller deck too, and a deck without such tiles has no bonus for them. "All four" of a Jun
  are four tiles.
- `group` and `supreme_bonus` are by the deck if None: "one_two" and 300 for `CARDS`, "one_one" and 100 for any other.
- Catching one of several identical lake tiles is one move: ("catch", bait, fish) names their kind.
- The catch of three is for the kinds that match no other kind under the options of the game, and for exactly
  three tiles in the lake.
- `supreme_match="sixes"`: [2:1] matches every tile of six pips, [4:2] among them, and they it.
- `must_catch` forbids laying while any catch is possible; which catch stays free, also one fish of three.
- A turn without a tile in hand or in the stock happens in no real deal, for hands and stock run out together.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache

from .fishing import Fishing
from .tiles import CIVIL, MILITARY, Move, Tile, pips

CARDS: list[Tile] = (CIVIL + MILITARY) * 4
TILES: list[Tile] = CIVIL * 4 + MILITARY * 2

HEAVEN_NINE: list[Tile] = [(6, 6), (6, 3), (5, 4)]  # in each group the civil kind, then the two military kinds
EARTH_EIGHT: list[Tile] = [(1, 1), (6, 2), (5, 3)]
MAN_SEVEN: list[Tile] = [(4, 4), (5, 2), (4, 3)]
HARMONY_FIVE: list[Tile] = [(3, 1), (4, 1), (3, 2)]
SUPREME: list[Tile] = [(4, 2), (2, 1)]
JUN: list[Tile] = [(5, 5), (6, 5), (6, 4)]  # each by itself


@dataclass(eq=False)
class ShiWuHu(Fishing):
    """One deal; seats 0..n-1 act in that order, starting with `leader`."""

    _: KW_ONLY
    deck: Sequence[Tile] | None = None
    group: str | None = None
    supreme_bonus: int | None = None
    thousand: bool = True
    triple_catch: str = "own_kind"
    supreme_match: str = "none"
    tens_match: bool = False
    heaven_earth: bool = False

    def __post_init__(self) -> None:
        if self.deck is None:
            self.deck = [tile for pile in (*self.hands, self.lake, self.stock) for tile in pile]
        super().__post_init__()

    def match(self, bait: Tile, fish: Tile) -> bool:
        return match(
            bait, fish, supreme_match=self.supreme_match, tens_match=self.tens_match, heaven_earth=self.heaven_earth
        )

    def catches_of(self, bait: Tile) -> list[Move]:
        catches: list[Move] = [("catch", bait, fish) for fish in sorted(set(self.lake)) if self.match(bait, fish)]
        if self.triple_catch == "own_kind" and self.lake.count(bait) == 3 and self.is_alone(bait):
            catches.append(("catch three", bait))
        return catches

    def is_alone(self, kind: Tile) -> bool:
        """Does this kind match no other?"""
        return not any(self.match(kind, other) for other in CIVIL + MILITARY if other != kind)

    def points(self) -> list[int]:
        return [count(catch, self.deck, self.group, self.supreme_bonus) for catch in self.catches]

    def payoffs(self) -> list[float]:
        return settle(self.points(), self.thousand)


@cache
def match(
    bait: Tile, fish: Tile, *, supreme_match: str = "none", tens_match: bool = False, heaven_earth: bool = False
) -> bool:
    both = {bait, fish}
    if bait == fish:
        return True
    if both == {(5, 5), (6, 4)}:
        return tens_match
    if both == {(6, 6), (1, 1)}:
        return heaven_earth
    if both == {(4, 2), (2, 1)}:
        return supreme_match in ("pair", "sixes")
    if (2, 1) in both and 6 in (pips(bait), pips(fish)):
        return supreme_match == "sixes"
    return pips(bait) == pips(fish)


def full(catch: Sequence[Tile], kinds: Sequence[Tile], group: str) -> bool:
    """Does the catch show the group: its civil kind and both military kinds, or one of them?"""
    civil, *military = kinds
    found = [kind in catch for kind in military]
    return civil in catch and (all(found) if group == "one_two" else any(found))


def worth(kind: Tile, catch: Sequence[Tile], group: str) -> int:
    """What each tile of this kind counts in the catch: 30, 20 or 10."""
    if kind in HEAVEN_NINE and full(catch, HEAVEN_NINE, group):
        return 30
    if kind in SUPREME and all(each in catch for each in SUPREME):
        return 30
    if kind in JUN and catch.count(kind) == 4:
        return 30
    for kinds in (EARTH_EIGHT, MAN_SEVEN, HARMONY_FIVE):
        if kind in kinds and full(catch, kinds, group):
            return 20
    return 10


def has_all(catch: Sequence[Tile], deck: Sequence[Tile], kinds: Sequence[Tile]) -> bool:
    """Does the catch hold all tiles of these kinds that are in the deck?"""
    of_deck = [tile for tile in deck if tile in kinds]
    return of_deck != [] and Counter(of_deck) == Counter(tile for tile in catch if tile in kinds)


def count(
    catch: Sequence[Tile], deck: Sequence[Tile] = CARDS, group: str | None = None, supreme_bonus: int | None = None
) -> int:
    """The points of a catch; `group` and `supreme_bonus` are by the deck if None."""
    cards = Counter(deck) == Counter(CARDS)
    if group is None:
        group = "one_two" if cards else "one_one"
    if supreme_bonus is None:
        supreme_bonus = 300 if cards else 100
    points = sum(worth(tile, catch, group) for tile in catch)
    if has_all(catch, deck, HEAVEN_NINE):
        points += 300
    if all(catch.count(kind) == 4 for kind in JUN):
        points += 300
    if has_all(catch, deck, SUPREME):
        points += supreme_bonus
    return points


def settle(points: Sequence[int], thousand: bool = True) -> list[float]:
    """Every two players settle their difference, twice if exactly one of them has a thousand."""
    chips = [0.0] * len(points)
    for one in range(len(points)):
        for other in range(one):
            difference = points[one] - points[other]
            if thousand and (points[one] >= 1000) != (points[other] >= 1000):
                difference *= 2
            chips[one] += difference
            chips[other] -= difference
    return chips
