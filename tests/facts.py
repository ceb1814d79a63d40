"""What every section of an observation means, said again in plain Python from the full state.

Nothing here reads a view or an encoder: `FACTS[game](sight)` returns the section's values by name, from the tiles
where they lie and from the moves that were made. Seats stand as the viewer counts them, itself first.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, wraps
from itertools import combinations, permutations
from typing import Any

import numpy as np

from adapters import ADAPTERS, FACES
from gupai_env.core.deal import fields_of
from gupai_env.core.tiles import tile_set
from gupai_env.core.variant import Variant
from gupai_env.games.small_mahjong.rules import BEGUN, STEPS, THROWN
from referees import da_ling, deer_hunt, ding_niu, pai_gow, shi_wu_hu, small_mahjong, tien_gow, tiu_u
from referees.tiles import CIVIL, Tile, is_double, pips, red_pips

NUMBERS = range(1, 7)
KINDS = range(len(FACES))
Facts = dict[str, Any]


def tiles_of(tiles: int) -> list[Tile]:
    """The tiles of a set, each as often as it is there."""
    return list(faces_in(int(tiles)))


@cache
def faces_in(tiles: int) -> tuple[Tile, ...]:
    return tuple(face for kind, face in enumerate(FACES) for _ in range(tiles >> (3 * kind) & 7))


def counts(tiles: Iterable[Tile]) -> list[int]:
    """Copies of each kind."""
    found = [0] * len(FACES)
    for tile in tiles:
        found[FACES.index(tile)] += 1
    return found


def one_hot(place: int | None, length: int) -> list[int]:
    return [int(at == place) for at in range(length)]


@dataclass(frozen=True)
class Sight:
    """A state and who looks at it."""

    game: str
    variant: Variant
    of: np.record
    viewer: int

    @cached_property
    def state(self) -> Any:
        return fields_of(self.of)

    @cached_property
    def order(self) -> list[int]:
        """The seats in order of turn, the viewer first."""
        return [self.seat_after(self.viewer, turns) for turns in range(self.variant.players)]

    @property
    def others(self) -> list[int]:
        return self.order[1:]

    def seat_after(self, seat: int, turns: int) -> int:
        return (seat + int(self.state.direction) * turns) % self.variant.players

    def place(self, seat: int, length: int) -> list[int]:
        """Where a seat sits, one-hot; all 0 for no seat."""
        return one_hot(self.order.index(seat) if seat >= 0 else None, length)

    def by_seat(self, values: Sequence[Any], length: int) -> list[Any]:
        """What belongs to each seat, in the viewer's order; zeros for seats that do not play."""
        mine = [values[seat] for seat in self.order]
        return mine + [np.zeros_like(mine[0])] * (length - len(mine))

    def hand(self, seat: int) -> list[Tile]:
        return tiles_of(self.state.hands[seat])

    def deals(self) -> Facts:
        deal, deals = int(self.state.deal), self.variant.deals
        return {"first_deal": [int(deal == 0)], "last_deal": [int(deal + 1 >= deals)]}


def once(make: Callable) -> Callable:
    """Make of a sight only once what its sections and the rest of its view both need, and leave as it is."""

    @wraps(make)
    def made(sight: Sight) -> Any:
        known = vars(sight)
        if make not in known:
            known[make] = make(sight)
        return known[make]

    return made


# Connecting games


class Line:
    """The line of tiles as the public moves of a deal make it, with all that is remembered of them."""

    def __init__(self, sight: Sight, two_ends: bool) -> None:
        state, seats = sight.state, sight.variant.players
        moves, lookalikes = ADAPTERS[sight.game].moves, ADAPTERS[sight.game].lookalikes
        self.ends: list[int] = [0, 0]
        self.laid_at = [0] * len(FACES)
        self.laid: list[list[Tile]] = [[] for _ in range(seats)]
        self.drops = [0] * seats
        self.missed = [[0] * len(NUMBERS) for _ in range(seats)]
        self.last_player, self.passes, self.turns = -1, 0, int(state.turn)
        for turn in range(self.turns):
            seat, action = sight.seat_after(int(state.leader), turn), int(state.record[turn])
            if action in lookalikes:
                for number in set(self.ends):
                    self.missed[seat][number - 1] += 1
                self.drops[seat] += 1
                self.passes += 1
                continue
            _, tile, leaves = moves[action]
            self.ends = joined(self.ends, tile, leaves, two_ends)
            self.laid[seat].append(tile)
            self.laid_at[FACES.index(tile)] = turn + 1
            self.last_player, self.passes = seat, 0


def joined(ends: list[int], tile: Tile, leaves: int, two_ends: bool) -> list[int]:
    """The open numbers after a tile is laid so that one of its numbers stays open."""
    joins = tile[0] + tile[1] - leaves
    if not two_ends:
        return [leaves, leaves]
    if ends == [0, 0]:
        return [joins, leaves]
    return [leaves, ends[1]] if ends[0] == joins else [ends[0], leaves]


def connecting(sight: Sight, line: Line, forced: bool) -> Facts:
    """The sections that the connecting games share."""
    state, seats = sight.state, 4
    hand, unseen = sight.hand(sight.viewer), unseen_tiles(sight)
    discards = [tiles_of(state.discards[seat]) for seat in range(sight.variant.players)]
    missed = sight.by_seat(line.missed, seats)[1:]
    return {
        "hand": counts(hand),
        "discards": counts(discards[sight.viewer]),
        "unseen": counts(unseen),
        "played": sight.by_seat([counts(laid) for laid in line.laid], seats),
        "laid_at": line.laid_at,
        "ends": [one_hot(end, 7) for end in line.ends],
        "sizes": sight.by_seat([len(sight.hand(seat)) for seat in range(sight.variant.players)], seats),
        "drops": sight.by_seat(list(map(len, discards)), seats),
        "missed": missed,
        "void": (np.array(missed) > 0) & forced,
        "suits": [len({tile for tile in hand if number in tile}) for number in NUMBERS],
        "unseen_suits": [len({tile for tile in unseen if number in tile}) for number in NUMBERS],
        "leader": sight.place(int(state.leader), seats),
        "last_player": sight.place(line.last_player, seats),
        "passes": [line.passes],
        "turn": [line.turns],
        **sight.deals(),
    }


def unseen_tiles(sight: Sight) -> list[Tile]:
    """The tiles in other hands, face down before others, and dealt to nobody."""
    hidden = [*sight.state.hands[sight.others], *sight.state.discards[sight.others], sight.state.unused]
    return [tile for tiles in hidden for tile in tiles_of(tiles)]


def back_at(sight: Sight, line: Line) -> bool:
    """Whether all others have discarded since the seat to act laid the last tile."""
    return line.last_player == sight.state.to_act and line.passes >= sight.variant.players - 1


def jie_long(sight: Sight) -> Facts:
    variant: Any = sight.variant
    line = Line(sight, variant.open_ends == 2)
    locked = variant.double_lock and variant.open_ends == 1 and back_at(sight, line)
    return {**connecting(sight, line, variant.forced_play), "locked": [locked], "asked": [0]}


def ce_deng(sight: Sight) -> Facts:
    variant: Any = sight.variant
    facts = connecting(sight, Line(sight, False), True)
    size = 8 if variant.deck == "full" else 4
    from_leader = [sight.seat_after(int(sight.state.leader), turns) for turns in range(variant.players)]
    asked = [seat for seat in from_leader if int(sight.state.rights) >> seat & 1]
    for seat in asked:
        doubles = sum(map(is_double, sight.hand(seat)))
        assert (variant.declare_eight_doubles and doubles == size) or 0 < variant.redeal_doubles <= doubles
    return {**facts, "locked": [0], "asked": [sight.viewer in asked[:1]]}


def ding_niu_facts(sight: Sight) -> Facts:
    variant: Any = sight.variant
    state, line = sight.state, Line(sight, True)
    maker, made = first_block(sight, variant)
    for seat in range(variant.players if state.terminated else 0):  # the doubles that followed are laid at once
        for tile in tiles_of(state.played[seat]):
            if line.laid[seat].count(tile) < tiles_of(state.played[seat]).count(tile):
                assert is_double(tile) and tile[0] in line.ends
                line.laid[seat].append(tile)
                line.laid_at[FACES.index(tile)] = int(state.turn)
    layout = [tile for laid in line.laid for tile in laid]
    deck = tiles_of(ADAPTERS[sight.game].deck_of(variant))
    left = [tile for tile in deck if not is_double(tile)]
    for tile in layout:
        if not is_double(tile):
            left.remove(tile)
    makes, losing = np.zeros((2, 2, len(FACES)), int)
    if made is None and not state.terminated and layout:
        for tile, leaves, what in blocks_of(sight, line.ends, layout, deck):
            kind, low_open = FACES.index(tile), int(leaves != tile[0])
            makes[low_open, kind] = 1 if what == "classic" else 2
            losing[low_open, kind] = loses(sight, variant, joined(line.ends, tile, leaves, True), tile, what)
    return {
        **connecting(sight, line, variant.forced_play),
        "left": [sum(number in tile for tile in left) for number in NUMBERS],
        "makes": makes,
        "losing": losing,
        "suan_zhang": [{None: 0, "classic": 1, "smothered": 2}[made]],
        "maker": sight.place(maker, 4),
        "exempt": [int(state.exempt) and maker == sight.viewer],
    }


def first_block(sight: Sight, variant: Any) -> tuple[int, str | None]:
    """Who made the first suan zhang of the deal, and which it was; seat -1 if nobody has."""
    deck, ends, layout = tiles_of(ADAPTERS[sight.game].deck_of(variant)), [0, 0], []
    for turn in range(int(sight.state.turn)) if variant.suan_zhang else ():
        action = int(sight.state.record[turn])
        if action in ADAPTERS[sight.game].lookalikes:
            continue
        _, tile, leaves = ADAPTERS[sight.game].moves[action]
        ends = joined(ends, tile, leaves, True)
        layout.append(tile)
        if len(layout) > 1 and not is_double(tile):
            if what := ding_niu.suan_zhang(layout, ends, variant.smothered_numbers, deck):
                return sight.seat_after(int(sight.state.leader), turn), what
    return -1, None


def blocks_of(sight: Sight, ends: list[int], layout: list[Tile], deck: list[Tile]):
    """Each way to lay a tile of the viewer's hand that makes a suan zhang: the tile, what it leaves open, which."""
    variant: Any = sight.variant
    for tile in set(sight.hand(sight.viewer)) if variant.suan_zhang else ():
        for joins, leaves in (tile, tile[::-1]):
            if joins in ends and not is_double(tile):
                after = joined(ends, tile, leaves, True)
                if what := ding_niu.suan_zhang([*layout, tile], after, variant.smothered_numbers, deck):
                    yield tile, leaves, what


def loses(sight: Sight, variant: Any, ends: list[int], tile: Tile, what: str) -> bool:
    """Whether the maker would pay, or be behind, if all tiles that it does not see were of the same weight."""
    state, hand = sight.state, without(sight.hand(sight.viewer), tile)
    free: list[Tile] = []  # doubles that are laid in the end and cost nobody anything
    unseen = unseen_tiles(sight)
    if variant.after_suan_zhang == "doubles" or (variant.after_suan_zhang == "play_on" and what == "classic"):
        free = [tile for tile in FACES if is_double(tile) and tile[0] in ends]
    points = sum(pips(t) for t in hand if t not in free)
    points += sum(map(pips, tiles_of(state.discards[sight.viewer])))
    if variant.settlement == "chips" and (
        (variant.spare_pointless_maker and points == 0) or (variant.exempt_forced_maker and forced_to_block(sight))
    ):
        return False
    fewest = min(len(sight.hand(seat)) + len(tiles_of(state.discards[seat])) for seat in sight.others)
    return points * len(unseen) > fewest * sum(pips(t) for t in unseen if t not in free)


def forced_to_block(sight: Sight) -> bool:
    """Whether every tile that the viewer could lay would make a suan zhang."""
    line = Line(sight, True)
    layout = [tile for laid in line.laid for tile in laid]
    deck = tiles_of(ADAPTERS[sight.game].deck_of(sight.variant))
    ways = {
        (tile, leaves)
        for tile in sight.hand(sight.viewer)
        for joins, leaves in (tile, tile[::-1])
        if joins in line.ends
    }
    made = {(tile, leaves) for tile, leaves, _ in blocks_of(sight, line.ends, layout, deck)}
    return ways == made


# Da Ling


def da_ling_facts(sight: Sight) -> Facts:
    state, table = sight.state, tiles_of(sight.state.table)
    hand = sorted(sight.hand(sight.viewer))
    slots: list[Tile | None] = [*hand, *[None] * (6 - len(hand))]
    unseen = tiles_of(state.unused)
    for seat in sight.others:
        unseen += [] if state.terminated else sight.hand(seat)
    matches, shown = [], []
    for size in (1, 2, 3):
        for places in sorted(combinations(range(6), size), key=lambda places: places[::-1]):
            group = [slots[place] for place in places if slots[place]]
            matched = da_ling.matches(table, group)
            matches.append(int(matched))
            shown.append(da_ling.colour_pips(table, group) if matched else 0)
    split = int(state.splits[sight.viewer])
    return {
        "hand": counts(hand),
        "table": counts(table),
        "unseen": counts(unseen),
        "target": one_hot(sum(map(pips, table)) % 10, 10),
        "red": [int(sum(map(red_pips, table)) >= 4)],
        "matches": matches,
        "pips": shown,
        "players": one_hot(sight.variant.players - 2, 4),
        "split": one_hot(split if split >= 0 else None, 60),
        **sight.deals(),
    }


# Tiu-U


def tiu_u_facts(sight: Sight) -> Facts:
    state, variant = sight.state, sight.variant
    players: Any = variant.players
    locks: bool = getattr(variant, "lock_triples", False)
    drawn = FACES[state.drawn] if state.drawn >= 0 else None
    lake, stock = tiles_of(state.lake), [FACES[kind] for kind in state.stock[state.turned :]]
    unseen = stock + [tile for seat in sight.others for tile in sight.hand(seat)]
    fish = [tile for tile in lake if not (locks and lake.count(tile) >= 3)]
    laid, caught = told_by_the_record(sight)
    return {
        "hand": counts(sight.hand(sight.viewer)),
        "drawn": counts([drawn] if drawn else []),
        "lake": counts(lake),
        "bites": [sum(tiu_u.match(bait, each) for each in fish) for bait in FACES],
        "rivals": [sum(tiu_u.match(bait, each) for each in unseen) for bait in FACES],
        "unseen": counts(unseen),
        "catches": sight.by_seat(list(map(counts, caught)), 3),
        "laid": sight.by_seat(list(map(counts, laid)), 3),
        "points": sight.by_seat([tiu_u.count(catch) // 10 for catch in caught], 3),
        "red": sight.by_seat([sum(red_pips(t) for t in catch if pips(t) < 8) for catch in caught], 3),
        "sizes": sight.by_seat([len(sight.hand(seat)) for seat in range(players)], 3),
        "stock": [len(stock)],
        "mover": sight.place(int(state.to_act), 3),
        "leader": sight.place(int(state.leader), 3),
        **sight.deals(),
    }


@once
def told_by_the_record(sight: Sight) -> tuple[list[list[Tile]], list[list[Tile]]]:
    """What each seat laid from its hand and what it caught, by the public actions alone."""
    players = sight.variant.players
    dealt, stock = {"full": (24, 24), "cards": (30, 30), "tiles": (24, 24), "tiny": (4, 3)}[sight.variant.deck]
    held = [dealt // players] * players
    laid: list[list[Tile]] = [[] for _ in held]
    caught: list[list[Tile]] = [[] for _ in held]
    seat, from_stock = int(sight.state.leader), False
    for action in sight.state.record[: sight.state.plays].tolist():
        while not (stock if from_stock else held[seat]):  # a play for which there is no tile
            seat, from_stock = (sight.seat_after(seat, 1), False) if from_stock else (seat, True)
        what, *tiles = ADAPTERS[sight.game].moves[action]
        if what == "heaven pair":
            held[seat] -= 2
            caught[seat] += [(6, 6)] * 2
            continue
        if what == "lay" and not from_stock:
            laid[seat] += tiles
        if what != "lay":
            caught[seat] += tiles if what == "catch" else tiles * 4
        if from_stock:
            stock -= 1
            seat, from_stock = sight.seat_after(seat, 1), False
        else:
            held[seat] -= 1
            from_stock = True
    return laid, caught


# Shi Wu Hu

GROUPS = (
    shi_wu_hu.HEAVEN_NINE,
    shi_wu_hu.EARTH_EIGHT,
    shi_wu_hu.MAN_SEVEN,
    shi_wu_hu.HARMONY_FIVE,
    shi_wu_hu.SUPREME,
    *([tile] for tile in ((5, 5), (6, 5), (6, 4))),
)


def shi_wu_hu_facts(sight: Sight) -> Facts:
    state = sight.state
    drawn = FACES[state.drawn] if state.drawn >= 0 else None
    lake, stock = tiles_of(state.lake), [FACES[kind] for kind in state.stock[state.turned :]]
    unseen = stock + [tile for seat in sight.others for tile in sight.hand(seat)]
    laid, caught = told_by_the_record(sight)
    full, still = full_and_open(sight, caught)
    points = points_in_shi_wu_hu(sight, caught)
    return {
        "hand": counts(sight.hand(sight.viewer)),
        "drawn": counts([drawn] if drawn else []),
        "lake": counts(lake),
        "bites": [sum(in_lake(sight, bait, each) for each in lake) for bait in FACES],
        "rivals": [sum(in_lake(sight, bait, each) for each in unseen) for bait in FACES],
        "unseen": counts(unseen),
        "catches": sight.by_seat(list(map(counts, caught)), 3),
        "laid": sight.by_seat(list(map(counts, laid)), 3),
        "full": sight.by_seat(full, 3),
        "open": sight.by_seat(still, 3),
        "hundreds": sight.by_seat([each // 100 for each in points], 3),
        "tens": sight.by_seat([each % 100 // 10 for each in points], 3),
        "thousand": sight.by_seat([int(each >= 1000) for each in points], 3),
        "sizes": sight.by_seat([len(sight.hand(seat)) for seat in range(sight.variant.players)], 3),
        "stock": [len(stock)],
        "mover": sight.place(int(state.to_act), 3),
        "leader": sight.place(int(state.leader), 3),
        **sight.deals(),
    }


def in_lake(sight: Sight, bait: Tile, fish: Tile) -> bool:
    """Whether a bait catches a fish."""
    variant: Any = sight.variant
    return matching(bait, fish, variant.supreme_match, variant.tens_match, variant.heaven_earth)


@cache
def matching(bait: Tile, fish: Tile, supreme_match: str, tens_match: bool, heaven_earth: bool) -> bool:
    return shi_wu_hu.match(bait, fish, supreme_match=supreme_match, tens_match=tens_match, heaven_earth=heaven_earth)


def is_full(sight: Sight, tiles: list[Tile], group: list[Tile]) -> bool:
    if len(group) == 1:
        return tiles.count(group[0]) == 4
    if len(group) == 2:
        return set(group) <= set(tiles)
    return shi_wu_hu.full(tiles, group, how_groups_fill(sight.variant))


def how_groups_fill(variant: Any) -> str:
    if variant.group != "by_deck":
        return str(variant.group)
    return "one_one" if variant.deck == "tiles" else "one_two"


def full_and_open(sight: Sight, caught: list[list[Tile]]) -> tuple[list[list[int]], list[list[int]]]:
    """Which groups are full in each catch, and which are not but may be by tiles that no other seat has caught."""
    deck = tiles_of(ADAPTERS[sight.game].deck_of(sight.variant))
    full, still = [], []
    for seat in range(len(caught)):
        free = list(deck)
        for other, catch in enumerate(caught):
            for tile in catch if other != seat else []:
                free.remove(tile)
        full.append([int(is_full(sight, caught[seat], group)) for group in GROUPS])
        still.append([int(is_full(sight, free, each) and not has) for each, has in zip(GROUPS, full[-1], strict=True)])
    return full, still


def points_in_shi_wu_hu(sight: Sight, caught: list[list[Tile]]) -> list[int]:
    variant: Any = sight.variant
    deck = tiles_of(ADAPTERS[sight.game].deck_of(variant))
    bonus = None if variant.supreme_bonus == "by_deck" else variant.supreme_bonus
    return [shi_wu_hu.count(catch, deck, how_groups_fill(variant), bonus) for catch in caught]


# Small Mahjong

TRIPLETS = {
    order: points
    for size in (1, 2, 3)
    for tiles in combinations([face for face in FACES for _ in range(2)], 3)
    if (points := small_mahjong.triplet_points(tiles)) == size
    and all(tiles.count(tile) <= ADAPTERS["small-mahjong"].deck >> (3 * FACES.index(tile)) & 7 for tile in tiles)
    for order in permutations(tiles)
}  # points by tiles, in any order


def triplet(*tiles: Tile) -> int:
    """The points of three tiles; 0 if they are not a triplet, or if one set of tiles cannot show them."""
    return TRIPLETS.get(tiles, 0)


def completing(hand: list[Tile]) -> list[Tile]:
    """The kinds that make two triplets of a hand of five, or one of a hand of two."""
    found = set()
    for places in combinations(range(len(hand)), 2):
        pair = [hand[place] for place in places]
        rest = [tile for place, tile in enumerate(hand) if place not in places]
        if not rest or triplet(*rest):
            found |= {tile for tile in FACES if triplet(*pair, tile)}
    return sorted(found, key=FACES.index) if len(hand) in (2, 5) else []


def without(hand: list[Tile], tile: Tile) -> list[Tile]:
    rest = list(hand)
    rest.remove(tile)
    return rest


@once
class MahjongTable:
    """The table of Small Mahjong as one seat sees it: to who is not asked a discard has not happened yet."""

    def __init__(self, sight: Sight) -> None:
        self.sight, state = sight, sight.state
        self.melds = [[tiles_of(meld) for meld in state.melds[seat] if meld] for seat in range(sight.variant.players)]
        self.hands = [sight.hand(seat) for seat in range(sight.variant.players)]
        self.known = self.claimed_openly()
        offer, mover = int(state.offer), int(state.mover)
        self.offer = FACES[offer] if offer >= 0 and self.was_asked(FACES[offer]) else None
        if offer >= 0 and self.offer is None:
            self.hands[mover].append(FACES[offer])
        elif offer >= 0 and self.offer in self.known[mover]:
            self.known[mover].remove(self.offer)

    def was_asked(self, offer: Tile) -> bool:
        """Whether the viewer is being asked about the discard, or was asked before the seat that is."""
        state, viewer = self.sight.state, self.sight.viewer
        from_mover = [self.sight.seat_after(int(state.mover), turns) for turns in range(self.sight.variant.players)]
        distance = from_mover.index(viewer)
        if not 0 < distance <= from_mover.index(int(state.to_act)):
            return False
        most = max((triplet(offer, *pair) for pair in combinations(self.hands[viewer], 2)), default=0)
        return most >= distance or offer in completing(self.hands[viewer])

    def claimed_openly(self) -> list[list[Tile]]:
        """The tiles in each hand that all saw being claimed, as the turns of the deal tell."""
        state, known, seat = self.sight.state, [[] for _ in self.hands], int(self.sight.state.leader)
        for turn in range(int(state.turns)):
            seat = self.sight.seat_after(seat, int(state.log[turn, STEPS]))
            if state.log[turn, BEGUN] == -1:
                known[seat].append(FACES[state.log[turn - 1, THROWN]])
            thrown = int(state.log[turn, THROWN])
            under_way = turn == state.turns - 1 and state.offer >= 0
            if thrown >= 0 and not under_way and FACES[thrown] in known[seat]:
                known[seat].remove(FACES[thrown])
        return known


def small_mahjong_facts(sight: Sight) -> Facts:
    state, table, viewer = sight.state, MahjongTable(sight), sight.viewer
    hand, players = table.hands[viewer], sight.variant.players
    wall = [FACES[kind] for kind in state.wall[state.top :]]
    unseen = list(wall)
    for seat in sight.others:
        shown = table.hands[seat] if seat == state.winner else table.known[seat]
        unseen += [tile for tile, copies in zip(FACES, counts(table.hands[seat]), strict=True)
                   for _ in range(copies - shown.count(tile))]  # fmt: skip
    waits = completing(hand)
    after, partners = [0] * len(FACES), [0] * len(FACES)
    for tile in set(hand):
        rest, kind = without(hand, tile), FACES.index(tile)
        after[kind] = sum(each in completing(rest) for each in unseen) if len(hand) % 3 == 0 else 0
        beside = {third for other in rest for third in FACES if triplet(tile, other, third)}
        partners[kind] = sum(each in beside for each in unseen)
    points = [sum(triplet(*meld) for meld in melds) for melds in table.melds]
    best = small_mahjong.best_split(hand, [tuple(meld) for meld in table.melds[viewer]])
    whole = viewer == state.mover and (len(hand) + 3 * len(table.melds[viewer])) % 3 == 0
    laid_out = [[tile for meld in melds for tile in meld] for melds in table.melds]
    return {
        "hand": counts(hand),
        "offer": counts([table.offer] if table.offer else []),
        "waits": counts(waits),
        "outs": [sum(tile in waits for tile in unseen)],
        "outs_after": after,
        "partners": partners,
        "triplets": np.array(counts({t for three in combinations(hand, 3) if triplet(*three) for t in three})),
        "win": [(best or 0) if whole else 0],
        "unseen": counts(unseen),
        "melds": sight.by_seat(list(map(counts, laid_out)), 4),
        "discards": sight.by_seat([counts(tiles_of(state.discards[seat])) for seat in range(players)], 4),
        "known": sight.by_seat(list(map(counts, table.known)), 4),
        "meld_points": sight.by_seat(points, 4),
        "sizes": sight.by_seat(list(map(len, table.hands)), 4),
        "wall": [len(wall)],
        "mover": sight.place(int(state.mover), 4),
        "leader": sight.place(int(state.leader), 4),
        **sight.deals(),
    }


# Tien Gow


@once
class Tricks:
    """What the record of a deal tells, by the referee who is told it."""

    def __init__(self, sight: Sight) -> None:
        adapter, state, order = ADAPTERS[sight.game], sight.state, sight.order
        dealt = sight.of.copy()
        dealt.hands[:] = state.hands + state.played + state.discards
        self.referee = adapter.referee_of(sight.variant, dealt)
        seats = [sight.seat_after(0, turns) for turns in range(sight.variant.players)]
        self.gave_up = [[0] * len(TRICK_CLASSES) for _ in order]
        self.movers = []
        for action in state.record[: state.plays].tolist():
            seat = seats[self.referee.to_act]
            self.movers.append(seat)
            move = adapter.moves[action]
            best, whole = self.referee.best, len(self.referee.lead) - len(self.referee.discarding) == 1
            if move[0] == "discard" and whole:
                of = tien_gow.class_of(best)
                self.gave_up[seat][TRICK_CLASSES.index(of)] += len(best)
            self.referee.play(move)
        self.seats = seats


TRICK_CLASSES = ["c1", "m1", "c2", "m2", "sup", "x11", "x21", "x12", "x22"]
PLAYS = [move[1] for move in ADAPTERS["tien-gow"].moves if move[0] == "play"]


def held_of(tiles: list[Tile]) -> list[int]:
    """Which combinations some tiles hold, in the order of the actions."""
    return [int(all(tiles.count(tile) >= play.count(tile) for tile in play)) for play in PLAYS]


def beaten_by(sight: Sight, tiles: list[Tile]) -> list[int]:
    """Which combinations some combination among the tiles beats."""
    variant: Any = sight.variant
    held = set(np.flatnonzero(held_of(tiles)).tolist())
    return [int(not held.isdisjoint(better)) for better in higher(variant.civil_supreme)]


@cache
def higher(civil_supreme: bool) -> list[set[int]]:
    """The places of those that beat each combination."""
    found = []
    for play in PLAYS:
        led = tien_gow.class_of(play, civil_supreme)
        orders = [tien_gow.order_in(led, other, civil_supreme) for other in PLAYS]
        mine = tien_gow.order_in(led, play, civil_supreme)
        found.append({at for at, order in enumerate(orders) if order is not None and order > mine})
    return found


def tien_gow_facts(sight: Sight) -> Facts:
    state, tricks = sight.state, Tricks(sight)
    variant: Any = sight.variant
    referee, seats, hand = tricks.referee, tricks.seats, sight.hand(sight.viewer)
    discards = [tiles_of(state.discards[seat]) for seat in range(variant.players)]
    unseen = [tile for seat in sight.others for tile in (*sight.hand(seat), *discards[seat])]
    may_lead = [tien_gow.class_of(play) in tien_gow.CLASSES[variant.combinations] for play in PLAYS]
    leads = [int(has and may) for has, may in zip(held_of(hand), may_lead, strict=True)]
    to_discard = len(referee.lead) - len(referee.discarding) if referee.discarding else 0
    return {
        "hand": counts(hand),
        "discards": counts(discards[sight.viewer]),
        "unseen": counts(unseen),
        "played": sight.by_seat([counts(tiles_of(state.played[seat])) for seat in range(variant.players)], 4),
        "best": one_hot(PLAYS.index(referee.best) if referee.best else None, len(PLAYS)),
        "leads": leads,
        "sure": [int(lead and not beaten) for lead, beaten in zip(leads, beaten_by(sight, unseen), strict=True)],
        "gave_up": sight.by_seat(tricks.gave_up, 4),
        "holder": sight.place(seats[referee.winner], 4),
        "first": sight.place(seats[referee.trick_leader], 4),
        "mover": sight.place(int(state.to_act), 4),
        "leader": sight.place(int(state.leader), 4),
        "sizes": sight.by_seat([len(sight.hand(seat)) for seat in range(variant.players)], 4),
        "face_down": sight.by_seat(list(map(len, discards)), 4),
        "taken": sight.by_seat([referee.tricks[seats.index(seat)] for seat in range(variant.players)], 4),
        "bonus": sight.by_seat([referee.bonuses[seats.index(seat)] for seat in range(variant.players)], 4),
        "tiles": [len(referee.lead)],
        "to_discard": [to_discard],
        "last": [
            int(
                bool(referee.lead)
                and sum(referee.tricks) + len(referee.lead) * (not referee.terminated) == dealt_to_each(sight)
            )
        ],
        "multiplier": [referee.multiplier()],
        **sight.deals(),
    }


# Pai Gow

WAYS = (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2)))  # places in the sorted hand
MADE = {6: 14, 5: 13, 4: 12, 3: 11, 2: 10}  # the referee's classes above points
DECK = [face for face in FACES for _ in range(2 if face in CIVIL else 1)]


def value_rules(sight: Sight) -> Facts:
    variant: Any = sight.variant
    return {"zero": variant.zero, "gong_four": variant.gong_four, "wild": variant.wild}


@cache
def ranked_values(zero: str, gong_four: bool, wild: bool) -> list[tuple]:
    """All different values of a group, from below; with `zero="tile"` there is none that beats no other."""
    options: Facts = {"zero": zero, "gong_four": gong_four, "wild": wild}
    found = sorted({pai_gow.value(group, **options) for group in combinations(DECK, 2)})
    return found if zero == "banker" else [(0,), *found]


def pai_gow_facts(sight: Sight) -> Facts:
    state, options = sight.state, value_rules(sight)
    hand = sorted(sight.hand(sight.viewer), key=FACES.index)
    unseen = tiles_of(state.unused)
    for seat in sight.others:
        unseen += [] if state.terminated else sight.hand(seat)
    ways, high, low, made, met = [], [], [], [], []
    ranked = ranked_values(**options)
    for way in WAYS:
        groups = [[hand[place] for place in places if place < len(hand)] for places in way]
        whole = [group for group in groups if len(group) == 2]
        same = sorted(sorted(group) for group in groups)
        ways.append(int(same not in met and len(whole) * 2 == len(hand)))
        met.append(same)
        values = sorted((ranked.index(pai_gow.value(group, **options)) for group in whole), reverse=True)
        values += [0] * (2 - len(values))
        high.append(values[0])
        low.append(values[1])
        for group in groups:
            is_class, points, _ = pai_gow.value(group, **options) if len(group) == 2 else (None, 0, 0)
            made.append(one_hot(None if is_class is None else MADE.get(is_class, points), 15))
    split = int(state.splits[sight.viewer])
    return {
        "hand": counts(hand),
        "unseen": counts(unseen),
        "banker": sight.place(int(state.leader), 8),
        "players": one_hot(sight.variant.players - 2, 7),
        "ways": ways,
        "high": high,
        "low": low,
        "groups": np.array(made).reshape(3, 2, 15),
        "split": one_hot(split if split >= 0 else None, 3),
        **sight.deals(),
    }


# Deer Hunt


@once
class OpenTricks:
    """The tricks of a deal as its public moves make them."""

    def __init__(self, sight: Sight) -> None:
        seats, leader = sight.variant.players, int(sight.state.leader)
        escape: bool = getattr(sight.variant, "escape", False)
        self.played: list[list[Tile]] = [[] for _ in range(seats)]
        self.taken: list[list[Tile]] = [[] for _ in range(seats)]
        self.escaped: list[Tile] = []
        self.trick: list[tuple[int, Tile]] = []  # who played what, under way or just taken
        self.taker = -1
        for kind in sight.state.record[: sight.state.plays].tolist():
            if len(self.trick) % seats == 0:
                self.trick = []
                mover = leader if self.taker < 0 else self.taker
            self.trick.append((mover, FACES[kind]))
            self.played[mover].append(FACES[kind])
            tiles = [tile for _, tile in self.trick]
            self.taker = self.trick[deer_hunt.strongest(tiles)][0]
            mover = sight.seat_after(mover, 1)
            if len(tiles) == seats:
                escapes = escape and deer_hunt.all_red(tiles)
                (self.escaped if escapes else self.taken[self.taker]).extend(tiles)
        self.under_way = self.trick if len(self.trick) < seats else []


def deer_hunt_facts(sight: Sight) -> Facts:
    state, tricks, seats = sight.state, OpenTricks(sight), sight.variant.players
    trick, unseen = dict(tricks.under_way), [tile for seat in sight.others for tile in sight.hand(seat)]
    return {
        "hand": counts(sight.hand(sight.viewer)),
        "unseen": counts(unseen),
        "played": sight.by_seat(list(map(counts, tricks.played)), seats),
        "trick": sight.by_seat([counts([trick[seat]] if seat in trick else []) for seat in range(seats)], seats),
        "taking": sight.place(tricks.taker if trick else -1, seats),
        "trick_red": [sum(map(red_pips, trick.values()))],
        "lying": one_hot(len(trick), seats),
        "above": [sum(tile > face for tile in unseen) for face in FACES],
        "red": sight.by_seat([sum(map(red_pips, taken)) for taken in tricks.taken], seats),
        "sizes": sight.by_seat([len(sight.hand(seat)) for seat in range(seats)], seats),
        "mover": sight.place(int(state.to_act), seats),
        "leader": sight.place(int(state.leader), seats),
        **sight.deals(),
    }


def dealt_to_each(sight: Sight) -> int:
    return size_of(ADAPTERS[sight.game].deck_of(sight.variant)) // sight.variant.players


FACTS: dict[str, Callable[[Sight], Facts]] = {
    "jie-long": jie_long,
    "ce-deng": ce_deng,
    "ding-niu": ding_niu_facts,
    "da-ling": da_ling_facts,
    "tiu-u": tiu_u_facts,
    "small-mahjong": small_mahjong_facts,
    "tien-gow": tien_gow_facts,
    "deer-hunt": deer_hunt_facts,
    "shi-wu-hu": shi_wu_hu_facts,
    "pai-gow": pai_gow_facts,
}


# What a view tells beside what its sections show


def frame(sight: Sight) -> Facts:
    return {
        "seat": sight.viewer,
        "direction": sight.state.direction,
        "deal": sight.state.deal,
        "deals": sight.variant.deals,
        "total": sight.by_seat(sight.state.total, len(sight.state.total)),
    }


def place_of(sight: Sight, seat: int) -> int:
    """How many turns after the viewer a seat comes; -1 for no seat."""
    return sight.order.index(seat) if seat >= 0 else -1


def so_far(values: np.ndarray, turns: int, blank: int) -> list[int]:
    """The first entries of a history, and blanks behind them."""
    return [*values[:turns].tolist(), *[blank] * (len(values) - turns)]


def told_of_a_line(sight: Sight) -> Facts:
    state, players = sight.state, sight.variant.players
    laid = [size_of(state.played[seat]) for seat in range(players)]
    record = ADAPTERS[sight.game].seen(state.record)
    return {
        "hand_size": (size_of(ADAPTERS[sight.game].deck_of(sight.variant)) - size_of(state.unused)) // players,
        "plays": sight.by_seat(laid, len(state.played)),
        "record": so_far(record, int(state.turn), 0),
    }


def told_of_an_open_line(sight: Sight) -> Facts:
    return {**told_of_a_line(sight), "stacked": 0}  # of stacked lines test_stacked.py tells


def told_in_ding_niu(sight: Sight) -> Facts:
    variant: Any = sight.variant
    return {
        **told_of_a_line(sight),
        **{"asked": 0, "locked": 0},  # its sections leave these out
        "players": variant.players,
        "smothered_numbers": sum(1 << number for number in variant.smothered_numbers),
        "after_suan_zhang": ["doubles", "stop", "play_on"].index(variant.after_suan_zhang),
        "can_block": variant.suan_zhang and first_block(sight, variant)[1] is None,
    }


def size_of(tiles: int) -> int:
    return len(tiles_of(tiles))


def told_in_da_ling(sight: Sight) -> Facts:
    state, terminated = sight.state, bool(sight.state.terminated)
    shown = [seat for seat in sight.order if terminated or seat == sight.viewer]
    blank = [0] * (len(state.hands) - len(shown))
    variant: Any = sight.variant
    return {
        "asked": int(state.to_act == sight.viewer and not terminated),
        "stakes": variant.stakes,
        "hands": [*state.hands[shown].tolist(), *blank],
        "splits": [*state.splits[shown].tolist(), *[-1 for _ in blank]],
    }


def told_in_tiu_u(sight: Sight) -> Facts:
    state, locks = sight.state, getattr(sight.variant, "lock_triples", False)
    lake = tiles_of(state.lake)
    free = {tile for tile in lake if not (locks and lake.count(tile) >= 3)}
    before = state.record[: state.plays]
    players, last = sight.variant.players, int(state.last_player)
    assert (last >= 0) == (len(before) > 0)
    assert last < players
    return {
        "last_player": place_of(sight, last),
        "points": sight.by_seat(list(map(tiu_u.count, told_by_the_record(sight)[1])), 3),
        "plays": state.plays,
        "record": so_far(state.record, int(state.plays), 0),
        "lock_triples": locks,
        "fish": sum(1 << (3 * FACES.index(tile)) for tile in free),
    }


def told_in_shi_wu_hu(sight: Sight) -> Facts:
    variant: Any = sight.variant
    before = sight.state.record[: sight.state.plays]
    caught = told_by_the_record(sight)[1]
    full, still = full_and_open(sight, caught)
    supreme = {"cards": 300, "tiles": 100, "tiny": 300}[variant.deck]
    word = ["none", "pair", "sixes"].index(variant.supreme_match)
    return {
        "last_player": place_of(sight, int(sight.state.last_player)),
        "points": sight.by_seat(points_in_shi_wu_hu(sight, caught), 3),
        "plays": len(before),
        "record": so_far(sight.state.record, len(before), 0),
        "fish": sum(1 << (3 * FACES.index(tile)) for tile in set(tiles_of(sight.state.lake))),
        "full": sight.by_seat([sum(bit << at for at, bit in enumerate(each)) for each in full], 3),
        "open": sight.by_seat([sum(bit << at for at, bit in enumerate(each)) for each in still], 3),
        "deck": ["cards", "tiles", "tiny"].index(variant.deck),
        "one_one": how_groups_fill(variant) == "one_one",
        "supreme_bonus": supreme if variant.supreme_bonus == "by_deck" else variant.supreme_bonus,
        "matches": word + 3 * variant.tens_match + 6 * variant.heaven_earth,
    }


def told_in_small_mahjong(sight: Sight) -> Facts:
    state, table = sight.state, MahjongTable(sight)
    turns, winner = int(state.turns), int(state.winner)
    thrown = so_far(state.log[:, THROWN], turns, -1)
    if state.offer >= 0 and table.offer is None:
        thrown[turns - 1] = -1
    drew = sight.viewer == state.mover and state.log[turns - 1, BEGUN] == 0 and thrown[turns - 1] < 0
    return {
        "new_tile": state.wall[state.top - 1] if drew else -1,
        "winner": place_of(sight, winner),
        "shown": state.hands[winner] if winner >= 0 else 0,
        "turns": turns,
        "steps": so_far(state.log[:, STEPS], turns, 0),
        "begun": so_far(state.log[:, BEGUN], turns, 0),
        "thrown": thrown,
    }


def told_in_tien_gow(sight: Sight) -> Facts:
    state, tricks = sight.state, Tricks(sight)
    variant: Any = sight.variant
    own = [int(seat == sight.viewer) for seat in tricks.movers]
    record = [
        action if mine else min(action, len(PLAYS))
        for action, mine in zip(state.record[: state.plays].tolist(), own, strict=True)
    ]
    blank = [0] * (len(state.record) - len(own))
    unseen = [tile for seat in sight.others for tile in (*sight.hand(seat), *tiles_of(state.discards[seat]))]
    return {
        "lead": PLAYS.index(tricks.referee.lead) if tricks.referee.lead else -1,
        "opener": sight.order.index(tricks.movers[0] if tricks.movers else int(state.leader)),
        "turns": tricks.referee.acted,
        "players": variant.players,
        "tiny": variant.deck == "tiny",
        "civil_supreme": variant.civil_supreme,
        "early_death": variant.early_death,
        "streak": tricks.referee.streak,
        "beatable": sum(beaten << at for at, beaten in enumerate(beaten_by(sight, unseen))),
        "plays": state.plays,
        "record": record + blank,
        "own": own + blank,
    }


def told_in_deer_hunt(sight: Sight) -> Facts:
    tricks, seats = OpenTricks(sight), sight.variant.players
    lies = dict(tricks.trick)
    return {
        "taken": sight.by_seat([tile_set(map(FACES.index, taken)) for taken in tricks.taken], seats),
        "escaped": tile_set(map(FACES.index, tricks.escaped)),
        "escape": getattr(sight.variant, "escape", False),
        "trick": sight.by_seat([FACES.index(lies[seat]) if seat in lies else -1 for seat in range(seats)], seats),
        "taking": place_of(sight, tricks.taker),
        "plays": len([tile for played in tricks.played for tile in played]),
        "record": so_far(sight.state.record, int(sight.state.plays), 0),
    }


def told_in_pai_gow(sight: Sight) -> Facts:
    state, terminated, options = sight.state, bool(sight.state.terminated), value_rules(sight)
    shown = [seat for seat in sight.order if terminated or seat == sight.viewer]
    blank = [0] * (len(state.hands) - len(shown))
    hand = sorted(map(FACES.index, sight.hand(sight.viewer)))
    return {
        "asked": int(state.to_act == sight.viewer and not terminated),
        "table": int(options["zero"] == "tile") + 2 * options["gong_four"] + 4 * options["wild"],
        "tiles": [*hand, *[len(FACES)] * (4 - len(hand))],
        "hands": [*state.hands[shown].tolist(), *blank],
        "splits": [*state.splits[shown].tolist(), *[-1 for _ in blank]],
    }


TOLD: dict[str, Callable[[Sight], Facts]] = {
    "jie-long": told_of_an_open_line,
    "ce-deng": told_of_an_open_line,
    "ding-niu": told_in_ding_niu,
    "da-ling": told_in_da_ling,
    "tiu-u": told_in_tiu_u,
    "small-mahjong": told_in_small_mahjong,
    "tien-gow": told_in_tien_gow,
    "deer-hunt": told_in_deer_hunt,
    "shi-wu-hu": told_in_shi_wu_hu,
    "pai-gow": told_in_pai_gow,
}
