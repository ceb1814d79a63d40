"""A second player of cards: it reads the printed sentences, looks at the drawn table, and knows nothing of features.

What each phrase means is written here from the rulebook and the glossary alone, in tiles as pairs of numbers. A table
is what a person sees: the scene that is drawn for a seat, and its moves by name.
"""

import functools
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import NamedTuple

from gupai_env.core.move import Move
from gupai_env.core.tiles import PIPS
from gupai_env.words.scene import Pile, Scene

Tile = tuple[int, int]
CIVIL = [(6, 6), (1, 1), (4, 4), (3, 1), (5, 5), (3, 3), (2, 2), (6, 5), (6, 4), (6, 1), (5, 1)]  # the highest first
MILITARY = [[(6, 3), (5, 4)], [(6, 2), (5, 3)], [(5, 2), (4, 3)], [(4, 2)], [(4, 1), (3, 2)], [(2, 1)]]
FAMILIES = list(zip(CIVIL, [MILITARY[0], MILITARY[1], MILITARY[2], MILITARY[4]], strict=False))
SET = Counter(2 * CIVIL + [tile for tiles in MILITARY for tile in tiles])
FOURS = Counter(dict.fromkeys(SET, 4))
BULLS = Counter(2 * CIVIL + [(6, 2), (6, 3)])


class Table(NamedTuple):
    """What a player sees: the table as it is drawn for it, and its moves."""

    scene: Scene
    moves: tuple[Move, ...]

    def pile(self, label: str, place: int = 0) -> Counter[Tile]:
        """Return the tiles of a seat's pile, by its label."""
        return Counter(
            face(tile) for pile in self.scene.places[place].piles if pile.label == label for tile in pile.tiles
        )

    def middle(self, label: str) -> Counter[Tile]:
        """Return the tiles of a pile in the middle."""
        return Counter(face(tile) for pile in self.scene.centre if pile.label == label for tile in pile.tiles)

    @property
    def hand(self) -> Counter[Tile]:
        """The player's tiles."""
        return self.pile("hand")

    def unseen(self, deck: Counter[Tile]) -> Counter[Tile]:
        """Return the tiles of a deck that lie neither in the hand nor face up anywhere, nor in the own discards."""
        piles = [*self.scene.centre, *(pile for place in self.scene.places for pile in place.piles)]
        return deck - Counter(face(tile) for pile in piles for tile in pile.tiles)


def face(tile: Sequence[int]) -> Tile:
    """Return a tile with its larger half first."""
    return max(tile), min(tile)


def tiles_of(kinds: Sequence[int]) -> list[Tile]:
    """Return the tiles of a move."""
    return [face(PIPS[kind].tolist()) for kind in kinds]


def pips(tile: Tile) -> int:
    return sum(tile)


def pip_counts(tile: Tile) -> tuple[int, ...]:
    """Return what a tile may count where [4:2] and [2:1] count 3 or 6."""
    return (3, 6) if tile in ((4, 2), (2, 1)) else (pips(tile),)


def red(tile: Tile) -> int:
    return 6 if tile == (6, 6) else sum(pip for pip in tile if pip in (1, 4))


# --- the grammar ----------------------------------------------------------------------------------

SENTENCE = re.compile(
    r"(?:If (?P<condition>.+), )?"
    r"(?:[Cc]hoose (?P<choose>.+)|do not (?P<unless>.+) unless you must|(?P<can>.+) if you can)"
    r"|If you can, (?P<plainly>.+)|Unless you must, do not (?P<never>.+)"
)
NUMBER = re.compile(r"moves with the (most|fewest) (.+?)(?:, or up to (\d+) (?:fewer|more))?")
CONDITIONS = [
    (re.compile(pattern), test)
    for pattern, test in [
        (r"a move has no (?P<what>.+)", lambda values, bound: min(values) == 0),
        (r"no move has any (?P<what>.+)", lambda values, bound: max(values) == 0),
        (r"a move has (?P<bound>\d+) or more (?P<what>.+)", lambda values, bound: max(values) >= bound),
        (r"a move has (?P<bound>\d+) or fewer (?P<what>.+)", lambda values, bound: min(values) <= bound),
        (r"all moves have (?P<bound>\d+) or more (?P<what>.+)", lambda values, bound: min(values) >= bound),
        (r"all moves have (?P<bound>\d+) or fewer (?P<what>.+)", lambda values, bound: max(values) <= bound),
        (r"you can (?P<what>.+)", lambda values, bound: any(values)),
        (r"you cannot (?P<what>.+)", lambda values, bound: not any(values)),
        (r"you must (?P<what>.+)", lambda values, bound: all(values)),
        (r"you need not (?P<what>.+)", lambda values, bound: not all(values)),
    ]
]
Meaning = Callable[[Table, Move], float]


def moves_left(game: str, sentences: Sequence[str], table: Table) -> list[Move]:
    """Return the moves that a card's sentences leave."""
    left = list(table.moves)
    for sentence in sentences:
        left = narrowed(game, sentence, table, left)
    return left


def narrowed(game: str, sentence: str, table: Table, left: list[Move]) -> list[Move]:
    """Return those of the moves left that a sentence keeps."""
    meanings, read = MEANINGS[game], SENTENCE.fullmatch(sentence)
    assert read, sentence
    if len(left) == 1 or (read["condition"] and not holds(game, read["condition"], table, left)):
        return left
    if read["choose"] is None:
        wanted = read["can"] or read["plainly"]
        phrase = wanted or read["unless"] or read["never"]
        good = [move for move in left if bool(meanings[phrase](table, move)) == bool(wanted)]
        return good or left
    if read["choose"] in meanings:
        sign, phrase, near = 1, read["choose"], 0
    else:
        number = NUMBER.fullmatch(read["choose"])
        assert number, sentence
        sign, phrase, near = (1 if number[1] == "most" else -1), number[2], int(number[3] or 0)
    values = [sign * meanings[phrase](table, move) for move in left]
    return [move for move, value in zip(left, values, strict=True) if value >= max(values) - near - 1e-9]


def holds(game: str, condition: str, table: Table, left: list[Move]) -> bool:
    """Return whether a condition holds of the moves left."""
    if condition in POSITIONS[game]:
        return POSITIONS[game][condition](table)
    if read := re.fullmatch(r"you hold at (least|most) (\d+) tiles", condition):
        held = table.hand.total()
        return held >= int(read[2]) if read[1] == "least" else held <= int(read[2])
    for pattern, test in CONDITIONS:
        if (read := pattern.fullmatch(condition)) and read["what"] in MEANINGS[game]:
            values = [MEANINGS[game][read["what"]](table, move) for move in left]
            return test(values, int(read.groupdict().get("bound") or 0))
    raise AssertionError(condition)


# --- the connecting games -------------------------------------------------------------------------


def open_numbers(table: Table) -> set[int]:
    """Return the numbers open now."""
    line = next(pile for pile in table.scene.centre if pile.form == "line")
    return {line.open_left, line.open_right} - {0}


def kept(table: Table, move: Move) -> Counter[Tile]:
    """Return the hand without the tiles of the move."""
    return table.hand - Counter(tiles_of(move.tiles))


def numbers_on(tiles: Counter[Tile]) -> set[int]:
    return {number for tile in tiles for number in tile}


def open_after(table: Table, move: Move, ends: int) -> set[int]:
    """Return the numbers open after a move, on a line with so many open ends."""
    if move.discards:
        return open_numbers(table)
    if ends == 1:
        return {move.leaves}
    (tile,) = tiles_of(move.tiles)
    if not any(pile.tiles for pile in table.scene.centre):
        return set(tile)
    line = next(pile for pile in table.scene.centre if pile.form == "line")
    joins = tile[0] + tile[1] - move.leaves
    other = line.open_right if line.open_left == joins else line.open_left
    return {move.leaves, other}


def fitting(tiles: Counter[Tile], numbers: set[int]) -> int:
    """Return how many tiles carry one of the numbers; with none open every tile fits."""
    return sum(copies for tile, copies in tiles.items() if not numbers or numbers & set(tile))


def laid(move: Move) -> list[Tile]:
    """Return the tile that a move lays, if it lays one."""
    return tiles_of(move.tiles) if move.verb == "play" else []


def connecting(deck: Counter[Tile], ends: int) -> dict[str, Meaning]:
    """Return what the phrases of the connecting games mean."""
    return {
        "discard": lambda table, move: move.discards,
        "lay a double": lambda table, move: any(one == other for one, other in laid(move)),
        "pips on the tile laid": lambda table, move: sum(map(pips, laid(move))),
        "pips on the tile discarded": lambda table, move: sum(map(pips, tiles_of(move.tiles))) if move.discards else 0,
        "different numbers on kept tiles": lambda table, move: len(numbers_on(kept(table, move))) if move.tiles else 0,
        "numbers that leave your hand": lambda table, move: (
            len(numbers_on(table.hand) - numbers_on(kept(table, move))) if move.tiles else 0
        ),
        "kept tiles that fit next": lambda table, move: (
            fitting(kept(table, move), open_after(table, move, ends)) if move.tiles else 0
        ),
        "unseen tiles that fit next": lambda table, move: (
            fitting(table.unseen(deck), open_after(table, move, ends)) if move.tiles else 0
        ),
        "declare eight doubles": lambda table, move: move.verb == "declare eight doubles",
        "demand a redeal": lambda table, move: move.verb == "demand a redeal",
    }


def makes_suan_zhang(table: Table, move: Move) -> bool:
    """Return whether the tile makes a suan zhang: nothing but doubles fits, or the fours or fives are never reached."""
    line = next(pile for pile in table.scene.centre if pile.form == "line")
    if not line.tiles or any(one == other for one, other in laid(move)) or not laid(move):
        return False
    off = BULLS - Counter(map(face, line.tiles)) - Counter(laid(move))
    running = [tile for tile in off if tile[0] != tile[1]]
    reached = open_after(table, move, 2)
    if not any(reached & set(tile) for tile in running):
        return True
    for _ in running:
        reached = reached.union(*(tile for tile in running if reached & set(tile)))
    return any(number in tile and number not in reached for number in (4, 5) for tile in running)


def lead_in_pips(table: Table, move: Move) -> int:
    """Return by how much you count less than seven pips for each tile of the other seat with the fewest; at least 0."""
    mine = table.hand if move.discards else kept(table, move)
    pips_counted = sum(pips(tile) * copies for tile, copies in (mine + table.pile("discards")).items())
    fewest = min(sum(pile.hidden for pile in place.piles) for place in table.scene.places[1:])
    return max(7 * fewest - pips_counted, 0)


# --- Da Ling --------------------------------------------------------------------------------------


def colour_pips(table: Table, group: Sequence[Tile]) -> int | None:
    """Return the pips of the colour in a group that matches the target; None if it does not match."""
    target = next(int(note.split()[1]) for note in table.scene.notes if note.startswith("target"))
    is_red = any(note.startswith("colour red") for note in table.scene.notes)
    if all(sum(counts) % 10 != target for counts in product(*map(pip_counts, group))):
        return None
    return sum(red(tile) if is_red else pips(tile) - red(tile) for tile in group)


def matching_groups(table: Table, move: Move) -> list[int | None]:
    """Return the pips of the colour in the single, the pair and the triple, None where they do not match."""
    return [colour_pips(table, tiles_of(group)) for group in sorted(move.groups, key=len)]


def stakes(table: Table) -> list[float]:
    note = next(note for note in table.scene.notes if note.startswith("stakes"))
    return [float(stake) for stake in note.removeprefix("stakes ").split(", ")]


def stakes_matched(table: Table, move: Move) -> float:
    pairs = zip(stakes(table), matching_groups(table, move), strict=True)
    return sum(stake for stake, group in pairs if group is not None)


def in_group(size: int) -> Meaning:
    """Return the meaning of the pips of the colour in the group of a size."""
    return lambda table, move: matching_groups(table, move)[size - 1] or 0


DA_LING: dict[str, Meaning] = {
    "stakes on groups that match": stakes_matched,
    "pips of the colour in groups that match": lambda table, move: sum(
        group or 0 for group in matching_groups(table, move)
    ),
    "match with all three groups": lambda table, move: None not in matching_groups(table, move),
    "pips of the colour in a matching single": in_group(1),
    "pips of the colour in a matching pair": in_group(2),
    "pips of the colour in a matching triple": in_group(3),
}


# --- Deer Hunt ------------------------------------------------------------------------------------


def lying(table: Table) -> list[tuple[int, Tile]]:
    """Return the tiles of the trick that you play to, in the order they were played, with their places from you."""
    trick = [(place, face(pile.tiles[0])) for place, pile in enumerate(table.scene.centre[:4]) if pile.tiles]
    return [] if len(trick) == 4 else trick


def holder(trick: Sequence[tuple[int, Tile]]) -> tuple[int, Tile]:
    """Return the place and the tile that takes a trick: the strongest tile, of two equal ones the earlier."""
    return max(reversed(list(enumerate(trick))), key=lambda entry: (entry[1][1], -entry[0]))[1]


def with_tile(table: Table, move: Move) -> list[tuple[int, Tile]]:
    """Return the trick with your tile."""
    return [*lying(table), (0, tiles_of(move.tiles)[0])]


def takes_from(place: int, table: Table, move: Move) -> bool:
    """Return whether the tile takes the trick from a seat that holds it, counted modulo two from you."""
    before = lying(table)
    return bool(before) and holder(with_tile(table, move))[0] == 0 and holder(before)[0] % 2 == place


def beating_trick(table: Table, move: Move) -> int:
    """Return how many unseen tiles are stronger than the tile that then takes the trick."""
    best = holder(with_tile(table, move))[1]
    unseen = table.unseen(SET)
    if len(lying(table)) == 0:  # the trick before may lie there still, and among those taken, too
        unseen = SET - table.hand - sum((table.pile("taken", place) for place in range(4)), Counter[Tile]())
    return sum(copies for tile, copies in unseen.items() if tile > best)


DEER_HUNT: dict[str, Meaning] = {
    "red pips on the tile": lambda table, move: red(tiles_of(move.tiles)[0]),
    "the strongest tile": lambda table, move: sorted(SET).index(tiles_of(move.tiles)[0]),
    "the weakest tile": lambda table, move: -sorted(SET).index(tiles_of(move.tiles)[0]),
    "take the trick from the other side": functools.partial(takes_from, 1),
    "take the trick from your partner": functools.partial(takes_from, 0),
    "hold the trick with a tile that no unseen tile beats": lambda table, move: (
        holder(with_tile(table, move))[0] == 0 and beating_trick(table, move) == 0
    ),
    "play one of two equal tiles": lambda table, move: table.hand[tiles_of(move.tiles)[0]] == 2,
    "red pips in the trick": lambda table, move: sum(red(tile) for _, tile in with_tile(table, move)),
    "unseen tiles that beat the trick": beating_trick,
}
DEER_HUNT_POSITIONS: dict[str, Callable[[Table], bool]] = {
    "you lead": lambda table: not lying(table),
    "you play last": lambda table: len(lying(table)) == 3,
    "your partner holds the trick": lambda table: bool(lying(table)) and holder(lying(table))[0] == 2,
}
DEER_HUNT_POSITIONS |= {
    "you do not lead": lambda table: not DEER_HUNT_POSITIONS["you lead"](table),
    "you do not play last": lambda table: not DEER_HUNT_POSITIONS["you play last"](table),
    "your partner does not hold the trick": lambda table: (
        not DEER_HUNT_POSITIONS["your partner holds the trick"](table)
    ),
}


# --- the fishing games ----------------------------------------------------------------------------


def catch_made(move: Move) -> list[Tile]:
    """Return the tiles that a move puts into the catch."""
    return [*tiles_of(move.tiles), *tiles_of(move.takes)] if move.takes else []


def bait_laid(move: Move) -> list[Tile]:
    """Return the tile that a move lays into the lake, if it lays one."""
    return tiles_of(move.tiles) if move.verb == "lay" else []


def fishing(
    deck: Counter[Tile], match: Callable[[Tile, Tile], bool], worth: Callable[[Tile], int]
) -> dict[str, Meaning]:
    """Return what the phrases of the fishing games mean; worth: the points of a tile in the lake."""

    def hand_left(table: Table, move: Move) -> Counter[Tile]:
        return table.hand if table.middle("from the stock") else kept(table, move)

    def that_catch(tiles: Counter[Tile], move: Move) -> int:
        return sum(copies for bait in bait_laid(move) for tile, copies in tiles.items() if match(tile, bait))

    def left(table: Table, move: Move, baits: Counter[Tile] | None) -> int:
        lake = table.middle("lake") - Counter(tiles_of(move.takes)) + Counter(bait_laid(move))
        return sum(
            worth(fish) * copies
            for fish, copies in lake.items()
            if baits is None or any(match(tile, fish) for tile in baits)
        )

    def third(table: Table, move: Move) -> bool:
        return any(table.middle("lake")[tile] == 2 for tile in bait_laid(move))

    return {
        "catch something": lambda table, move: bool(move.takes),
        "unseen tiles that catch the tile laid": lambda table, move: that_catch(table.unseen(deck), move),
        "kept tiles that catch the tile laid": lambda table, move: that_catch(hand_left(table, move), move),
        "points left in the lake": lambda table, move: left(table, move, None),
        "points left in the lake that unseen tiles catch": lambda table, move: left(table, move, table.unseen(deck)),
        "points left in the lake that kept tiles catch": lambda table, move: left(table, move, hand_left(table, move)),
        "catch three with the fourth": lambda table, move: len(move.takes) == 3,
        "lay the third of a kind": third,
        "lay the third of a kind and keep the fourth": lambda table, move: (
            third(table, move) and hand_left(table, move)[bait_laid(move)[0]] > 0
        ),
    }


def matches_in_tiu_u(one: Tile, other: Tile) -> bool:
    return pips(one) == pips(other) or {one, other} == {(4, 2), (2, 1)}


def tens(points: int) -> int:
    return -(-points // 10) * 10


def big_points(tiles: Sequence[Tile]) -> int:
    return sum(2 * pips(tile) for tile in tiles if pips(tile) >= 8)


def small_red(tiles: Sequence[Tile]) -> int:
    return sum(red(tile) for tile in tiles if pips(tile) < 8)


def tiu_u_gain(table: Table, move: Move) -> int:
    """Return the points by which the catch grows."""
    caught, before = catch_made(move), small_red(list(table.pile("catch").elements()))
    return big_points(caught) + tens(before + small_red(caught)) - tens(before)


TIU_U = fishing(SET + SET, matches_in_tiu_u, lambda tile: big_points([tile]) + small_red([tile])) | {
    "points your catch gains": tiu_u_gain,
    "red pips of small fish caught": lambda table, move: small_red(catch_made(move)),
    "points of big fish caught": lambda table, move: big_points(catch_made(move)),
    "points of the tile laid": lambda table, move: big_points(bait_laid(move)) + small_red(bait_laid(move)),
}

TRIOS = [(civil, *military) for civil, military in FAMILIES]  # Heaven-nine first
SUPREME = ((4, 2), (2, 1))
SINGLE_FOURS = ((5, 5), (6, 5), (6, 4))


def matches_in_shi_wu_hu(one: Tile, other: Tile) -> bool:
    return one == other or (pips(one) == pips(other) and not {one, other} & {(5, 5), (6, 4)})


def full_worth(tile: Tile) -> int:
    """Return what a tile counts in a full group; 10 if it belongs to none."""
    if tile in TRIOS[0] or tile in SUPREME or tile in SINGLE_FOURS:
        return 30
    return 20 if any(tile in trio for trio in TRIOS) else 10


def shi_wu_hu_points(catch: Counter[Tile]) -> int:
    """Return what a catch counts."""
    groups = [group for group in (*TRIOS, SUPREME) if all(catch[tile] for tile in group)]
    groups += [(tile,) for tile in SINGLE_FOURS if catch[tile] == 4]
    full = {tile for group in groups for tile in group}
    points = sum(copies * (full_worth(tile) if tile in full else 10) for tile, copies in catch.items())
    points += 300 * all(catch[tile] == 4 for tile in TRIOS[0])
    points += 300 * all(catch[tile] == 4 for tile in SINGLE_FOURS)
    return points + 300 * all(catch[tile] == 4 for tile in SUPREME)


def gain(table: Table, place: int, tiles: Sequence[Tile]) -> int:
    """Return the points by which a seat's catch grows by some tiles."""
    catch = table.pile("catch", place)
    return shi_wu_hu_points(catch + Counter(tiles)) - shi_wu_hu_points(catch)


def fillable(table: Table, move: Move) -> int:
    """Return how many of the tiles caught belong to groups that are not full in your catch but can become so."""
    catch = table.pile("catch")
    others = Counter[Tile]()
    for place in range(1, len(table.scene.places)):
        others += table.pile("catch", place)
    free = FOURS - others
    groups = [group for group in (*TRIOS, SUPREME) if all(free[tile] for tile in group)]
    groups = [group for group in groups if not all(catch[tile] for tile in group)]
    groups += [(tile,) for tile in SINGLE_FOURS if free[tile] == 4 and catch[tile] < 4]
    hopeful = {tile for group in groups for tile in group}
    return sum(tile in hopeful for tile in catch_made(move))


SHI_WU_HU = fishing(FOURS, matches_in_shi_wu_hu, full_worth) | {
    "points your catch gains": lambda table, move: gain(table, 0, catch_made(move)),
    "tiles caught of groups you can still fill": fillable,
    "reach 1,000 points": lambda table, move: (
        shi_wu_hu_points(table.pile("catch"))
        < 1000
        <= shi_wu_hu_points(table.pile("catch") + Counter(catch_made(move)))
    ),
    "points the tile laid counts in a full group": lambda table, move: sum(map(full_worth, bait_laid(move))),
    "points the next player gains by the tile laid": lambda table, move: gain(table, 1, bait_laid(move)),
}


# --- Small Mahjong --------------------------------------------------------------------------------

SETS = [(number,) * 3 for number in range(1, 7)]
STRAIGHTS = [(number, number + 1, number + 2) for number in range(1, 5)]


@functools.cache
def triplet_points(tiles: tuple[Tile, ...]) -> int:
    """Return the points of three tiles: 3 for two sets, 2 for a set and a straight without it, 1 for two straights."""
    numbers, points = sorted(number for tile in tiles for number in tile), 0
    for one, other in product(SETS + STRAIGHTS, repeat=2):
        if sorted(one + other) == numbers:
            sets = (one in SETS) + (other in SETS)
            if sets != 1 or not set(one) & set(other):
                points = max(points, (1, 2, 3)[sets])
    return points


def is_triplet(*tiles: Tile) -> bool:
    return triplet_points(tuple(sorted(tiles))) > 0


@functools.cache
def completes(hand: tuple[Tile, ...]) -> bool:
    """Return whether three tiles are a triplet, or six are two."""
    if len(hand) == 3:
        return is_triplet(*hand)
    rest = range(1, 6)
    return any(
        is_triplet(hand[0], *(hand[place] for place in two))
        and is_triplet(*(hand[place] for place in rest if place not in two))
        for two in combinations(rest, 2)
    )


def hand_after(table: Table, move: Move) -> list[Tile]:
    """Return the hand, without what is laid out, after a move."""
    hand = Counter(table.hand)
    if move.verb == "discard":
        hand -= Counter(tiles_of(move.tiles))
    elif move.verb == "claim":
        hand = hand + table.middle("discarded") - Counter(tiles_of(move.tiles))
    return sorted(hand.elements())


def win_points(hand: Sequence[Tile], laid_out: int) -> int:
    """Return the most points of a hand that is complete with triplets laid out for so many points; 0 if it is not."""
    if not hand:
        return laid_out
    best = 0
    for two in combinations(range(1, len(hand)), 2):
        first = triplet_points(tuple(sorted((hand[0], *(hand[place] for place in two)))))
        rest = [hand[place] for place in range(1, len(hand)) if place not in two]
        if first and (total := win_points(rest, laid_out + first)):
            best = max(best, total)
    return best


def points_laid_out(table: Table, move: Move) -> int:
    """Return the points of the triplets laid out after a move."""
    labels = {"straights": 1, "set+straight": 2, "double set": 3}
    laid = sum(labels.get(pile.label, 0) for pile in table.scene.places[0].piles)
    return laid + (triplet_points(tuple(sorted(tiles_of(move.tiles)))) if move.verb == "claim" else 0)


def won_by_claim(table: Table, move: Move) -> int:
    """Return the points of the win that a claim makes."""
    return win_points(hand_after(table, move), points_laid_out(table, move)) if move.verb == "claim" else 0


def waiting(table: Table, move: Move, *, points: bool) -> int:
    """Return how many unseen tiles complete the hand after a move, or the points of those wins."""
    if move.verb == "win" or won_by_claim(table, move):
        return 0
    hand, laid_out = hand_after(table, move), points_laid_out(table, move)
    hands = (
        [hand] if not claims(table, move) else [sorted((Counter(hand) - Counter([tile])).elements()) for tile in hand]
    )
    best = 0
    for rest in hands:
        wins = {tile: win_points([*rest, tile], laid_out) for tile in table.unseen(SET)}
        best = max(best, sum(table.unseen(SET)[tile] * (won if points else 1) for tile, won in wins.items() if won))
    return best


def partners(table: Table, move: Move) -> int:
    """Return how many unseen tiles make a triplet with the discard and another tile of the hand."""
    if move.verb != "discard":
        return 0
    (tile,) = tiles_of(move.tiles)
    others = set(hand_after(table, move))
    return sum(
        copies for new, copies in table.unseen(SET).items() if any(is_triplet(tile, other, new) for other in others)
    )


def breaks_triplet(table: Table, move: Move) -> bool:
    """Return whether the discard is part of a triplet in hand."""
    if move.verb != "discard":
        return False
    (tile,) = tiles_of(move.tiles)
    return any(is_triplet(tile, *two) for two in combinations(hand_after(table, move), 2))


def claims(table: Table, move: Move) -> bool:
    return move.verb.startswith("claim")


def claims_first(table: Table, move: Move) -> bool:
    return claims(table, move) and not any(
        is_triplet(*three) for three in combinations(sorted(table.hand.elements()), 3)
    )


def claimed_points(table: Table, move: Move) -> int:
    hand = (table.hand + table.middle("discarded")).elements()
    if move.verb != "claim" or completes(tuple(sorted(hand))):
        return 0
    return triplet_points(tuple(sorted(tiles_of(move.tiles))))


def open_pairs(table: Table, move: Move) -> int:
    """Return how many pairs of tiles kept an unseen tile makes a triplet."""
    unseen = set(table.unseen(SET))
    return sum(any(is_triplet(*two, tile) for tile in unseen) for two in combinations(hand_after(table, move), 2))


SMALL_MAHJONG: dict[str, Meaning] = {
    "declare a win": lambda table, move: move.verb == "win",
    "unseen tiles that then complete the hand": functools.partial(waiting, points=False),
    "points of the wins by unseen tiles": functools.partial(waiting, points=True),
    "unseen tiles that make a triplet with the discard": partners,
    "break a triplet": breaks_triplet,
    "claim the tile": claims,
    "points of the win by a claim": won_by_claim,
    "claim with no triplet in hand": claims_first,
    "points of a triplet claimed without winning": claimed_points,
    "kept pairs that an unseen tile makes a triplet": open_pairs,
    "pairs of equal tiles kept": lambda table, move: sum(
        copies == 2 for copies in Counter(hand_after(table, move)).values()
    ),
}


# --- Pai Gow --------------------------------------------------------------------------------------


def single_rank(tile: Tile) -> int:
    """Return the rank of a tile by itself; [4:2] and [2:1] have none."""
    if tile in CIVIL:
        return 20 - CIVIL.index(tile)
    nines_to_fives = [MILITARY[0], MILITARY[1], MILITARY[2], MILITARY[4]]
    return next((9 - place for place, tiles in enumerate(nines_to_fives) if tile in tiles), 0)


def pai_gow_group(tiles: Sequence[Tile]) -> tuple[int, int]:
    """Return what a group of two is worth: its points, 10 for a gong, 11 for a wong, more for pairs; and its rank."""
    one, other = sorted(tiles, key=single_rank, reverse=True)
    rank = single_rank(one)
    if {one, other} == {(4, 2), (2, 1)}:
        return 14, 0
    if one == other:
        return 13, rank
    if rank == single_rank(other):
        return 12, rank
    if one in ((6, 6), (1, 1)) and other in MILITARY[0]:
        return 11, rank
    if one in ((6, 6), (1, 1)) and (other in MILITARY[1] or other == (4, 4)):
        return 10, rank
    points = max(sum(counts) % 10 for counts in product(*map(pip_counts, tiles)))
    return points, rank if points else 0


def groups_of(move: Move) -> list[tuple[int, int]]:
    """Return the worth of the high and of the low group."""
    return sorted((pai_gow_group(tiles_of(group)) for group in move.groups), reverse=True)


def high_tiles(move: Move) -> Sequence[Tile]:
    return max((tiles_of(group) for group in move.groups), key=pai_gow_group)


def worth(group: int, sign: int) -> Meaning:
    """Return the meaning of the highest, or the lowest, high or low group."""
    return lambda table, move: sign * (100 * groups_of(move)[group][0] + groups_of(move)[group][1])


PAI_GOW: dict[str, Meaning] = {
    "the highest high group": worth(0, 1),
    "the lowest high group": worth(0, -1),
    "the highest low group": worth(1, 1),
    "the lowest low group": worth(1, -1),
    "points in the high group": lambda table, move: min(groups_of(move)[0][0], 12),
    "points in the low group": lambda table, move: min(groups_of(move)[1][0], 12),
    "make the high group a pair": lambda table, move: groups_of(move)[0][0] >= 12,
    "make the high group a wong or a gong": lambda table, move: groups_of(move)[0][0] in (10, 11),
    "make the high group a nine with [6:6] or [1:1]": lambda table, move: (
        groups_of(move)[0][0] == 9 and bool({(6, 6), (1, 1)} & set(high_tiles(move)))
    ),
    "make the low group a pair": lambda table, move: groups_of(move)[1][0] >= 12,
}


# --- Tien Gow -------------------------------------------------------------------------------------


def _combinations() -> dict[tuple[Tile, ...], tuple[str, int]]:
    """Return all combinations, as sorted tiles, with their class and their height in it."""
    found: dict[tuple[Tile, ...], tuple[str, int]] = {}
    for height, tile in enumerate(reversed(CIVIL)):
        found[(tile,)] = ("civil tile", height)
        found[(tile, tile)] = ("civil pair", height)
    for height, tiles in enumerate(reversed(MILITARY)):
        found |= {(tile,): ("military tile", height) for tile in tiles}
        if len(tiles) == 2:
            found[tuple(sorted(tiles))] = ("military pair", height)
    for height, (civil, military) in enumerate(reversed(FAMILIES)):
        for civils, chosen in product((1, 2), (*combinations(military, 1), tuple(military))):
            found[tuple(sorted([civil] * civils + list(chosen)))] = (f"{civils} and {len(chosen)}", height)
    found[tuple(sorted(SUPREME))] = ("supreme pair", 0)
    return found


COMBINATIONS = _combinations()


def held(tiles: Counter[Tile]) -> set[tuple[Tile, ...]]:
    """Return the combinations that some tiles hold; two equal tiles make no two of them."""
    return {combination for combination in COMBINATIONS if Counter(combination) <= tiles}


def beaten(combination: tuple[Tile, ...], unseen: Counter[Tile]) -> int:
    """Return how many combinations of unseen tiles beat one."""
    name, height = COMBINATIONS[combination]
    return sum(COMBINATIONS[other][0] == name and COMBINATIONS[other][1] > height for other in held(unseen))


def played(move: Move) -> tuple[Tile, ...]:
    return () if move.discards else tuple(sorted(tiles_of(move.tiles)))


def is_sure(table: Table, move: Move) -> bool:
    return bool(played(move)) and beaten(played(move), table.unseen(SET)) == 0


def strength(tile: Tile) -> int:
    """Return the strength of a tile: civil 10 down to 0 by one, military 10 down to 0 by two."""
    if tile in CIVIL:
        return 10 - CIVIL.index(tile)
    return 10 - 2 * next(place for place, tiles in enumerate(MILITARY) if tile in tiles)


def on_table(table: Table) -> list[Pile]:
    """Return the piles of the trick that you play to, yours first; none if you lead."""
    return [] if any(note.endswith("to lead") for note in table.scene.notes) else list(table.scene.centre)


def sets_broken(table: Table, tiles: Counter[Tile], *, played: bool) -> int:
    """Return how many combinations of two tiles or more the hand no longer holds, those played aside."""
    gone = held(table.hand) - held(table.hand - tiles) - (held(tiles) if played else set())
    return sum(len(combination) > 1 for combination in gone)


def discarded_strength(table: Table, move: Move) -> int:
    """Return the strength of the tile discarded and of the weakest that may follow, the lowest tile always first."""
    if not move.discards:
        return 0
    (tile,), piles = tiles_of(move.tiles), on_table(table)
    size = max(len(pile.tiles) + pile.hidden for pile in piles[1:])
    missing = size - len(piles[0].tiles) - 1
    follow = sorted(strength(other) for other in kept(table, move).elements() if other >= tile)
    return strength(tile) + sum(follow[:missing])


def kept_combinations(table: Table, move: Move) -> set[tuple[Tile, ...]]:
    return held(kept(table, move))


def sure_kept(table: Table, move: Move) -> set[tuple[Tile, ...]]:
    return {combination for combination in kept_combinations(table, move) if not beaten(combination, table.unseen(SET))}


def keeps_one(table: Table, move: Move) -> bool:
    return tuple(sorted(kept(table, move).elements())) in COMBINATIONS


def nobody_beats(table: Table, move: Move) -> bool:
    """Return whether nobody who is still to play can beat what is played: no unseen tiles do, or all others played."""
    others = [pile for pile in on_table(table)[1:] if pile.tiles or pile.hidden]
    return bool(played(move)) and (is_sure(table, move) or len(others) == len(table.scene.places) - 1)


TIEN_GOW: dict[str, Meaning] = {
    "tiles led": lambda table, move: 0 if on_table(table) else len(played(move)),
    "play what no unseen tiles beat": is_sure,
    "unseen combinations that beat what is played": lambda table, move: (
        beaten(played(move), table.unseen(SET)) if played(move) else 0
    ),
    "moves with the most strength played": lambda table, move: sum(map(strength, played(move))),
    "moves with the least strength played": lambda table, move: -sum(map(strength, played(move))),
    "beat what is on the table": lambda table, move: bool(on_table(table) and played(move)),
    "play what nobody can still beat": nobody_beats,
    "play for your first trick": lambda table, move: bool(played(move)) and not table.scene.places[0].piles[-1].hidden,
    "combinations broken by playing": lambda table, move: (
        sets_broken(table, Counter(played(move)), played=True) if played(move) else 0
    ),
    "lead the supreme pair": lambda table, move: not on_table(table) and played(move) == tuple(sorted(SUPREME)),
    "kept combinations that no unseen tiles beat": lambda table, move: len(sure_kept(table, move)),
    "keep one combination that no unseen tiles beat": lambda table, move: (
        tuple(sorted(kept(table, move).elements())) in sure_kept(table, move)
    ),
    "keep just one combination": keeps_one,
    "combinations broken by discarding": lambda table, move: (
        sets_broken(table, Counter(tiles_of(move.tiles)), played=False) if move.discards else 0
    ),
    "discard what no unseen tile beats": lambda table, move: (
        move.discards and beaten(tuple(tiles_of(move.tiles)), table.unseen(SET)) == 0
    ),
    "moves with the most strength discarded": discarded_strength,
    "moves with the least strength discarded": lambda table, move: -discarded_strength(table, move),
}


MEANINGS: dict[str, dict[str, Meaning]] = {
    "jie-long": connecting(SET, 1),
    "ce-deng": connecting(SET, 1),
    "ding-niu": connecting(BULLS, 2)
    | {"make a suan zhang": makes_suan_zhang, "pips that you lead by": lead_in_pips}
    | {
        f"leave {number} open": lambda table, move, number=number: (
            bool(laid(move)) and number in open_after(table, move, 2)
        )
        for number in range(1, 7)
    },
    "da-ling": DA_LING,
    "tiu-u": TIU_U,
    "small-mahjong": SMALL_MAHJONG,
    "tien-gow": TIEN_GOW,
    "deer-hunt": DEER_HUNT,
    "shi-wu-hu": SHI_WU_HU,
    "pai-gow": PAI_GOW,
}
POSITIONS: dict[str, dict[str, Callable[[Table], bool]]] = {
    game: DEER_HUNT_POSITIONS if game == "deer-hunt" else {} for game in MEANINGS
}
