"""A naive referee of Da Ling, written from the rulebook page `da-ling.md` and from nothing else.

How it reads the sentences that leave room:

- The arranging is simultaneous: the seats are asked in turn order from the leader, and no answer changes what
  the next one may do. Arrangements that differ only in equal tiles or in their order are one move.
- A lone absolute winner wins whatever his colour is; colour decides only among several.
- The fee is paid by the absolute winner who takes the stakes; absolute winners who tie pay no fee.
- Absolute winners who tie on colour are settled group by group together with everybody else's groups.
- The whole stake is the sum of `stakes`, 25 chips by default.
- The page names no leader of the next deal (there is no lead): it stays the same.
"""

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache
from itertools import combinations

from .tiles import Move, Tile, black_pips, pips, red_pips

WILD: list[Tile] = [(4, 2), (2, 1)]  # in a hand each counts 3 or 6

Group = tuple[Tile, ...]


@dataclass(eq=False)
class DaLing:
    """One deal: every seat arranges its tiles once."""

    table: list[Tile]
    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    stakes: Sequence[int] = (3, 7, 15)
    absolute_tie: str = "groups"
    casino_fee: int = 0
    sizes: Sequence[int] = (1, 2, 3)  # tiles in the single, the pair and the triple

    def __post_init__(self) -> None:
        self.table = list(self.table)
        self.hands = [list(hand) for hand in self.hands]
        self.seats = len(self.hands)
        self.arranged: list[list[Group]] = [[] for _ in self.hands]  # single, pair and triple of each seat
        self.to_act = self.leader
        self.terminated = False

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        hand = face_up(self.hands[self.to_act])
        splits = {tuple([tuple([hand[place] for place in group]) for group in way]) for way in ways(*self.sizes)}
        return [("arrange", *split) for split in sorted(splits)]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}")
        self.arranged[self.to_act] = list(move[1:])
        self.to_act = (self.to_act + 1) % self.seats
        self.terminated = all(self.arranged)

    def payoffs(self) -> list[float]:
        return settle(self.table, self.arranged, self.stakes, self.absolute_tie, self.casino_fee)

    def next_leader(self) -> int:
        return self.leader


@cache
def ways(singles: int, pairs: int, triples: int) -> list[tuple[Sequence[int], ...]]:
    """The places in a hand of single, pair and triple, for all ways to arrange it."""
    places = range(singles + pairs + triples)
    return [
        (single, pair, triple)
        for single in combinations(places, singles)
        for pair in combinations(places, pairs)
        if len(triple := [place for place in places if place not in single and place not in pair]) == triples
    ]


def face_up(group: Iterable[Tile]) -> Group:
    """A group in the order in which moves name it: the highest tile first."""
    return tuple(sorted(group, reverse=True))


def target(table: Sequence[Tile]) -> int:
    """The pips of the table tiles modulo ten; here no tile is wild."""
    return sum(pips(tile) for tile in table) % 10


def colour_pips(table: Sequence[Tile], group: Sequence[Tile]) -> int:
    """The pips of the game's colour in a group: red if the table shows four or more red pips."""
    red_game = sum(red_pips(tile) for tile in table) >= 4
    return sum(red_pips(tile) if red_game else black_pips(tile) for tile in group)


def matches(table: Sequence[Tile], group: Sequence[Tile]) -> bool:
    totals = [0]
    for tile in group:
        values = [3, 6] if tile in WILD else [pips(tile)]
        totals = [total + value for total in totals for value in values]
    return any(total % 10 == target(table) for total in totals)


def winner(colours: dict[int, int]) -> int | None:
    """The seat with the most pips of the colour; None for a tie or for no seat at all."""
    best = [seat for seat in colours if colours[seat] == max(colours.values())]
    return best[0] if len(best) == 1 else None


def settle(
    table: Sequence[Tile],
    arranged: Sequence[Sequence[Group]],
    stakes: Sequence[int] = (3, 7, 15),
    absolute_tie: str = "groups",
    casino_fee: int = 0,
) -> list[float]:
    """Chips of every seat for the arrangements (single, pair, triple)."""
    chips = [0.0] * len(arranged)

    def collect(seat: int, stake: int) -> None:
        for other in range(len(arranged)):
            if other != seat:
                chips[seat] += stake
                chips[other] -= stake

    absolute = {
        seat: colour_pips(table, [tile for group in groups for tile in group])
        for seat, groups in enumerate(arranged)
        if all(matches(table, group) for group in groups)
    }
    absolute_winner = winner(absolute)
    if absolute_winner is not None:
        collect(absolute_winner, sum(stakes))
        chips[absolute_winner] -= casino_fee
        return chips
    if absolute and absolute_tie == "push":
        return chips
    for place, stake in enumerate(stakes):
        group_winner = winner(
            {
                seat: colour_pips(table, groups[place])
                for seat, groups in enumerate(arranged)
                if matches(table, groups[place])
            }
        )
        if group_winner is not None:
            collect(group_winner, stake)
    return chips
