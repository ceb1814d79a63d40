"""A player that follows the printed card of a game, written from its sentences and notes alone.

Each phrase of a rule has a function here that counts what the words say, with plain loops over tiles, which are pairs
of numbers. What a phrase means comes from the notes of the card, the glossary and the rulebook, and was written before
its author had seen the player `card` or the features of the games: nothing is shared with them. An unknown phrase is
a KeyError.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import combinations, combinations_with_replacement, product
from typing import Any, NamedTuple

Tile = tuple[int, int]  # the larger number first
KINDS: list[Tile] = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
NUMBERS = range(1, 7)
WU = [(2, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 2), (5, 3), (5, 4), (6, 2), (6, 3)]
WEN = [(6, 6), (1, 1), (4, 4), (3, 1), (5, 5), (3, 3), (2, 2), (6, 5), (6, 4), (6, 1), (5, 1)]  # from the highest


def pips(tile: Tile) -> int:
    """Return the pips of a tile."""
    return sum(tile)


def red(tile: Tile) -> int:
    """Return the red pips of a tile: all ones and fours, and half of [6:6]."""
    return 6 if tile == (6, 6) else sum(number for number in tile if number in (1, 4))


def tiles_of(number: Any) -> list[Tile]:
    """Return the tiles of a set of tiles, three bits a kind, as a list."""
    return [tile for kind, tile in enumerate(KINDS) for _ in range(int(number) >> 3 * kind & 7)]


def without(tiles: list[Tile], *gone: Tile) -> list[Tile]:
    """Return the tiles less some of them."""
    kept = list(tiles)
    for tile in gone:
        kept.remove(tile)
    return kept


def list_of(kinds: Any) -> list[Tile]:
    """Return the tiles that numbers of kinds stand for, none for other numbers."""
    return [KINDS[kind] for kind in kinds if 0 <= kind < len(KINDS)]


def copies(game: str, tile: Tile) -> int:
    """Return how many copies of a tile are in the deck of a game."""
    if game == "shi-wu-hu":
        return 4
    if game == "ding-niu" and tile in WU:
        return int(tile in ((6, 2), (6, 3)))
    return (2 if tile in WEN else 1) * (2 if game == "tiu-u" else 1)


class Situation:
    """What a seat sees of a position, and its moves.

    Args:
        game: The game.
        view: What the seat knows, without any count that the game has made for it.
        mask: bool [num_actions], what it may do.
    """

    def __init__(self, game: Any, view: Any, mask: Any) -> None:
        self.view, self.game = view, game.id
        self.hand = tiles_of(view.hand) if "hand" in view.dtype.names else list_of(view.tiles)
        self.moves = [Play(game.moves[action], action) for action in mask.nonzero()[0]]

    @cached_property
    def unseen(self) -> list[Tile]:
        """The tiles that are neither in hand nor face up nor discarded by the seat itself, sorted."""
        seen = Counter(self.hand)
        for name in {"discards", "played", "catches", "lake", "table", "melds"} & {*self.view.dtype.names}:
            if (name, self.game) != ("table", "pai-gow"):  # there it is a number of the rules
                for tiles in getattr(self.view, name).ravel():
                    seen.update(tiles_of(tiles))
        for name in {"drawn", "offer"} & {*self.view.dtype.names}:
            seen.update(list_of([getattr(self.view, name)]))
        return sorted((Counter({tile: copies(self.game, tile) for tile in KINDS}) - seen).elements())

    def kept(self, move: "Play") -> list[Tile]:
        """Return the tiles of the hand that are still there after the move: a tile of the stock was never in it."""
        return self.hand if getattr(self.view, "drawn", -1) >= 0 else without(self.hand, *move.tiles)


class Play:
    """A move: what is done, with which tiles, and the tiles it takes."""

    def __init__(self, move: Any, action: int) -> None:
        self.action, self.verb, self.leaves = int(action), move.verb, move.leaves
        self.tiles = [KINDS[kind] for kind in move.tiles]
        self.takes = [KINDS[kind] for kind in move.takes]

    @property
    def discards(self) -> bool:
        """True if the move is a discard."""
        return self.verb == "discard"

    @property
    def laid(self) -> list[Tile]:
        """The tile that is laid, in a list; none if it is another move."""
        return self.tiles if self.verb in ("play", "lay") else []

    @property
    def dropped(self) -> list[Tile]:
        """The tile that is discarded, in a list."""
        return self.tiles if self.discards else []


# Connecting games: Jie Long, Ce Deng, Ding Niu


def open_after(at: Situation, move: Play) -> set[int]:
    """Return the numbers that are open after the move."""
    ends = [int(end) for end in at.view.ends]
    if move.laid:
        (high, low), leaves = move.tiles[0], move.leaves
        joins = low if leaves == high else high
        if ends[0] == 0:  # the lead: in Ding Niu it opens both ends
            ends = [high, low] if at.game == "ding-niu" else [leaves]
        elif at.game != "ding-niu":
            ends = [leaves]
        else:
            ends[ends.index(joins)] = leaves
    return {end for end in ends if end}


def fitting(at: Situation, move: Play, tiles: list[Tile]) -> int:
    """Count tiles that carry a number that is open after the move."""
    open_numbers = open_after(at, move)
    return sum(not open_numbers.isdisjoint(tile) for tile in tiles)


def numbers_leaving(at: Situation, move: Play) -> int:
    """Count numbers that the hand has before the move and not after it."""
    return len({n for tile in at.hand for n in tile} - {n for tile in at.kept(move) for n in tile})


def lead_in_pips(at: Situation, move: Play) -> int:
    """Return how much lower the seat's pips are than seven for each tile of the other that has the fewest, or 0."""
    others = [int(at.view.sizes[seat] + at.view.drops[seat]) for seat in range(1, 4)]
    own = at.kept(move) + move.dropped + tiles_of(at.view.discards)
    return max(0, 7 * min(others) - sum(map(pips, own)))


def makes_suan_zhang(at: Situation, move: Play) -> bool:
    """True if the tile that is laid blocks the line: no running tile fits, or fours or fives that cannot be reached."""
    if not at.view.can_block or not move.laid or move.tiles[0][0] == move.tiles[0][1] or at.view.ends[0] == 0:
        return False
    deck = Counter(tile for tile in WEN if tile[0] != tile[1] for _ in range(2)) + Counter([(6, 2), (6, 3)])
    laid = Counter(tile for seat in range(4) for tile in tiles_of(at.view.played[seat])) + Counter(move.tiles)
    left = list((deck - laid).elements())
    reached = open_after(at, move)
    if all(reached.isdisjoint(tile) for tile in left):
        return True
    for _ in NUMBERS:
        for tile in left:
            if not reached.isdisjoint(tile):
                reached = reached | set(tile)
    return any(number not in reached and any(number in tile for tile in left) for number in (4, 5))


# Da Ling


def split_of(at: Situation, move: Play) -> list[tuple[Tile, ...]]:
    """Return the groups of a split, which its name gives as letters of the sorted tiles."""
    return [tuple(at.hand["abcdef".index(letter)] for letter in group) for group in move.verb.split()]


@lru_cache(None)
def sums_of(group: tuple[Tile, ...]) -> list[int]:
    """Return the pips of a group without the tens, in all ways to count [4:2] and [2:1] as 3 or 6."""
    values = [(3, 6) if tile in ((4, 2), (2, 1)) else (pips(tile),) for tile in group]
    return [sum(choice) % 10 for choice in product(*values)]


def matching(at: Situation, move: Play) -> list[tuple[Tile, ...]]:
    """Return the groups that match: their pips end like those of the table."""
    return [group for group in split_of(at, move) if at.view.target in sums_of(group)]


def coloured(at: Situation, move: Play, sizes: tuple[int, ...] = (1, 2, 3)) -> int:
    """Count pips of the colour in the groups of these sizes that match."""
    tiles = [tile for group in matching(at, move) if len(group) in sizes for tile in group]
    return sum(red(tile) if at.view.red else pips(tile) - red(tile) for tile in tiles)


def staked(at: Situation, move: Play) -> float:
    """Return the stakes on the groups that match."""
    return float(sum(at.view.stakes[len(group) - 1] for group in matching(at, move)))


# Deer Hunt


def trick_of(at: Situation) -> list[Tile]:
    """Return the tiles of the trick that lie before the move."""
    return [KINDS[kind] for kind in at.view.trick if kind >= 0] if at.view.lying else []


def red_lying(at: Situation) -> int:
    """Count red pips in the trick before the move."""
    return sum(map(red, trick_of(at)))


def trick_red(at: Situation, move: Play) -> int:
    """Count red pips in the trick with the tile that is played."""
    return sum(map(red, [*trick_of(at), *move.tiles]))


def takes_from(at: Situation, move: Play, seats: tuple[int, ...]) -> bool:
    """True if the tile is stronger than all in the trick and one of these seats holds it before."""
    trick = trick_of(at)
    return bool(trick) and move.tiles[0] > max(trick) and int(at.view.taking) in seats


def thrown(at: Situation, move: Play, seats: tuple[int, ...]) -> int:
    """Count the red pips on the tile that go to these seats for sure, if one of them still holds the trick."""
    trick = trick_of(at)
    if not trick or move.tiles[0] > max(trick) or int(at.view.taking) not in seats:
        return 0
    rivals = [place for place in (1, 2, 3) if at.view.trick[place] < 0 and (place == 2) != (2 in seats)]
    return red(move.tiles[0]) if not rivals or over_trick(at, move) == 0 else 0


def over_trick(at: Situation, move: Play) -> int:
    """Count unseen tiles that are stronger than the strongest tile in the trick."""
    return sum(tile > max([*trick_of(at), *move.tiles]) for tile in at.unseen)


# Pai Gow


@lru_cache(None)
def group_value(group: tuple[Tile, ...]) -> tuple[int, int]:
    """Return the place of a group of two tiles: its class or points, then the rank in it."""
    high, low = sorted(group, key=lambda tile: -single_rank(tile))
    if set(group) == {(4, 2), (2, 1)}:
        return 14, 0
    if high == low:
        return 13, single_rank(high)
    if {high, low} <= set(WU) and pips(high) == pips(low):
        return 12, single_rank(high)
    if high in ((6, 6), (1, 1)):
        if low in WU and pips(low) == 9:
            return 11, single_rank(high)
        if pips(low) == 8 and (low in WU or low == (4, 4)):
            return 10, single_rank(high)
    points = max(sums_of(group))
    return points, single_rank(high) if points else 0


def single_rank(tile: Tile) -> int:
    """Return the rank of a single tile in Pai Gow."""
    if tile in ((4, 2), (2, 1)):
        return 0
    return 15 - WEN.index(tile) if tile in WEN else {9: 4, 8: 3, 7: 2, 5: 1}[pips(tile)]


def pai_gow_group(at: Situation, move: Play, which: str) -> tuple[int, int]:
    """Return the value of the high or the low group."""
    values = sorted(map(group_value, split_of(at, move)))
    return values[which == "high"]


def group_points(at: Situation, move: Play, which: str) -> int:
    """Return the points of a group: 10 for a gong, 11 for a wong, 12 for any pair."""
    return min(12, pai_gow_group(at, move, which)[0])


# Fishing: Tiu-U and Shi Wu Hu

OWN_KIND = [(1, 1), (2, 1), (5, 5), (6, 4), (6, 5), (6, 6)]
FULL_GROUPS = {
    ((6, 6), (6, 3), (5, 4)): 30,
    ((4, 2), (2, 1)): 30,
    ((1, 1), (6, 2), (5, 3)): 20,
    ((4, 4), (5, 2), (4, 3)): 20,
    ((3, 1), (4, 1), (3, 2)): 20,
}


@lru_cache(None)
def match(game: str, one: Tile, other: Tile) -> bool:
    """True if two tiles catch each other."""
    if game == "shi-wu-hu":
        return one == other or (pips(one) == pips(other) and pips(one) != 10)
    return pips(one) == pips(other) or {one, other} == {(4, 2), (2, 1)}


def caught(move: Play) -> list[Tile]:
    """Return what a move catches, the bait included."""
    return [*move.tiles, *move.takes] if move.takes else []


def lake_after(at: Situation, move: Play) -> list[Tile]:
    """Return the lake after the move."""
    lake = tiles_of(at.view.lake)
    return without(lake, *move.takes) if move.takes else lake + move.laid


def worth(at: Situation, tile: Tile) -> int:
    """Return what a tile counts: in a full group, or as a big or small fish."""
    if at.game == "shi-wu-hu":
        if tile in ((5, 5), (6, 5), (6, 4)):
            return 30
        return next((points for group, points in FULL_GROUPS.items() if tile in group), 10)
    return 2 * pips(tile) if pips(tile) >= 8 else red(tile)


def catch_points(at: Situation, tiles: list[Tile]) -> int:
    """Return the points of a whole catch."""
    if at.game == "tiu-u":
        small = sum(red(tile) for tile in tiles if pips(tile) < 8)
        return -(-small // 10) * 10 + sum(2 * pips(tile) for tile in tiles if pips(tile) >= 8)
    have, total = Counter(tiles), 10 * len(tiles)
    for group, points in FULL_GROUPS.items():
        if all(have[tile] for tile in group):
            total += (points - 10) * sum(have[tile] for tile in group)
    jun = [tile for tile in ((5, 5), (6, 5), (6, 4)) if have[tile] == 4]
    total += 80 * len(jun) + 300 * (len(jun) == 3)
    total += 300 * all(have[tile] == 4 for tile in ((6, 6), (6, 3), (5, 4)))
    return total + 300 * all(have[tile] == 4 for tile in ((4, 2), (2, 1)))


def left_for(at: Situation, move: Play, catchers: list[Tile]) -> int:
    """Add up the tiles left in the lake that some of these tiles catch."""
    kinds = set(catchers)
    return sum(worth(at, fish) for fish in lake_after(at, move) if any(match(at.game, bait, fish) for bait in kinds))


def catching(at: Situation, move: Play, tiles: list[Tile]) -> int:
    """Count the tiles among these that catch the tile laid."""
    return sum(match(at.game, bait, tile) for tile in move.laid for bait in tiles)


def gained(at: Situation, seat: int, tiles: list[Tile]) -> int:
    """Return the points that the catch of a seat gains by some tiles."""
    before = tiles_of(at.view.catches[seat])
    return catch_points(at, before + tiles) - catch_points(at, before)


def reaches_thousand(at: Situation, move: Play) -> bool:
    """True if the catch reaches 1,000 points."""
    before = catch_points(at, tiles_of(at.view.catches[0]))
    return before < 1000 <= before + gained(at, 0, caught(move))


def lays_third(at: Situation, move: Play) -> bool:
    """True if the tile laid is the third of its kind in the lake."""
    return any(lake_after(at, move).count(tile) == 3 for tile in move.laid)


def to_fill(at: Situation, move: Play) -> int:
    """Count tiles caught of groups not full before, of which others have not caught all tiles of a kind that lacks."""
    own = Counter(tiles_of(at.view.catches[0]))
    others = Counter(tile for catch in at.view.catches[1:] for tile in tiles_of(catch))
    total = 0
    for group in [*FULL_GROUPS, *([(tile,) * 4 for tile in ((5, 5), (6, 5), (6, 4))])]:
        needed = Counter(group) - own
        most = 0 if len(set(group)) == 1 else 3
        if needed and all(others[tile] <= most for tile in needed):
            total += sum(tile in group for tile in caught(move))
    return total


# Small Mahjong


@lru_cache(None)
def triplet_points(tiles: tuple[Tile, ...]) -> int:
    """Return the points of three tiles, sorted, or 0 if they are no triplet."""
    numbers = sorted(number for tile in tiles for number in tile)
    best = 0
    for others in combinations(range(1, 6), 2):
        one = [numbers[index] for index in (0, *others)]
        other = [numbers[index] for index in range(1, 6) if index not in others]
        kinds = [
            (len(set(group)) == 1 and "set") or group == list(range(group[0], group[0] + 3)) for group in (one, other)
        ]
        if not all(kinds):
            continue
        sets = kinds.count("set")
        if sets != 1 or set(one).isdisjoint(other):
            best = max(best, 1 + sets)
    return best


@lru_cache(None)
def win_points(tiles: tuple[Tile, ...], laid_out: int) -> int:
    """Return the points of a win with these sorted tiles of the hand and the points laid out, or 0."""
    if len(tiles) < 6:
        points = triplet_points(tiles) if len(tiles) == 3 else 0
        return laid_out + points if points or not tiles else 0
    best = 0
    for others in combinations(range(1, 6), 2):
        one = triplet_points(tuple(tiles[index] for index in (0, *others)))
        other = triplet_points(tuple(tiles[index] for index in range(1, 6) if index not in others))
        if one and other:
            best = max(best, one + other)
    return best


def mahjong_after(at: Situation, move: Play) -> tuple[list[Tile], int]:
    """Return the hand after the move, without what is laid out, and the points that are laid out."""
    points = int(at.view.meld_points[0])
    if move.verb == "claim":
        offered = KINDS[at.view.offer]
        return without([*at.hand, offered], *move.tiles), points + triplet_points(tuple(sorted(move.tiles)))
    return (at.kept(move) if move.discards else at.hand), points


def claim_win(at: Situation, move: Play) -> int:
    """Return the points of the win that a claim completes."""
    if move.verb != "claim":
        return 0
    hand, points = mahjong_after(at, move)
    return win_points(tuple(sorted(hand)), points)


def waits(at: Situation, move: Play) -> list[list[int]]:
    """Return the points of the win by each unseen tile that completes the hand, for each discard after a claim."""
    if claim_win(at, move) or move.verb == "win":
        return [[]]
    hand, points = mahjong_after(at, move)
    hands = [without(hand, tile) for tile in set(hand)] if move.verb == "claim" else [hand]
    return [[won for tile in at.unseen if (won := win_points(tuple(sorted([*kept, tile])), points))] for kept in hands]


def claimed_points(at: Situation, move: Play) -> int:
    """Return the points of a triplet that is claimed, 0 if some claim of the tile wins."""
    if move.verb != "claim" or any(claim_win(at, other) for other in at.moves):
        return 0
    return triplet_points(tuple(sorted(move.tiles)))


def triplets_in(tiles: list[Tile]) -> list[tuple[Tile, ...]]:
    """Return the triplets that three of the tiles make."""
    return [three for three in combinations(sorted(tiles), 3) if triplet_points(three)]


def kept_pairs(at: Situation, move: Play) -> int:
    """Count any two tiles of the hand after the move that an unseen tile makes a triplet."""
    pairs, unseen = combinations(mahjong_after(at, move)[0], 2), set(at.unseen)
    return sum(any(triplet_points(tuple(sorted([*pair, tile]))) for tile in unseen) for pair in pairs)


def equal_pairs(at: Situation, move: Play) -> int:
    """Count pairs of equal tiles that are kept."""
    return sum(count >= 2 for count in Counter(mahjong_after(at, move)[0]).values())


def helps_others(at: Situation, move: Play) -> int:
    """Count unseen tiles that are a triplet with the discard and another tile of the hand."""
    if not move.discards:
        return 0
    kept = set(at.kept(move))
    return sum(any(triplet_points(tuple(sorted((move.tiles[0], own, tile)))) for own in kept) for tile in at.unseen)


# Tien Gow


class Combination(NamedTuple):
    """A combination: its class and its rank there, its tiles sorted."""

    kind: str
    rank: int
    tiles: tuple[Tile, ...]


def suit_rank(tile: Tile) -> int:
    """Return the rank of a tile in its suit: the higher, the stronger."""
    return 11 - WEN.index(tile) if tile in WEN else pips(tile)


@lru_cache(None)
def combination(tiles: tuple[Tile, ...]) -> Combination | None:
    """Return what sorted tiles are together, or None."""
    wen, wu = [t for t in tiles if t in WEN], [t for t in tiles if t in WU]
    if len(set(wen)) > 1 or len(wen) > 2 or len(wu) > 2 or (len(wu) == 2 and wu[0] == wu[1]):
        return None
    if set(tiles) == {(4, 2), (2, 1)}:
        return Combination("supreme", 0, tiles)
    if len({pips(tile) for tile in wu}) > 1:
        return None
    if wen and wu:
        family = {(6, 6): 9, (1, 1): 8, (4, 4): 7, (3, 1): 5}
        if family.get(wen[0]) != pips(wu[0]):
            return None
    return Combination(f"{len(wen)}{len(wu)}", suit_rank((wen or wu)[0]), tiles)


@lru_cache(200_000)
def all_combinations(tiles: tuple[Tile, ...]) -> frozenset[Combination]:
    """Return the combinations that sorted tiles can make; those of equal tiles are one."""
    have = Counter(tiles)
    return frozenset(entry for entry in EVERY if all(have[t] >= n for t, n in Counter(entry.tiles).items()))


EVERY = [
    entry
    for size in range(1, 5)
    for tiles in combinations_with_replacement(KINDS, size)
    if (entry := combination(tuple(sorted(tiles))))
]


def made(tiles: list[Tile]) -> frozenset[Combination]:
    """Return the combinations of some tiles."""
    return all_combinations(tuple(sorted(tiles)))


def beaten(at: Situation, entry: Combination) -> list[Combination]:
    """Return the combinations of unseen tiles that beat one; nothing beats the supreme pair."""
    return [other for other in made(at.unseen) if other.kind == entry.kind and other.rank > entry.rank]


def keeps_one(at: Situation, move: Play) -> Combination | None:
    """Return the one combination that all kept tiles are, or None."""
    return combination(tuple(sorted(at.kept(move)))) if at.kept(move) else None


def played(move: Play) -> Combination | None:
    """Return the combination that is played face up, or None."""
    return combination(tuple(sorted(move.tiles))) if move.verb == "play" else None


def sure(at: Situation, entry: Combination | None) -> bool:
    """True if no unseen tiles beat a combination."""
    return entry is not None and not beaten(at, entry)


def broken(at: Situation, move: Play) -> int:
    """Count combinations of two tiles or more that the hand makes before and not after, but for those played."""
    gone = made(at.hand) - made(at.kept(move)) - made([] if move.discards else move.tiles)
    return sum(len(entry.tiles) > 1 for entry in gone)


def strength(tile: Tile) -> int:
    """Return the strength of a tile that is discarded."""
    return 10 - WEN.index(tile) if tile in WEN else {9: 10, 8: 8, 7: 6, 6: 4, 5: 2, 3: 0}[pips(tile)]


def strength_dropped(at: Any, move: Play) -> int:
    """Add up the strength of the tile discarded and of the weakest ones that may still go with it."""
    if not move.discards:
        return 0
    more = int(at.view.to_discard or at.view.tiles) - 1
    next_ones = [tile for tile in at.kept(move) if tile >= move.tiles[0]]
    return strength(move.tiles[0]) + sum(sorted(map(strength, next_ones))[:more])


# What the words mean

Count = Callable[[Situation, Play], Any]
QUANTITIES: dict[str, Count] = {
    "pips on the tile laid": lambda at, move: sum(map(pips, move.laid)),
    "pips on the tile discarded": lambda at, move: sum(map(pips, move.dropped)),
    "unseen tiles that fit next": lambda at, move: fitting(at, move, at.unseen),
    "kept tiles that fit next": lambda at, move: fitting(at, move, at.kept(move)),
    "different numbers on kept tiles": lambda at, move: len({number for tile in at.kept(move) for number in tile}),
    "numbers that leave your hand": numbers_leaving,
    "pips that you lead by": lead_in_pips,
    "pips of the colour in groups that match": coloured,
    "pips of the colour in a matching single": lambda at, move: coloured(at, move, (1,)),
    "pips of the colour in a matching pair": lambda at, move: coloured(at, move, (2,)),
    "pips of the colour in a matching triple": lambda at, move: coloured(at, move, (3,)),
    "stakes on groups that match": staked,
    "red pips in the trick": trick_red,
    "red pips on the tile": lambda at, move: sum(map(red, move.tiles)),
    "unseen tiles that beat the trick": over_trick,
    "red pips thrown to the other side": lambda at, move: thrown(at, move, (1, 3)),
    "red pips thrown to your partner": lambda at, move: thrown(at, move, (2,)),
    "points in the high group": lambda at, move: group_points(at, move, "high"),
    "points in the low group": lambda at, move: group_points(at, move, "low"),
    "unseen tiles that catch the tile laid": lambda at, move: catching(at, move, at.unseen),
    "kept tiles that catch the tile laid": lambda at, move: catching(at, move, at.kept(move)),
    "points left in the lake": lambda at, move: sum(worth(at, tile) for tile in lake_after(at, move)),
    "points left in the lake that kept tiles catch": lambda at, move: left_for(at, move, at.kept(move)),
    "points left in the lake that unseen tiles catch": lambda at, move: left_for(at, move, at.unseen),
    "points your catch gains": lambda at, move: gained(at, 0, caught(move)),
    "red pips of small fish caught": lambda at, move: sum(red(tile) for tile in caught(move) if pips(tile) < 8),
    "points of big fish caught": lambda at, move: sum(worth(at, tile) for tile in caught(move) if pips(tile) >= 8),
    "points of the tile laid": lambda at, move: sum(worth(at, tile) for tile in move.laid),
    "points the tile laid counts in a full group": lambda at, move: sum(worth(at, tile) for tile in move.laid),
    "points the next player gains by the tile laid": lambda at, move: gained(at, 1, move.laid),
    "tiles caught of groups you can still fill": to_fill,
    "points of the win by a claim": claim_win,
    "points of a triplet claimed without winning": claimed_points,
    "points of the wins by unseen tiles": lambda at, move: max(map(sum, waits(at, move))),
    "unseen tiles that then complete the hand": lambda at, move: max(map(len, waits(at, move))),
    "kept pairs that an unseen tile makes a triplet": kept_pairs,
    "pairs of equal tiles kept": equal_pairs,
    "unseen tiles that make a triplet with the discard": helps_others,
    "tiles led": lambda at, move: len(move.tiles) if at.view.tiles == 0 else 0,
    "unseen combinations that beat what is played": lambda at, move: (
        len(beaten(at, played(move))) if played(move) else 0
    ),
    "combinations broken by discarding": lambda at, move: broken(at, move) if move.discards else 0,
    "combinations broken by playing": lambda at, move: 0 if move.discards else broken(at, move),
    "kept combinations that no unseen tiles beat": lambda at, move: sum(sure(at, x) for x in made(at.kept(move))),
    "strength played": lambda at, move: 0 if move.discards else sum(map(strength, move.tiles)),
    "strength discarded": strength_dropped,
}
DEEDS: dict[str, Count] = {
    "discard": lambda at, move: move.discards,
    "lay a double": lambda at, move: any(high == low for high, low in move.laid),
    "declare eight doubles": lambda at, move: move.verb == "declare eight doubles",
    "demand a redeal": lambda at, move: move.verb == "demand a redeal",
    "make a suan zhang": makes_suan_zhang,
    **{
        f"lay a tile and leave {number} open": lambda at, move, number=number: (
            bool(move.laid) and number in open_after(at, move)
        )
        for number in NUMBERS
    },
    "match with all three groups": lambda at, move: len(matching(at, move)) == 3,
    "take the trick from the other side": lambda at, move: takes_from(at, move, (1, 3)),
    "take the trick from your partner": lambda at, move: takes_from(at, move, (2,)),
    "play an unbeatable tile": lambda at, move: (
        move.tiles[0] > max([(0, 0), *trick_of(at)]) and move.tiles[0] >= max([(0, 0), *at.unseen])
    ),
    "play one of two equal tiles": lambda at, move: at.hand.count(move.tiles[0]) == 2,
    "make the high group a pair": lambda at, move: group_points(at, move, "high") == 12,
    "make the low group a pair": lambda at, move: group_points(at, move, "low") == 12,
    "make the high group a wong or a gong": lambda at, move: group_points(at, move, "high") in (10, 11),
    "make the high group a nine with [6:6] or [1:1]": lambda at, move: (
        pai_gow_group(at, move, "high") in ((9, 15), (9, 14))
    ),
    "catch something": lambda at, move: bool(caught(move)),
    "catch three with the fourth": lambda at, move: len(move.takes) == 3,
    "lay the third of a kind": lays_third,
    "lay the third of a kind and keep the fourth": lambda at, move: (
        lays_third(at, move) and move.tiles[0] in at.kept(move)
    ),
    "reach 1,000 points": reaches_thousand,
    "declare a win": lambda at, move: move.verb == "win",
    "claim with no triplet in hand": lambda at, move: move.verb == "claim" and not triplets_in(at.hand),
    "claim the tile": lambda at, move: move.verb == "claim",
    "break a triplet": lambda at, move: move.discards and any(move.tiles[0] in three for three in triplets_in(at.hand)),
    "keep just one combination": lambda at, move: bool(keeps_one(at, move)),
    "keep one combination that no unseen tiles beat": lambda at, move: sure(at, keeps_one(at, move)),
    "play what no unseen tiles beat": lambda at, move: sure(at, played(move)),
    "play what nobody can still beat": lambda at, move: (
        bool(played(move)) and (at.view.turns == 3 or sure(at, played(move)))
    ),
    "beat what is on the table": lambda at, move: at.view.tiles > 0 and not move.discards,
    "play for your first trick": lambda at, move: not move.discards and at.view.taken[0] == 0,
    "lead the supreme pair": lambda at, move: {*move.tiles} == {(4, 2), (2, 1)},
    "discard what no unseen tile beats": lambda at, move: move.discards and sure(at, combination(tuple(move.tiles))),
}
ORDERS: dict[str, Count] = {  # the higher, the better
    "the strongest tile": lambda at, move: move.tiles[0],
    "the weakest tile": lambda at, move: (-move.tiles[0][0], -move.tiles[0][1]),
    "the highest high group": lambda at, move: pai_gow_group(at, move, "high"),
    "the lowest high group": lambda at, move: tuple(-place for place in pai_gow_group(at, move, "high")),
    "the highest low group": lambda at, move: pai_gow_group(at, move, "low"),
    "the lowest low group": lambda at, move: tuple(-place for place in pai_gow_group(at, move, "low")),
}
FACTS: dict[str, Callable[[Situation], bool]] = {
    "you lead": lambda at: not trick_of(at),
    "you do not lead": lambda at: bool(trick_of(at)),
    "you play last": lambda at: len(trick_of(at)) == 3,
    "you do not play last": lambda at: len(trick_of(at)) < 3,
    "your partner holds the trick": lambda at: bool(trick_of(at)) and at.view.taking == 2,
    "your partner does not hold the trick": lambda at: not trick_of(at) or at.view.taking != 2,
}

# How the sentences are made

Keep = Callable[[Any, list[Play]], list[Play]]


def advice(words: str) -> Keep:
    """Return what a sentence without its "if" keeps of the moves that are left."""
    words = words[0].lower() + words[1:]
    if found := re.fullmatch(
        r"choose moves with the (most|fewest|least) (.+?)(?:, or up to (\d+) (?:more|fewer))?", words
    ):
        count, slack, sign = QUANTITIES[found[2]], int(found[3] or 0), 1 if found[1] == "most" else -1
        return lambda at, moves: best_of(moves, [sign * count(at, move) for move in moves], slack)
    if found := re.fullmatch(r"choose (the .+)", words):
        choice = ORDERS[found[1]]
        return lambda at, moves: best_of(moves, [choice(at, move) for move in moves], None)
    if found := re.fullmatch(r"unless you must, do not (.+)|do not (.+) unless you must", words):
        deed = DEEDS[found[1] or found[2]]
        return lambda at, moves: [move for move in moves if not deed(at, move)] or moves
    found = re.fullmatch(r"if you can, (.+)|(.+) if you can", words)
    assert found, words
    deed = DEEDS[found[1] or found[2]]
    return lambda at, moves: [move for move in moves if deed(at, move)] or moves


def best_of(moves: list[Play], counts: list[Any], slack: int | None) -> list[Play]:
    """Keep the moves with the highest count, or those at most `slack` below it."""
    limit = max(counts) - slack if slack else max(counts)
    return [move for move, count in zip(moves, counts, strict=True) if count >= limit]


def condition(words: str) -> Callable[[Any, list[Play]], bool]:
    """Return the test that an "if" makes of the moves that are left."""
    if read := re.fullmatch(r"at (least|most) (\d+) red pips lie on the table", words):
        few, bound = read[1] == "most", int(read[2])
        return lambda at, moves: (red_lying(at) <= bound) if few else (red_lying(at) >= bound)
    if words in FACTS:
        return lambda at, moves: FACTS[words](at)
    if found := re.fullmatch(r"you hold at (least|most) (\d+) tiles?", words):
        sign = 1 if found[1] == "least" else -1
        return lambda at, moves: sign * len(at.hand) >= sign * int(found[2])
    if found := re.fullmatch(r"(a move has|all moves have) (\d+) or (more|fewer) (.+)", words):
        count, limit, sign = QUANTITIES[found[4]], int(found[2]), 1 if found[3] == "more" else -1
        some = any if found[1] == "a move has" else all
        return lambda at, moves: some(sign * count(at, move) >= sign * limit for move in moves)
    if found := re.fullmatch(r"(a move has no|no move has any) (.+)", words):
        count, some = QUANTITIES[found[2]], any if found[1] == "a move has no" else all
        return lambda at, moves: some(count(at, move) == 0 for move in moves)
    found = re.fullmatch(r"you (can|cannot|need not|must) (.+)", words)
    assert found, words
    deed = DEEDS[found[2]]
    return {
        "can": lambda at, moves: any(deed(at, move) for move in moves),
        "cannot": lambda at, moves: not any(deed(at, move) for move in moves),
        "must": lambda at, moves: all(deed(at, move) for move in moves),
        "need not": lambda at, moves: not all(deed(at, move) for move in moves),
    }[found[1]]


def rule_of(sentence: str) -> Keep:
    """Return what a rule keeps of the moves that are left."""
    if sentence.startswith("If ") and not sentence.startswith("If you can, "):
        words, then = sentence.removeprefix("If ").split(", ", 1)
        test, keep = condition(words), advice(then)
        return lambda at, moves: keep(at, moves) if test(at, moves) else moves
    return advice(sentence)


def sentences(page: str) -> list[str]:
    """Return the rules of a card as printed, in their order."""
    rules: list[str] = []
    for line in page.splitlines():
        if found := re.fullmatch(r"\s+(\d)\s+(\S.*?)\s+\+\d+\.\d+ ±\d+\.\d+\s*", line):
            assert int(found[1]) == len(rules) + 1
            rules.append(found[2])
        elif rules and (found := re.fullmatch(r"\s{6}(\S.*?)\s*", line)):
            rules[-1] += " " + found[1]
    return rules


class Reader:
    """Follows rules in their order.

    Args:
        game: The game.
        rules: The sentences, as printed.
    """

    def __init__(self, game: Any, rules: list[str]) -> None:
        self.game, self.rules = game, [rule_of(sentence) for sentence in rules]

    def removed_by(self, view: Any, mask: Any) -> dict[int, int]:
        """Return for each legal action the rule that removes it, from 0, or how many rules there are."""
        at = Situation(self.game, view, mask)
        moves, removed = at.moves, {move.action: len(self.rules) for move in at.moves}
        for number, rule in enumerate(self.rules):
            left = rule(at, moves)
            removed |= {move.action: number for move in moves if move not in left}
            moves = left
        return removed
