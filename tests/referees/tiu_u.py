"""A naive referee of Tiu-U, written from the rulebook page `tiu-u.md` and from nothing else.

`stock[0]` is the top of the stock. How it reads the sentences that leave room:

- Catching one of several identical lake tiles is one move: ("catch", bait, fish) names their kind.
- `lock_triples`: a kind of which three or more lie in the lake is closed, so after a fourth was laid beside
  three (or dealt so), none of the four can ever be caught. The fourth tile takes a closed pile also with
  `triple_catch=False`, for that is what the option says of the pile.
- `must_catch` forbids laying while any catch is possible; which catch stays free, also one fish of three.
- The heaven pair comes before the bait of the hand, never before the tile of the stock. A seat that holds
  four [6:6] may lay both pairs, one after the other, in the same turn.
- After a heaven pair a hand can run out first: then a turn is the stock's tile alone; a seat with neither
  hand nor stock is skipped; the deal ends when all hands and the stock are empty.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache

from .fishing import Fishing
from .tiles import Move, Tile, pips, red_pips

SUPREME: list[Tile] = [(4, 2), (2, 1)]


@dataclass(eq=False)
class TiuU(Fishing):
    """One deal; seats 0..n-1 act in that order, starting with `leader`."""

    _: KW_ONLY
    triple_catch: bool = True
    lock_triples: bool = False
    heaven_pair: bool = False
    settlement: str = "difference"

    def moves(self) -> list[Move]:
        heaven: list[Move] = []
        if self.heaven_pair and not self.terminated and not self.from_stock:
            heaven = [("heaven pair",)] * (self.hands[self.to_act].count((6, 6)) >= 2)
        return heaven + super().moves()

    def catches_of(self, bait: Tile) -> list[Move]:
        catches: list[Move] = [
            ("catch", bait, fish)
            for fish in sorted(set(self.lake))
            if match(bait, fish) and not (self.lock_triples and self.lake.count(fish) >= 3)
        ]
        if self.lake.count(bait) == 3 and (self.triple_catch or self.lock_triples):
            catches.append(("catch three", bait))
        return catches

    def play(self, move: Move) -> None:
        if move[0] != "heaven pair" or move not in self.moves():
            return super().play(move)
        for _ in range(2):
            self.hands[self.to_act].remove((6, 6))
            self.catches[self.to_act].append((6, 6))
        self.go_on()
        return None

    def points(self) -> list[int]:
        return [count(catch) for catch in self.catches]

    def payoffs(self) -> list[float]:
        points = self.points()
        if self.settlement == "points":
            return [mine - sum(points) / self.seats for mine in points]
        return [float(sum(mine - theirs for theirs in points)) for mine in points]


@cache
def match(bait: Tile, fish: Tile) -> bool:
    return pips(bait) == pips(fish) or (bait in SUPREME and fish in SUPREME)


def count(catch: Sequence[Tile]) -> int:
    """The points of a catch."""
    red = sum(red_pips(tile) for tile in catch if pips(tile) < 8)
    small = (red + 9) // 10 * 10  # rounded up to a multiple of ten
    big = sum(2 * pips(tile) for tile in catch if pips(tile) >= 8)
    return small + big
