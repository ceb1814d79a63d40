"""A naive referee of Pai Gow, written from the rulebook page `pai-gow.md` and from nothing else.

`leader` is the seat of the banker. How it reads the sentences that leave room:

- The splitting is simultaneous: the seats are asked in turn order from the banker, and no answer changes what
  the next one may do. Splits that differ only in equal tiles are one move; splits of different tiles are
  different moves, also where their values are the same ([6:3] for [5:4]).
- A wild [4:2] or [2:1] counts 3 or 6, whichever gives the group more points; two of them are the supreme pair.
- `zero="banker"`: the banker wins 0 against 0 with `copy="push"` too, for that is what the option says of it.
  With `zero="tile"` groups of 0 points have the rank of their higher tile like other groups of points, and equal
  ranks are a copy.
- `copy="push"`: the payoff is the sign of the sum of both results, so a win and a copy win one stake.
- `pay="roads"`: the low group wins or loses one stake, the high group two.
- `commission` is a percentage of what a seat has won in the whole deal, the banker too.
- `small`: two tiles for every seat, the one group of them is the only move, and it wins or loses one stake,
  whatever `pay` says.
- The next banker is the next seat ("next"), the same ("fixed"), or not known to a referee ("random": None).
- `stake` is what every player has staked.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from .tiles import CIVIL, Move, Tile, is_double, pips

SUPREME: list[Tile] = [(4, 2), (2, 1)]
# The 16 pairs by the single rank of their tiles, from 0 to 15.
RANKS: list[list[Tile]] = [
    SUPREME,
    [(4, 1), (3, 2)],
    [(5, 2), (4, 3)],
    [(6, 2), (5, 3)],
    [(6, 3), (5, 4)],
    [(5, 1)],
    [(6, 1)],
    [(6, 4)],
    [(6, 5)],
    [(2, 2)],
    [(3, 3)],
    [(5, 5)],
    [(3, 1)],
    [(4, 4)],
    [(1, 1)],
    [(6, 6)],
]

Group = tuple[Tile, ...]
Value = tuple[int, int, int]  # class of the group, its points, the rank that decides


@dataclass(eq=False)
class PaiGow:
    """One deal: every seat splits its tiles once."""

    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    zero: str = "banker"
    copy: str = "banker"
    gong_four: bool = True
    wild: bool = True
    pay: str = "both"
    commission: float = 0
    small: bool = False
    banker: str = "next"
    stake: float = 1.0

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.seats = len(self.hands)
        self.splits: list[list[Group]] = [[] for _ in self.hands]
        self.to_act = self.leader
        self.terminated = False

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        hand = self.hands[self.to_act]
        if self.small:
            return [("split", (face_up(hand),))]
        a, b, c, d = hand
        ways = [((a, b), (c, d)), ((a, c), (b, d)), ((a, d), (b, c))]
        return [("split", split) for split in sorted({face_up_groups(groups) for groups in ways})]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        self.splits[self.to_act] = list(move[1])
        self.to_act = (self.to_act + 1) % self.seats
        self.terminated = all(self.splits)

    def value(self, group: Sequence[Tile]) -> Value:
        return value(group, zero=self.zero, gong_four=self.gong_four, wild=self.wild)

    def high_and_low(self, seat: int) -> list[Value]:
        """The values of a seat's groups, the high group first; only one group with `small`."""
        return sorted((self.value(group) for group in self.splits[seat]), reverse=True)

    def results(self, player: int) -> list[int]:
        """What a player's groups do against the banker's: 1 for a win, 0 for a copy that pushes, else -1."""
        results = []
        for mine, bankers in zip(self.high_and_low(player), self.high_and_low(self.leader), strict=True):
            if mine > bankers:
                results.append(1)
            elif mine == bankers and self.copy == "push" and not (self.zero == "banker" and mine == NOTHING):
                results.append(0)
            else:
                results.append(-1)
        return results

    def payoffs(self) -> list[float]:
        chips = [0.0] * self.seats
        for player in range(self.seats):
            if player != self.leader:
                results = self.results(player)
                if self.pay == "roads" and not self.small:
                    high, low = results
                    won = self.stake * (2 * high + low)
                else:
                    won = self.stake * sign(sum(results))
                chips[player] += won
                chips[self.leader] -= won
        return [won * (100 - self.commission) / 100 if won > 0 else won for won in chips]

    def next_leader(self) -> int | None:
        if self.banker == "random":
            return None
        return self.leader if self.banker == "fixed" else (self.leader + 1) % self.seats


def face_up(group: Sequence[Tile]) -> Group:
    """A group in the order in which moves name it: the highest tile first."""
    return tuple(sorted(group, reverse=True))


def face_up_groups(groups: Sequence[Sequence[Tile]]) -> tuple[Group, ...]:
    return tuple(sorted((face_up(group) for group in groups), reverse=True))


def sign(number: float) -> int:
    return 1 if number > 0 else -1 if number < 0 else 0


def rank(tile: Tile) -> int:
    """The single rank of a tile, 0 to 15."""
    return next(place for place, pair in enumerate(RANKS) if tile in pair)


def points(group: Sequence[Tile], wild: bool = True) -> int:
    """Pips modulo ten, the most that wild tiles can make of them."""
    totals = [0]
    for tile in group:
        counts = [3, 6] if wild and tile in SUPREME else [pips(tile)]
        totals = [total + count for total in totals for count in counts]
    return max(total % 10 for total in totals)


NOTHING: Value = (1, 0, 0)  # the value of 0 points with zero="banker"


def value(group: Sequence[Tile], *, zero: str = "banker", gong_four: bool = True, wild: bool = True) -> Value:
    """The value of a group of two tiles: the higher group has the higher value, a copy has the same."""
    one, other = group
    if one in SUPREME and other in SUPREME and one != other:
        return (6, 0, 0)
    if rank(one) == rank(other):
        return (5 if one in CIVIL else 4, 0, rank(one))
    for heaven_or_earth, mate in ((one, other), (other, one)):
        if heaven_or_earth in [(6, 6), (1, 1)]:
            if pips(mate) == 9:
                return (3, 0, rank(heaven_or_earth))
            if pips(mate) == 8 and (gong_four or not is_double(mate)):
                return (2, 0, rank(heaven_or_earth))
    total = points(group, wild)
    if total == 0 and zero == "banker":
        return NOTHING
    return (1, total, max(rank(one), rank(other)))
