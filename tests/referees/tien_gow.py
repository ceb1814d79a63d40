"""A naive referee of Tien Gow, written from the rulebook page `tien-gow.md` and from nothing else.

`leader` is the seat of the banker, who leads the first trick, and `streak` for how many deals in a row he has
been banker. A move is ("play", tiles), the highest tile first, or ("discard", tile). How the referee reads the
sentences that leave room:

- A discard of n tiles is n moves, the tiles in non-decreasing order of kind ([1:1], [2:1], [2:2], [3:1], ...).
  A tile may be put down if enough tiles are left from it on to finish the discard.
- `combinations`: "pairs" are all classes of at most two tiles, with mixed pairs and the supreme pair; "pure" has no
  mixed pairs; "single" has single tiles alone, so neither supreme pair exists in it.
- `early_death` asks for the tricks a seat has before the last trick, and binds no seat that leads.
- The bonuses at once (`supreme_bonus`, `four_bonus`) are never paid for the last trick, whatever the options of
  the last trick are.
- `last_four` is a factor of four; factors of one last trick are all multiplied, `slam` with them.
- `civil_supreme` asks for no bonus by itself: it says what else counts for `supreme_bonus`, `last_supreme`,
  `last_lowest` and `capture` where these are on. A trick led with [5:1][5:1] can be won by [6:1][6:1] alone, so
  no other civil pair beats that one there; the capturing pair collects `supreme_bonus`, and doubles nothing in the
  last trick. In a trick led with another civil pair, [5:1][5:1] is not a pair and [6:1][6:1] is an ordinary one.
- `capture` looks at the tile that won, so other tiles may have beaten [2:1] before [4:2] did. The payments are
  those of the seats that owe the winner, with the banker's multiplier of each; the seat that led makes them all.
- With `banker="none"` there is a banker who leads, but no multiplier, whatever the streak is.
- `par` is 4, half of the hand; a tiny deck has another one. No trick costs one more than `par`, and a slam is
  all tricks of the deal.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache
from itertools import combinations as choices

from .tiles import CIVIL, MILITARY, Move, Tile, pips

CIVIL_RANK: list[Tile] = [  # from the lowest to the highest
    (5, 1),
    (6, 1),
    (6, 4),
    (6, 5),
    (2, 2),
    (3, 3),
    (5, 5),
    (3, 1),
    (4, 4),
    (1, 1),
    (6, 6),
]
FAMILIES: list[tuple[Tile, int]] = [((3, 1), 5), ((4, 4), 7), ((1, 1), 8), ((6, 6), 9)]  # the lowest first
SUPREME: list[Tile] = [(4, 2), (2, 1)]

CLASSES: dict[str, list[str]] = {
    "modern": ["c1", "m1", "c2", "m2", "sup", "civil sup", "x11", "x21", "x12", "x22"],
    "pairs": ["c1", "m1", "c2", "m2", "sup", "civil sup", "x11"],
    "pure": ["c1", "m1", "c2", "m2", "sup", "civil sup"],
    "single": ["c1", "m1"],
}
Combination = tuple[Tile, ...]


@dataclass(eq=False)
class TienGow:
    """One deal; seats 0..n-1 act in that order, starting with `leader`, the banker."""

    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    combinations: str = "modern"
    early_death: bool = True
    banker: str = "double"
    banker_over: str = "single"
    supreme_bonus: int = 0
    four_bonus: int = 0
    last_supreme: bool = False
    last_four: bool = False
    last_lowest: bool = False
    capture: bool = False
    slam: bool = False
    civil_supreme: bool = False
    streak: int = 1
    par: int = 4

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.seats = len(self.hands)
        self.tricks = [0] * self.seats
        self.bonuses = [0] * self.seats  # chips won and paid at once
        self.lead: Combination = ()  # of the trick on the table
        self.best: Combination = ()  # the highest so far
        self.trick_leader = self.leader
        self.winner = self.leader  # whose combination is the highest, or who won the last trick
        self.discarding: list[Tile] = []  # what the seat to act has put down so far
        self.acted = 0  # seats that are done with this trick
        self.to_act = self.leader
        self.terminated = False

    # What is legal

    def class_of(self, tiles: Combination) -> str | None:
        name = class_of(tiles, self.civil_supreme)
        return name if name in CLASSES[self.combinations] else None

    def sets(self, size: int) -> list[Combination]:
        """All different choices of so many tiles of the hand of the seat to act."""
        hand = sorted(self.hands[self.to_act], reverse=True)
        return sorted(set(choices(hand, size)))

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        if not self.lead:
            leads = [tiles for size in (1, 2, 3, 4) for tiles in self.sets(size) if self.class_of(tiles)]
            return [("play", tiles) for tiles in leads]
        beats: list[Move] = []
        if not self.discarding and not self.dies_early():
            beats = [("play", tiles) for tiles in self.sets(len(self.lead)) if self.beats(tiles)]
        return beats + [("discard", tile) for tile in self.tiles_to_discard()]

    def beats(self, tiles: Combination) -> bool:
        """Is this set of the class that was led, and strictly higher than the highest so far?"""
        led = class_of(self.lead, self.civil_supreme)
        order = order_in(led, tiles, self.civil_supreme)
        so_far = order_in(led, self.best, self.civil_supreme)
        return order is not None and so_far is not None and order > so_far

    def dies_early(self) -> bool:
        last_tile = len(self.lead) == 1 and len(self.hands[self.to_act]) == 1
        return self.early_death and last_tile and self.tricks[self.to_act] == 0

    def tiles_to_discard(self) -> list[Tile]:
        hand = self.hands[self.to_act]
        still_needed = len(self.lead) - len(self.discarding)
        from_on = self.discarding[-1] if self.discarding else (1, 1)
        return [
            tile
            for tile in sorted(set(hand))
            if tile >= from_on and sum(other >= tile for other in hand) >= still_needed
        ]

    # What happens

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        hand = self.hands[self.to_act]
        if move[0] == "discard":
            hand.remove(move[1])
            self.discarding.append(move[1])
            if len(self.discarding) < len(self.lead):
                return
        else:
            for tile in move[1]:
                hand.remove(tile)
            if not self.lead:
                self.lead = move[1]
            self.best = move[1]
            self.winner = self.to_act

        self.discarding = []
        self.acted += 1
        self.to_act = (self.to_act + 1) % self.seats
        if self.acted == self.seats:
            self.end_the_trick()

    def end_the_trick(self) -> None:
        self.tricks[self.winner] += len(self.lead)
        if not any(self.hands):
            self.terminated = True  # `lead` and `best` stay for the settlement
            return
        if class_of(self.lead, self.civil_supreme) in ("sup", "civil sup"):
            self.collect(self.supreme_bonus)
        if class_of(self.best, self.civil_supreme) == "x22":
            self.collect(self.four_bonus)
        self.trick_leader = self.winner
        self.to_act = self.winner
        self.lead = ()
        self.best = ()
        self.acted = 0

    def collect(self, base: int) -> None:
        """All others pay the winner of the trick at once."""
        for seat in range(self.seats):
            if seat != self.winner:
                chips = base * (self.multiplier() if self.leader in (seat, self.winner) else 1)
                self.bonuses[seat] -= chips
                self.bonuses[self.winner] += chips

    # The settlement

    def multiplier(self) -> int:
        return {"none": 1, "double": 2, "growing": 1 + self.streak}[self.banker]

    def lowest_led(self) -> bool:
        """Was the last trick led with the single tile that is the lowest?"""
        return self.lead == ((2, 1),) or (self.civil_supreme and self.lead == ((5, 1),))

    def factor(self) -> int:
        """What the last trick multiplies the winner's takings by; `capture` is not in it."""
        unbeaten = self.winner == self.trick_leader
        led = class_of(self.lead, self.civil_supreme)
        factor = 1
        if self.last_supreme and unbeaten and led in ("sup", "civil sup"):
            factor *= 2
        if self.last_four and class_of(self.best, self.civil_supreme) == "x22":
            factor *= 4
        if self.last_lowest and unbeaten and self.lowest_led():
            factor *= 2
        if self.slam and self.tricks[self.winner] == sum(self.tricks):
            factor *= 2 if len(self.lead) == 1 else 4
        return factor

    def captured_seat(self) -> int | None:
        """The seat that pays for all, because the tile it led was captured."""
        captures = [((2, 1), (4, 2))]
        if self.civil_supreme:
            captures.append(((5, 1), (6, 1)))
        if self.capture and any((self.lead, self.best) == ((low,), (high,)) for low, high in captures):
            return self.trick_leader
        return None

    def payoffs(self) -> list[float]:
        settled = settle(
            self.tricks,
            self.winner,
            self.leader,
            self.multiplier(),
            banker_over=self.banker_over,
            factor=self.factor(),
            captured_seat=self.captured_seat(),
            par=self.par,
        )
        return [float(chips + bonus) for chips, bonus in zip(settled, self.bonuses, strict=True)]

    def next_leader(self) -> int:
        return self.winner


@cache
def class_of(tiles: Combination, civil_supreme: bool = False) -> str | None:
    """The class of a combination, None for tiles that are none."""
    civil = [tile for tile in tiles if tile in CIVIL]
    military = [tile for tile in tiles if tile in MILITARY]
    if len(civil) > 2 or len(military) > 2:
        return None
    if not civil and sorted(military) == sorted(SUPREME):
        return "sup"
    if len(set(civil)) > 1 or len(set(map(pips, military))) > 1:
        return None
    if civil and military:
        if (civil[0], pips(military[0])) not in FAMILIES:
            return None
        return f"x{len(civil)}{len(military)}"
    if civil_supreme and civil == [(5, 1), (5, 1)]:
        return "civil sup"
    return f"c{len(civil)}" if civil else f"m{len(military)}" if military else None


@cache
def order_in(led: str | None, tiles: Combination, civil_supreme: bool = False) -> int | None:
    """The order of these tiles in a trick whose lead is of this class; None for tiles that have no place in it."""
    if led == "civil sup":
        return {((5, 1), (5, 1)): 0, ((6, 1), (6, 1)): 1}.get(tiles)
    if class_of(tiles, civil_supreme) != led:
        return None
    if led == "sup":
        return 0
    if led in ("m1", "m2"):
        return pips(tiles[0])
    civil = next(tile for tile in tiles if tile in CIVIL)
    if led in ("c1", "c2"):
        return CIVIL_RANK.index(civil)
    return [family for family, _ in FAMILIES].index(civil)


def settle(
    tricks: Sequence[int],
    winner: int,
    banker: int,
    multiplier: int,
    *,
    banker_over: str = "single",
    factor: int = 1,
    captured_seat: int | None = None,
    par: int = 4,
) -> list[int]:
    """Chips of every seat, without the bonuses that are paid at once."""
    chips = [0] * len(tricks)

    def pay(seat: int, amount: int) -> None:
        chips[seat] -= amount
        chips[winner] += amount

    for seat, taken in enumerate(tricks):
        if seat == winner:
            continue
        owed = par + 1 if taken == 0 else par - taken
        doubled = banker in (seat, winner)
        if seat == banker and owed < 0 and banker_over == "single":
            doubled = False
        amount = owed * (multiplier if doubled else 1)
        if owed > 0 and captured_seat is not None:
            pay(captured_seat, 4 * amount)
        elif owed > 0:
            pay(seat, amount * factor)
        else:
            pay(seat, amount)
    return chips
