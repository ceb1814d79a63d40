"""A naive referee of Ce Deng, written from the rulebook page `ce-deng.md` and from nothing else.

How it reads the sentences that leave room:

- "Eight doubles" is a hand of eight tiles, all of them doubles.
- The asking stops at the first declaration or redeal; after the last "play on" the leader leads. A redeal
  ends this referee's deal with `redealt = True` and nothing paid: the caller deals again.
- A block is noticed as soon as the turn is back with the player of the last tile, before he moves: all others
  drank since, and if he cannot match either the deal is over. The player of the lead is one of them.
- Head/tail and pass count for a pair whichever of the two has fewer points.
- The "earlier seat" that wins a tie is the earlier one in the order of play, from the leader.
- `stake` is what a pip costs wherever pips are paid: between two seats, and for eight doubles that are declared.
- Points of a deal that was declared or redealt are the pips in hand; nothing is settled from them.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from .tiles import Move, Tile, is_double, other_end, pips


@dataclass(eq=False)
class CeDeng:
    """One deal; seats 0..n-1 act in that order, starting with `leader`."""

    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    declare_eight_doubles: bool = True
    redeal_doubles: int = 7
    strict_head_tail: bool = False
    stake: float = 1.0
    hand: int = 8  # tiles: so many doubles may be declared, so many played are a pass

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.seats = len(self.hands)
        self.order = [(self.leader + turn) % self.seats for turn in range(self.seats)]
        self.played: list[list[Tile]] = [[] for _ in self.hands]
        self.discards: list[list[Tile]] = [[] for _ in self.hands]
        self.open_end: int | None = None  # None before the lead
        self.last_player: int | None = None  # the seat that played the last tile of the layout
        self.declarer: int | None = None
        self.redealt = False
        self.blocked = False
        self.terminated = False
        self.to_ask = [seat for seat in self.order if self.may_declare(seat) or self.may_redeal(seat)]
        self.to_act = self.to_ask[0] if self.to_ask else self.leader

    def may_declare(self, seat: int) -> bool:
        return self.declare_eight_doubles and self.doubles(seat) == self.hand

    def may_redeal(self, seat: int) -> bool:
        return self.redeal_doubles > 0 and self.doubles(seat) >= self.redeal_doubles

    def doubles(self, seat: int) -> int:
        return sum(is_double(tile) for tile in self.hands[seat])

    def plays(self) -> list[Move]:
        hand = sorted(set(self.hands[self.to_act]))
        if self.open_end is None:
            return [("play", tile, number) for tile in hand for number in sorted(set(tile))]
        return [("play", tile, other_end(tile, self.open_end)) for tile in hand if self.open_end in tile]

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        if self.to_ask:
            declare: list[Move] = [("declare",)] if self.may_declare(self.to_act) else []
            redeal: list[Move] = [("redeal",)] if self.may_redeal(self.to_act) else []
            return [*declare, *redeal, ("play on",)]
        return self.plays() or [("discard", tile) for tile in sorted(set(self.hands[self.to_act]))]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        if self.to_ask:
            self.answer(move)
            return
        tile = move[1]
        self.hands[self.to_act].remove(tile)
        if move[0] == "discard":
            self.discards[self.to_act].append(tile)
        else:
            self.played[self.to_act].append(tile)
            self.open_end = move[2]
            self.last_player = self.to_act

        self.to_act = (self.to_act + 1) % self.seats
        if not any(self.hands):
            self.terminated = True
        elif self.to_act == self.last_player and not self.plays():
            self.blocked = True
            self.terminated = True

    def answer(self, move: Move) -> None:
        """Declare, redeal or play on, before the lead."""
        if move == ("declare",):
            self.declarer = self.to_act
            self.terminated = True
        elif move == ("redeal",):
            self.redealt = True
            self.terminated = True
        else:
            self.to_ask.pop(0)
            self.to_act = self.to_ask[0] if self.to_ask else self.leader

    def points(self) -> list[int]:
        return [sum(pips(tile) for tile in pile + hand) for pile, hand in zip(self.discards, self.hands, strict=True)]

    def passes(self) -> list[bool]:
        """Who played all eight tiles and discarded none?"""
        return [len(played) == self.hand for played in self.played]

    def heads_and_tails(self) -> list[bool]:
        """Who is head seven or tail eight, or head six or tail seven if those count as well?"""
        spare = 1 if self.strict_head_tail else 0
        return [len(played) <= (1 if seat == self.leader else 0) + spare for seat, played in enumerate(self.played)]

    def payoffs(self) -> list[float]:
        if self.redealt:
            return [0.0] * self.seats
        if self.declarer is not None:
            pips = [0.0 if seat == self.declarer else 2.0 * self.points()[seat] for seat in range(self.seats)]
            paid = [sum(pips) if seat == self.declarer else -pips[seat] for seat in range(self.seats)]
        else:
            paid = settle(self.points(), self.passes(), self.heads_and_tails())
        return [self.stake * pips for pips in paid]

    def next_leader(self) -> int:
        if self.redealt:
            return self.leader
        if self.declarer is not None:
            return self.declarer
        points = self.points()
        return min(self.order, key=lambda seat: points[seat])  # min keeps the first of equals


def settle(points: Sequence[int], passes: Sequence[bool], heads_and_tails: Sequence[bool]) -> list[float]:
    """Pairwise differences, doubled where exactly one of the two is a head or tail, a pass, or both."""
    chips = [0.0] * len(points)
    for one in range(len(points)):
        for other in range(len(points)):
            difference = float(points[other] - points[one])
            if heads_and_tails[one] != heads_and_tails[other]:
                difference *= 2
            if passes[one] != passes[other]:
                difference *= 2
            chips[one] += difference
    return chips
