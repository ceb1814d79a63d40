"""A naive referee of Small Mahjong, written from the rulebook page `small-mahjong.md` and from nothing else.

`wall[0]` is drawn first; drawing is automatic. How it reads the sentences that leave room:

- A straight does not run round the corner: 123, 234, 345 and 456.
- "Claims because it completes a winning hand": the claimed tile and two hand tiles form one triplet, and the
  rest of the hand (or the exposed triplet) is the other. The claimer's choice of a triplet is then among
  those that the distance allows and those that leave a winning hand.
- An exposed triplet "stays": a win is read around it. With `expose_claims=False` the six tiles are free, the
  claim has no triplet to name. Two seats could claim one tile from each other for ever, since a claim takes nothing
  from the wall: a turn begins with a drawn or a claimed tile, and the discard of the 111th is offered to nobody,
  whatever `expose_claims` is (with True no deal is that long).
- `auto_win` declares for a player who holds six winning tiles; claiming them stays his choice.
- A player whose six tiles all lie exposed has nothing to discard: with `auto_win=False` he can only win.
- "The discard that follows the last wall tile" is any discard while the wall is empty; with
  `claim_last_discard` the claims of such discards go on, claim by claim, until nobody wants one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache
from itertools import combinations

from .tiles import Move, Tile

Triplet = tuple[Tile, ...]

STRAIGHTS = [(1, 2, 3), (2, 3, 4), (3, 4, 5), (4, 5, 6)]
SETS = [(number, number, number) for number in range(1, 7)]

DOUBLE_STRAIGHT, SET_AND_STRAIGHT, DOUBLE_SET = 1, 2, 3  # their points
REACH = {DOUBLE_STRAIGHT: 1, SET_AND_STRAIGHT: 2}  # the farthest claimer; a double set has no limit


@dataclass(eq=False)
class SmallMahjong:
    """One deal; seats 0..n-1 act in that order, starting with `leader`."""

    hands: list[list[Tile]]
    wall: list[Tile]
    leader: int
    _: KW_ONLY
    auto_win: bool = True
    expose_claims: bool = True
    claim_last_discard: bool = True

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]  # concealed tiles
        self.exposed: list[list[Triplet]] = [[] for _ in self.hands]
        self.wall = list(self.wall)
        self.seats = len(self.hands)
        self.offered: Tile | None = None  # the discard that is being asked about
        self.discarder = self.leader
        self.to_ask: list[int] = []  # the seats still to be asked, nearest first
        self.winner: int | None = None
        self.terminated = False
        self.to_act = self.leader
        self.turns = 0  # begun by a drawn or a claimed tile
        self.draw()

    def draw(self) -> None:
        self.turns += 1
        self.hands[self.to_act].append(self.wall.pop(0))
        self.declare_for_the_player()

    def declare_for_the_player(self) -> None:
        if self.auto_win and self.winning_points(self.to_act) is not None:
            self.win()

    def win(self) -> None:
        self.winner = self.to_act
        self.terminated = True

    def winning_points(self, seat: int) -> int | None:
        """The points of the best split of a seat's six tiles into two triplets, None if there is none."""
        return best_split(self.hands[seat], self.exposed[seat])

    def claims(self, seat: int) -> list[tuple[Tile, ...]]:
        """The pairs of hand tiles with which a seat may claim the offered tile."""
        assert self.offered is not None
        distance = (seat - self.discarder) % self.seats
        hand = sorted(self.hands[seat], reverse=True)
        found: list[tuple[Tile, ...]] = []
        for pair in sorted(set(combinations(hand, 2))):
            triplet = (self.offered, *pair)
            points = triplet_points(triplet)
            if points is None:
                continue
            rest = list((Counter(hand) - Counter(pair)).elements())
            wins = best_split(rest, [*self.exposed[seat], triplet]) is not None
            if wins or distance <= REACH.get(points, self.seats):
                found.append(pair)
        return found

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        if self.offered is not None:
            claims: list[Move] = [("claim", pair) for pair in self.claims(self.to_act)]
            return [*(claims if self.expose_claims else [("claim",)]), ("pass",)]
        win: list[Move] = [("win",)] if self.winning_points(self.to_act) is not None else []
        return win + [("discard", tile) for tile in sorted(set(self.hands[self.to_act]))]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        if move[0] == "win":
            self.win()
        elif move[0] == "discard":
            self.discard(move[1])
        elif move[0] == "claim":
            self.claim(*move[1:])
        else:
            self.to_ask.pop(0)
            self.ask_the_next()

    def discard(self, tile: Tile) -> None:
        self.discarder = self.to_act
        self.hands[self.discarder].remove(tile)
        self.offered = tile
        if (self.wall or self.claim_last_discard) and self.turns < 111:
            others = [(self.discarder + distance) % self.seats for distance in range(1, self.seats)]
            self.to_ask = [seat for seat in others if self.claims(seat)]
        self.ask_the_next()

    def ask_the_next(self) -> None:
        """Ask the nearest seat that may claim; if there is none left, the seat after the discarder draws."""
        if self.to_ask:
            self.to_act = self.to_ask[0]
            return
        self.offered = None
        if self.wall:
            self.to_act = (self.discarder + 1) % self.seats
            self.draw()
        else:
            self.terminated = True

    def claim(self, pair: tuple[Tile, ...] | None = None) -> None:
        assert self.offered is not None
        self.turns += 1
        if pair is None:
            self.hands[self.to_act].append(self.offered)
        else:
            for tile in pair:
                self.hands[self.to_act].remove(tile)
            self.exposed[self.to_act].append((self.offered, *pair))
        self.offered = None
        self.to_ask = []
        self.declare_for_the_player()

    def payoffs(self) -> list[float]:
        if self.winner is None:
            return [0.0] * self.seats
        points = self.winning_points(self.winner)
        assert points is not None
        return [
            float(points * (self.seats - 1)) if seat == self.winner else float(-points) for seat in range(self.seats)
        ]

    def next_leader(self) -> int:
        return self.leader if self.winner is None else self.winner


@cache
def triplet_points(triplet: Triplet) -> int | None:
    """Points of three tiles read as six numbers: 3, 2 or 1; None if they are not a triplet.

    No six numbers can be read in two ways with different points, so the first reading found is the one.
    """
    numbers = sorted(number for tile in triplet for number in tile)

    def splits_into(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        return sorted(one + other) == numbers

    if any(splits_into(one, other) for one in SETS for other in SETS):
        return DOUBLE_SET
    if any(splits_into(one, run) and one[0] not in run for one in SETS for run in STRAIGHTS):
        return SET_AND_STRAIGHT
    if any(splits_into(one, other) for one in STRAIGHTS for other in STRAIGHTS):
        return DOUBLE_STRAIGHT
    return None


def best_split(concealed: Iterable[Tile], exposed: Sequence[Triplet]) -> int | None:
    """The most points of two triplets, the exposed ones as they lie; None if there are no two triplets."""
    concealed = list(concealed)
    if not concealed:
        ways = [list(exposed)]
    elif len(concealed) == 3:
        ways = [[*exposed, tuple(concealed)]]
    else:
        ways = []
        for places in combinations(range(len(concealed)), 3):
            one = tuple(concealed[place] for place in places)
            other = tuple(tile for place, tile in enumerate(concealed) if place not in places)
            ways.append([one, other])
    best = None
    for triplets in ways:
        points = [triplet_points(triplet) for triplet in triplets]
        total = sum(each for each in points if each is not None)
        if None not in points and (best is None or total > best):
            best = total
    return best
