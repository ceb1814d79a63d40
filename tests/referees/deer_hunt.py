"""A naive referee of Deer Hunt, written from the rulebook page `deer-hunt.md` and from nothing else.

How it reads the sentences that leave room:

- The leader is the dealer, who leads the first trick. Seats 0 and 2 are one side, seats 1 and 3 the other.
- `points()` are the red pips in the tricks of a seat's side, so partners have the same.
- `escape`: [6:6] has red pips, so a trick with it can escape too. D is the difference of the two sides' counts.
- `fair_deal` is a rule of dealing. A full set that is not dealt by it is refused; a smaller deck, which may lack
  the tiles it names, is taken as it is. With "four", a seat has exactly two of the eight tiles.
- The dealer of the next deal is the next seat, whoever took the last trick.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from .tiles import DECK, Move, Tile, red_pips

HEAVEN: list[Tile] = [(6, 6)]
FOUR: list[Tile] = [(6, 6), (6, 5), (6, 4), (4, 4)]


@dataclass(eq=False)
class DeerHunt:
    """One deal; seats 0..3 act in that order, starting with `leader`."""

    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    escape: bool = False
    fair_deal: str = "none"
    settlement: str = "difference"

    def __post_init__(self) -> None:
        if sum(map(len, self.hands)) == len(DECK) and not is_fair(self.hands, self.fair_deal):
            raise ValueError(f"these hands are not dealt by fair_deal={self.fair_deal!r}: {self.hands}")
        self.hands = [list(hand) for hand in self.hands]
        self.seats = len(self.hands)
        self.trick: list[Tile] = []  # the tiles on the table, in the order of play
        self.taken: list[list[Tile]] = [[] for _ in self.hands]  # the tiles in the tricks of every seat
        self.trick_leader = self.leader
        self.to_act = self.leader
        self.terminated = False

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        return [("play", tile) for tile in sorted(set(self.hands[self.to_act]))]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        self.hands[self.to_act].remove(move[1])
        self.trick.append(move[1])
        self.to_act = (self.to_act + 1) % self.seats
        if len(self.trick) == self.seats:
            self.take_the_trick()
        self.terminated = not any(self.hands)

    def take_the_trick(self) -> None:
        taker = (self.trick_leader + strongest(self.trick)) % self.seats
        if not (self.escape and all_red(self.trick)):
            self.taken[taker].extend(self.trick)
        self.trick = []
        self.trick_leader = taker
        self.to_act = taker

    def points(self) -> list[int]:
        red = [sum(red_pips(tile) for tile in taken) for taken in self.taken]
        return [sum(red[seat % 2 :: 2]) for seat in range(self.seats)]

    def payoffs(self) -> list[float]:
        points = self.points()
        return settle(points[0], points[1], self.seats, self.settlement)

    def next_leader(self) -> int:
        return (self.leader + 1) % self.seats


def strongest(trick: Sequence[Tile]) -> int:
    """The place of the tile that takes the trick: the larger half first, then the smaller; of equals the earlier."""
    best = 0
    for place, (high, low) in enumerate(trick):
        best_high, best_low = trick[best]
        if high > best_high or (high == best_high and low > best_low):
            best = place
    return best


def all_red(trick: Sequence[Tile]) -> bool:
    return all(red_pips(tile) > 0 for tile in trick)


def settle(even: int, odd: int, seats: int = 4, settlement: str = "difference") -> list[float]:
    """Chips of every seat for the red pips of the side of seats 0 and 2 and those of seats 1 and 3."""
    difference = even - odd
    if settlement == "win":
        difference = 1 if difference > 0 else -1 if difference < 0 else 0
    return [float(difference if seat % 2 == 0 else -difference) for seat in range(seats)]


def is_fair(hands: Sequence[Sequence[Tile]], fair_deal: str) -> bool:
    """Can these hands of the full set come from this way of dealing?"""
    if fair_deal == "none":
        return True
    for tile in HEAVEN if fair_deal == "heaven" else FOUR:
        if hands[0].count(tile) + hands[2].count(tile) != 1:
            return False
    return fair_deal == "heaven" or all(sum(tile in FOUR for tile in hand) == 2 for hand in hands)
