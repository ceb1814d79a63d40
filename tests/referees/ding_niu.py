"""A naive referee of Ding Niu, written from the rulebook page `ding-niu.md` and from nothing else.

How it reads the sentences that leave room:

- The leader must play; there is one lead per tile, named by its high number (both its ends are open).
- A suan zhang is judged after every played non-double tile but the lead, also if it is the last of the deal.
- "Left" is everything of the deck that is not on the layout, discards and all hands alike. An open number
  reaches itself: fours that are left are not smothered while a four is open. A block that is both classic and
  smothered (of another number) is classic.
- After a classic suan zhang with "play_on" the ordinary rules go on: with `forced_play` a fitting double must
  be laid, without it a discard is free.
- When every seat has discarded in succession, play goes on ("play on or stop, the count is the same").
- `exempt_forced_maker`: a "playable move" is a tile that can be laid. The free discard of `forced_play=False` is
  none, so it is no way out. A double is one: it never makes a suan zhang.
- Both house rules settle the deal "as if there had been none" whatever place the maker took, also first.
- `suan_zhang=False`: a layout is never judged, so that nothing is laid without a turn and nobody is a maker.
- `settlement="points"`: what follows a suan zhang is as `after_suan_zhang` says; nobody is charged, so the two house
  rules change nothing, and pips are chips.
- Ties below first place go to the later seat in the order of play, from the leader.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, InitVar, dataclass

from .tiles import CIVIL, Move, Tile, is_double, other_end, pips

DECK: tuple[Tile, ...] = (*CIVIL, *CIVIL, (6, 2), (6, 3))  # 24 tiles


@dataclass(eq=False)
class DingNiu:
    """One deal, for four seats or for two with a tiny deck; they act in order, starting with `leader`."""

    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    forced_play: bool = True
    after_suan_zhang: str = "doubles"
    smothered_numbers: Sequence[int] = (4, 5)
    exempt_forced_maker: bool = False
    spare_pointless_maker: bool = False
    suan_zhang: InitVar[bool] = True
    settlement: str = "chips"
    deck: Sequence[Tile] = DECK

    def __post_init__(self, suan_zhang: bool) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.blocks = suan_zhang
        self.seats = len(self.hands)
        self.order = [(self.leader + turn) % self.seats for turn in range(self.seats)]
        self.discards: list[list[Tile]] = [[] for _ in self.hands]
        self.layout: list[Tile] = []  # in the order of play
        self.open: list[int] = []  # the numbers of the two ends; empty before the lead
        self.suan_zhang: str | None = None  # "classic" or "smothered", the first of the deal
        self.maker: int | None = None
        self.maker_was_forced = False
        self.to_act = self.leader
        self.terminated = False

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        hand = sorted(set(self.hands[self.to_act]))
        if not self.layout:
            return [("play", tile, tile[0]) for tile in hand]
        plays: list[Move] = [
            ("play", tile, other_end(tile, number))
            for tile in hand
            for number in sorted(set(self.open))
            if number in tile
        ]
        if self.forced_play and plays:
            return plays
        return plays + [("discard", tile) for tile in hand]

    def play(self, move: Move) -> None:
        legal = self.moves()
        if move not in legal:
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {legal}")
        if self.suan_zhang is None:
            self.suan_zhang = self.made_by(move)
            if self.suan_zhang is not None:
                self.maker = self.to_act
                plays = [other for other in legal if other[0] == "play"]
                self.maker_was_forced = all(self.made_by(other) is not None for other in plays)

        tile = move[1]
        self.hands[self.to_act].remove(tile)
        if move[0] == "discard":
            self.discards[self.to_act].append(tile)
        else:
            self.open = self.ends_after(move)
            self.layout.append(tile)

        if self.suan_zhang is not None and self.after_suan_zhang == "doubles":
            self.lay_the_doubles()
        plays_on = self.after_suan_zhang == "play_on" and self.suan_zhang == "classic"
        blocked = self.suan_zhang is not None and not plays_on
        self.terminated = blocked or not any(self.hands)
        self.to_act = (self.to_act + 1) % self.seats

    def ends_after(self, move: Move) -> list[int]:
        """The two open numbers once this tile is played."""
        _, tile, leaves = move
        if not self.layout:
            return list(tile)
        ends = list(self.open)
        ends.remove(other_end(tile, leaves))
        return [*ends, leaves]

    def made_by(self, move: Move) -> str | None:
        """The suan zhang that this move of the seat to act makes, if any."""
        if not self.blocks or move[0] == "discard" or is_double(move[1]) or not self.layout:
            return None
        return suan_zhang([*self.layout, move[1]], self.ends_after(move), self.smothered_numbers, self.deck)

    def lay_the_doubles(self) -> None:
        """Every double in hand that carries an open number is laid by its holder."""
        for hand in self.hands:
            for tile in list(hand):
                if is_double(tile) and tile[0] in self.open:
                    hand.remove(tile)
                    self.layout.append(tile)

    def points(self) -> list[int]:
        return [sum(pips(tile) for tile in pile + hand) for pile, hand in zip(self.discards, self.hands, strict=True)]

    def payoffs(self) -> list[float]:
        points = self.points()
        if self.settlement == "points":
            return [float(sum(theirs - mine for theirs in points)) for mine in points]
        maker = self.maker
        if self.exempt_forced_maker and self.maker_was_forced:
            maker = None
        if self.spare_pointless_maker and maker is not None and points[maker] == 0:
            maker = None
        return settle(points, self.order, maker)

    def next_leader(self) -> int:
        return ranking(self.points(), self.order)[0]


def suan_zhang(
    layout: Iterable[Tile], ends: Iterable[int], smothered_numbers: Sequence[int] = (4, 5), deck: Sequence[Tile] = DECK
) -> str | None:
    """Is a layout with these two open ends blocked: "classic", "smothered" or not (None)?"""
    left = [tile for tile in (Counter(deck) - Counter(layout)).elements() if not is_double(tile)]
    if not any(number in tile for tile in left for number in ends):
        return "classic"
    reached = set(ends)
    for _ in range(6):  # no chain to a new number is longer than the six numbers
        for tile in left:
            if reached & set(tile):
                reached |= set(tile)
    for number in smothered_numbers:
        if any(number in tile for tile in left) and number not in reached:
            return "smothered"
    return None


def ranking(points: Sequence[int], order: Sequence[int]) -> list[int]:
    """The seats from first to fourth place; `order` is the order of play, the leader first."""
    first = min(order, key=lambda seat: points[seat])  # the lower hand wins a tie
    others = [seat for seat in reversed(order) if seat != first]
    return [first, *sorted(others, key=lambda seat: points[seat])]  # ties go to the upper hand


def settle(points: Sequence[int], order: Sequence[int], maker: int | None) -> list[float]:
    """Chips of every seat; `maker` is the seat charged with a suan zhang, None without one."""
    places = ranking(points, order)
    chips = [0.0] * len(points)
    pot = 1.0 if len(points) == 2 else 6.0  # what the others pay to the first: 1, 2 and 3
    if maker is None or maker == places[0]:
        for place, seat in enumerate(places):
            paid = pot if place == 0 else -float(place)
            chips[seat] = paid if maker is None else 2 * paid
    else:
        chips[places[0]] = 2 * pot
        chips[maker] = -2 * pot
    return chips
