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

from .tiles import Move, Tile, pips, red_pips

SUPREME: list[Tile] = [(4, 2), (2, 1)]


class TiuU:
    """One deal; seats 0..n-1 act in that order, starting with `leader`."""

    def __init__(
        self,
        hands: Sequence[Sequence[Tile]],
        lake: Sequence[Tile],
        stock: Sequence[Tile],
        leader: int,
        *,
        must_catch: bool = False,
        triple_catch: bool = True,
        lock_triples: bool = False,
        heaven_pair: bool = False,
        settlement: str = "difference",
    ) -> None:
        self.hands = [list(hand) for hand in hands]
        self.lake = list(lake)
        self.stock = list(stock)
        self.leader = leader
        self.must_catch = must_catch
        self.triple_catch = triple_catch
        self.lock_triples = lock_triples
        self.heaven_pair = heaven_pair
        self.settlement = settlement
        self.seats = len(hands)
        self.catches: list[list[Tile]] = [[] for _ in hands]
        self.to_act = leader
        self.from_stock = False  # is this the second play of the turn?
        self.terminated = False
        self.go_on()

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        if self.from_stock:
            return self.moves_of(self.stock[0])
        hand = self.hands[self.to_act]
        heaven: list[Move] = []
        if self.heaven_pair and hand.count((6, 6)) >= 2:
            heaven = [("heaven pair",)]
        return heaven + [move for bait in sorted(set(hand)) for move in self.moves_of(bait)]

    def moves_of(self, bait: Tile) -> list[Move]:
        catches: list[Move] = [
            ("catch", bait, fish)
            for fish in sorted(set(self.lake))
            if match(bait, fish) and not (self.lock_triples and self.lake.count(fish) >= 3)
        ]
        if self.lake.count(bait) == 3 and (self.triple_catch or self.lock_triples):
            catches.append(("catch three", bait))
        if self.must_catch and catches:
            return catches
        return [*catches, ("lay", bait)]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        hand, catch = self.hands[self.to_act], self.catches[self.to_act]
        if move[0] == "heaven pair":
            for _ in range(2):
                hand.remove((6, 6))
                catch.append((6, 6))
            self.go_on()
            return

        bait = move[1]
        if self.from_stock:
            self.stock.pop(0)
        else:
            hand.remove(bait)
        if move[0] == "lay":
            self.lake.append(bait)
        else:
            fish = [bait] * 3 if move[0] == "catch three" else [move[2]]
            for tile in fish:
                self.lake.remove(tile)
            catch.extend([bait, *fish])

        if self.from_stock:
            self.to_act = (self.to_act + 1) % self.seats
        self.from_stock = not self.from_stock
        self.go_on()

    def go_on(self) -> None:
        """Pass over plays for which there is no tile, up to the next decision or the end of the deal."""
        self.terminated = not any(self.hands) and not self.stock
        while not self.terminated and not (self.stock if self.from_stock else self.hands[self.to_act]):
            if self.from_stock:
                self.to_act = (self.to_act + 1) % self.seats
            self.from_stock = not self.from_stock

    def points(self) -> list[int]:
        return [count(catch) for catch in self.catches]

    def payoffs(self) -> list[float]:
        points = self.points()
        if self.settlement == "points":
            return [mine - sum(points) / self.seats for mine in points]
        return [float(sum(mine - theirs for theirs in points)) for mine in points]

    def next_leader(self) -> int:
        return (self.leader + 1) % self.seats


def match(bait: Tile, fish: Tile) -> bool:
    return pips(bait) == pips(fish) or (bait in SUPREME and fish in SUPREME)


def count(catch: Sequence[Tile]) -> int:
    """The points of a catch."""
    red = sum(red_pips(tile) for tile in catch if pips(tile) < 8)
    small = (red + 9) // 10 * 10  # rounded up to a multiple of ten
    big = sum(2 * pips(tile) for tile in catch if pips(tile) >= 8)
    return small + big
