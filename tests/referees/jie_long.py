"""A naive referee of Jie Long, written from the rulebook page `jie-long.md` and from nothing else.

Kkoribuchigi and Dancing Dragons are Jie Long with other options, from the end of the rulebook's README.

How it reads the sentences that leave room:

- The leader must play; he cannot discard instead of leading, also with `forced_play=False`.
- With `open_ends=2` the lead opens both ends, so there is one lead per tile, named by its high number.
- The lock ("all other players then discarded one after another") holds whenever the turn is with the seat of
  the last played tile, the lead included: the first time round and, if he discarded then, every later time
  round until somebody plays.
- Under the lock, if tiles match and all of them are doubles, the deal ends before the seat moves, also when
  discards are free; if nothing matches, the seat discards and the deal goes on.
- "Everyone's remaining tiles count as discarded", so points are always the pips discarded or still held.
- `all_laid_doubles`: a seat has laid all its tiles if it has discarded none and holds none. The points of all
  others are then doubled when they are paid, once, also if two seats did so (whose own points are 0).
- `settlement`: "kkoribuchigi" pays one chip from each loser to each winner, "kkoribuchigi_difference" the difference of
  their points; `stake` multiplies both. A loser for "more than 30 points" is so only if the fewest are under 30.
- The rules of who leads next are those of Jie Long under every settlement.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from .tiles import Move, Tile, is_double, other_end, pips


@dataclass(eq=False)
class JieLong:
    """One deal; seats 0..n-1 act in that order, starting with `leader`."""

    hands: list[list[Tile]]
    leader: int
    _: KW_ONLY
    forced_play: bool = False
    double_lock: bool = False
    open_ends: int = 1
    stake: float = 1.0
    settlement: str = "difference"
    all_laid_doubles: bool = False

    def __post_init__(self) -> None:
        self.hands = [list(hand) for hand in self.hands]
        self.seats = len(self.hands)
        self.discards: list[list[Tile]] = [[] for _ in self.hands]
        self.layout: list[Tile] = []  # in the order of play
        self.open: list[int] = []  # the open end, or both; empty before the lead
        self.last_player: int | None = None  # the seat that played the last tile of the layout
        self.to_act = self.leader
        self.terminated = False

    def plays(self) -> list[Move]:
        """What the seat to act could play if there were no lock."""
        hand = sorted(set(self.hands[self.to_act]))
        if not self.layout and self.open_ends == 2:
            return [("play", tile, tile[0]) for tile in hand]
        if not self.layout:
            return [("play", tile, number) for tile in hand for number in sorted(set(tile))]
        return [
            ("play", tile, other_end(tile, number))
            for tile in hand
            for number in sorted(set(self.open))
            if number in tile
        ]

    def locked(self) -> bool:
        """Is the turn back with the player of the last tile, who now may not play a double?"""
        return self.double_lock and self.open_ends == 1 and self.to_act == self.last_player

    def moves(self) -> list[Move]:
        if self.terminated:
            return []
        plays = self.plays()
        if self.locked():
            plays = [move for move in plays if not is_double(move[1])]
        if not self.layout or (self.forced_play and plays):
            return plays
        return plays + [("discard", tile) for tile in sorted(set(self.hands[self.to_act]))]

    def play(self, move: Move) -> None:
        if move not in self.moves():
            raise ValueError(f"seat {self.to_act} may not {move}; legal: {self.moves()}")
        tile = move[1]
        self.hands[self.to_act].remove(tile)
        if move[0] == "discard":
            self.discards[self.to_act].append(tile)
        else:
            self.connect(tile, leaves=move[2])
            self.last_player = self.to_act

        self.to_act = (self.to_act + 1) % self.seats
        self.terminated = not any(self.hands) or self.only_doubles_under_the_lock()

    def only_doubles_under_the_lock(self) -> bool:
        plays = self.plays()
        return self.locked() and plays != [] and all(is_double(move[1]) for move in plays)

    def connect(self, tile: Tile, leaves: int) -> None:
        if not self.layout:
            self.open = list(tile) if self.open_ends == 2 else [leaves]
        else:
            self.open.remove(other_end(tile, leaves))
            self.open.append(leaves)
        self.layout.append(tile)

    def points(self) -> list[int]:
        return [sum(pips(tile) for tile in pile + hand) for pile, hand in zip(self.discards, self.hands, strict=True)]

    def payoffs(self) -> list[float]:
        piles = [pile + hand for pile, hand in zip(self.discards, self.hands, strict=True)]
        doubled = self.all_laid_doubles and any(pile == [] for pile in piles)
        points = [2 * count if doubled else count for count in self.points()]  # twice nothing is nothing
        return settle(points, self.stake, self.settlement)

    def next_leader(self) -> int:
        """The fewest points; on a tie the one who came earlier in the order of this deal."""
        points = self.points()
        order = [(self.leader + turn) % self.seats for turn in range(self.seats)]
        return min(order, key=lambda seat: points[seat])  # min keeps the first of equals


def winners_and_losers(points: Sequence[int]) -> tuple[list[int], list[int]]:
    """The seats that are paid and the seats that pay in Kkoribuchigi."""
    fewest, most = min(points), max(points)
    if fewest == most:
        return [], []
    winners = [seat for seat, count in enumerate(points) if count == fewest]
    losers = [seat for seat, count in enumerate(points) if count == most or (fewest < 30 and count > 30)]
    return winners, losers


def settle(points: Sequence[int], stake: float = 1.0, settlement: str = "difference") -> list[float]:
    """Each pair of players settles the difference of their points, or each loser pays each winner."""
    if settlement == "difference":
        return [stake * sum(theirs - mine for theirs in points) for mine in points]
    chips = [0.0] * len(points)
    winners, losers = winners_and_losers(points)
    for loser in losers:
        for winner in winners:
            paid = stake * (points[loser] - points[winner] if settlement == "kkoribuchigi_difference" else 1)
            chips[loser] -= paid
            chips[winner] += paid
    return chips
