"""What the referees of Tiu-U and Shi Wu Hu share: whose turn it is, and where the tiles go.

`stock[0]` is the top of the stock. A turn without a tile in hand is the stock's tile alone and the other way round; a
seat with neither is skipped; the deal ends when all hands and the stock are empty.
"""

from dataclasses import KW_ONLY, dataclass

from .tiles import Move, Tile


@dataclass(eq=False)
class Fishing:
    """One deal; seats 0..n-1 act in that order, starting with `leader`. A game says what a bait may catch."""

    hands: list[list[Tile]]
    lake: list[Tile]
    stock: list[Tile]
    leader: int
    _: KW_ONLY
    must_catch: bool = False

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.lake = list(self.lake)
        self.stock = list(self.stock)
        self.seats = len(self.hands)
        self.catches: list[list[Tile]] = [[] for _ in self.hands]
        self.to_act = self.leader
        self.from_stock = False  # is this the second play of the turn?
        self.terminated = False
        self.go_on()

    def catches_of(self, bait: Tile) -> list[Move]:
        """What a bait may catch."""
        raise NotImplementedError

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        if self.from_stock:
            return self.moves_of(self.stock[0])
        return [move for bait in sorted(set(self.hands[self.to_act])) for move in self.moves_of(bait)]

    def moves_of(self, bait: Tile) -> list[Move]:
        catches = self.catches_of(bait)
        return catches if self.must_catch and catches else [*catches, ("lay", bait)]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        bait = move[1]
        if self.from_stock:
            self.stock.pop(0)
        else:
            self.hands[self.to_act].remove(bait)
        if move[0] == "lay":
            self.lake.append(bait)
        else:
            fish = [bait] * 3 if move[0] == "catch three" else [move[2]]
            for tile in fish:
                self.lake.remove(tile)
            self.catches[self.to_act].extend([bait, *fish])

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

    def next_leader(self) -> int:
        return (self.leader + 1) % self.seats
