"""What the tests must know of a game beyond its `Game` record: one adapter a game, listed in `ADAPTERS`."""

import dataclasses
from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.tiles import FULL_SET, NO_TILE, ONE, PIPS, parse_tiles, tile_set, tiles_in
from gupai_env.core.variant import Variant
from gupai_env.games.ce_deng.rules import DECLARE, PLAY_ON, REDEAL
from gupai_env.games.connecting.rules import DISCARD
from gupai_env.games.da_ling.rules import SPLITS
from gupai_env.games.ding_niu.rules import DECK_SET
from gupai_env.games.pai_gow import rules as pai_gow
from gupai_env.games.shi_wu_hu import rules as shi_wu_hu
from gupai_env.games.small_mahjong.rules import JOIN, LAY_OUT
from gupai_env.games.small_mahjong.triplets import TILES
from gupai_env.games.tien_gow.combinations import COMBINATIONS
from gupai_env.games.tien_gow.rules import DISCARD as TIEN_GOW_DISCARD
from gupai_env.games.tiu_u.rules import BAIT, FISH, HEAVEN_PAIR, THREE, TWO_SETS
from referees import CeDeng, DaLing, DeerHunt, DingNiu, JieLong, PaiGow, ShiWuHu, SmallMahjong, TienGow, TiuU

PLACES = [[[place for place in range(6) if group >> place & 1] for group in split] for split in SPLITS.tolist()]
FACES = [(int(high), int(low)) for high, low in PIPS]  # the kinds as the referees write their tiles
FRAME = (
    "players",
    "deals",
    "leader",
    "deck",
    "stacked",
)  # a referee sees one deal, is given its tiles, and draws nothing


def tiles_of(words: str) -> int:
    """A set of tiles, named as "66 64"."""
    return tile_set(parse_tiles(words))


@dataclasses.dataclass(frozen=True)
class Adapter:
    """
    referee: the naive referee of a deal.
    moves: the referee's move for every action.
    sets: the state's fields that are tile sets; together with `rows`, fields of kinds that lie in a row from the
        place on that another field names, and `loose`, fields of one kind (below 0: none), they are the `deck`,
        or the `tiny` one, here in words.
    tiny_rules: what the referee is told of a deal from the tiny deck.
    decks: other decks than these two, by name.
    seats, seat_bits: its fields that name a seat (below 0: none) or have a bit for each seat. A field that has
        an entry for each seat shows it by its shape.
    lookalikes: actions that are all the same to the other seats.
    silent: actions of which the others see only what follows.
    chance: actions after which tiles are dealt again.
    """

    referee: type
    moves: tuple[Hashable, ...]
    sets: tuple[str, ...]
    deck: int
    tiny: str
    seats: tuple[str, ...]
    seat_bits: tuple[str, ...] = ()
    rows: tuple[tuple[str, str], ...] = ()
    loose: tuple[str, ...] = ()
    lookalikes: tuple[int, ...] = ()
    silent: tuple[int, ...] = ()
    chance: tuple[int, ...] = ()
    tiny_rules: dict[str, Any] = dataclasses.field(default_factory=dict)
    decks: dict[str, int] = dataclasses.field(default_factory=dict)

    def referee_of(self, variant: Variant, state: np.record) -> Any:
        """A referee for a deal that has just been dealt; it counts the seats in their order of turn."""
        options = self.options(variant)
        order = turn_order(variant, state)
        hands = [faces(state.hands[seat]) for seat in order]
        return self.referee(hands, order.index(state.leader), **options)

    def options(self, variant: Variant) -> dict[str, Any]:
        """The variant as keywords of the referee."""
        options = {k: v for k, v in dataclasses.asdict(variant).items() if k not in FRAME}
        return options | self.tiny_rules if variant.deck == "tiny" else options

    def move(self, state: np.record, action: int) -> Hashable:
        """What the referee calls an action of the seat to act."""
        return self.moves[action]

    def points(self, state: np.record) -> np.ndarray:
        """What the referee calls the points of every seat, of a game that has points."""
        found: np.ndarray = state.points
        return found

    def tile_sets(self, states: np.ndarray) -> np.ndarray:
        """All tiles of some states, wherever they lie: tile sets, int64 [..., places]."""
        sets = [states[name].reshape(*states.shape, -1) for name in self.sets]
        for row, start in self.rows:
            ahead = np.arange(states[row].shape[-1]) >= states[start][..., None]
            sets.append(np.where(ahead, ONE[states[row]], 0).sum(-1)[..., None])
        sets += [np.where(states[name] >= 0, ONE[states[name]], 0)[..., None] for name in self.loose]
        return np.concatenate(sets, -1)

    def deck_of(self, variant: Variant) -> int:
        """The tile set of all tiles of a variant."""
        if variant.deck == "tiny":
            return tiles_of(self.tiny)
        return self.deck if variant.deck == "full" else self.decks[variant.deck]

    def possible_bits(self, variant: Variant) -> int:
        """The bits of a tile set that copies of the deck can fill."""
        copies = [self.deck_of(variant) >> (3 * kind) & 7 for kind in range(len(FACES))]
        return sum(((1 << most.bit_length()) - 1) << (3 * kind) for kind, most in enumerate(copies))

    def renamed(self, game: Game, states: np.recarray, names: Sequence[int], direction: int) -> np.recarray:
        """The same deals where seat s is called names[s], which turns or reverses the order of turn."""
        to = np.arange(game.max_seats)
        to[: len(names)] = names
        renamed = states.copy()
        renamed.direction[:] = direction
        for field in game.state.names or ():
            if game.state[field].shape[:1] == (game.max_seats,):
                renamed[field][:, to] = states[field]
        for field in self.seats:
            renamed[field] = np.where(states[field] < 0, states[field], to[states[field]])
        for field in self.seat_bits:
            renamed[field] = sum((states[field] >> seat & 1) << to[seat] for seat in range(game.max_seats))
        return renamed

    def seen(self, actions: np.ndarray) -> np.ndarray:
        """What the other seats see of some actions: the action or, of lookalikes, the first of them."""
        return np.where(np.isin(actions, self.lookalikes), self.lookalikes[:1] or 0, actions)


class SplitAdapter(Adapter):
    """Da Ling: the hand tells what an action splits it into, and the table belongs to the deal."""

    def referee_of(self, variant: Variant, state: np.record) -> DaLing:
        options = self.options(variant)
        order = turn_order(variant, state)
        table, *hands = (faces(tiles) for tiles in (state.table, *(state.hands[seat] for seat in order)))
        return DaLing(table, hands, order.index(state.leader), **options)

    def move(self, state: np.record, action: int) -> Hashable:
        hand = [FACES[kind] for kind in state.tiles[state.to_act].tolist() if kind != NO_TILE]
        groups = ([hand[place] for place in group if place < len(hand)] for group in PLACES[action])
        return ("arrange", *(tuple(sorted(group, reverse=True)) for group in groups))


class GroupsAdapter(Adapter):
    """Pai Gow: the hand tells what an action splits it into; which group is the high one is not said."""

    def move(self, state: np.record, action: int) -> Hashable:
        groups = pai_gow.groups_of(action, state.tiles[state.to_act])
        held = [tuple(sorted((FACES[kind] for kind in group), reverse=True)) for group in groups]
        return ("split", tuple(sorted(held, reverse=True)))


class FishingAdapter(Adapter):
    """Tiu-U and Shi Wu Hu: lake and stock belong to the deal."""

    def referee_of(self, variant: Variant, state: np.record) -> Any:
        options = self.options(variant)
        order = turn_order(variant, state)
        hands = [faces(state.hands[seat]) for seat in order]
        stock = [FACES[kind] for kind in state.stock[state.turned :]]
        return self.referee(hands, faces(state.lake), stock, order.index(state.leader), **options)


class SetsAdapter(FishingAdapter):
    """Shi Wu Hu: what the deck decides is decided by the tiles."""

    def options(self, variant: Variant) -> dict[str, Any]:
        options = super().options(variant)
        for name in ("group", "supreme_bonus"):
            options[name] = None if options[name] == "by_deck" else options[name]
        if variant.deck == "tiny" and options["group"] is None:
            options["group"] = "one_two"  # as with cards
        return {**options, "deck": faces(self.deck_of(variant))}


class TrickAdapter(Adapter):
    """Deer Hunt: a trick lies among its four players, and goes on lying there when it has been taken."""

    def points(self, state: np.record) -> np.ndarray:
        return state.red + np.roll(state.red, 2)

    def tile_sets(self, states: np.ndarray) -> np.ndarray:
        under_way = (states["trick"] >= 0) & (states["lying"] > 0)[..., None]
        trick = np.where(under_way, ONE[states["trick"]], 0)
        return np.concatenate([super().tile_sets(states), trick], -1)


class MahjongAdapter(Adapter):
    """Small Mahjong: the leader has drawn already, and the offered tile tells what a claim is made of."""

    def referee_of(self, variant: Variant, state: np.record) -> "PatientReferee":
        options = self.options(variant)
        order = turn_order(variant, state)
        hands = [faces(state.hands[seat]) for seat in order]
        leader, drawn = order.index(state.leader), FACES[state.new_tile]
        hands[leader].remove(drawn)
        wall = [drawn, *(FACES[kind] for kind in state.wall[state.top :])]
        return PatientReferee(SmallMahjong(hands, wall, leader, **options))

    def move(self, state: np.record, action: int) -> Hashable:
        if action <= JOIN:
            return self.moves[action]
        triplet = faces(TILES[action - LAY_OUT])
        offer = FACES[state.offer]
        if state.offer < 0 or offer not in triplet:
            return ("no claim", *triplet)
        triplet.remove(offer)
        return ("claim", tuple(sorted(triplet, reverse=True)))


class BankerAdapter(Adapter):
    """Tien Gow: the banker has been that for some deals of the match."""

    def referee_of(self, variant: Variant, state: np.record) -> TienGow:
        options = self.options(variant)
        order = turn_order(variant, state)
        hands = [faces(state.hands[seat]) for seat in order]
        return TienGow(hands, order.index(state.leader), streak=int(state.streak), **options)


class PatientReferee:
    """A referee of Small Mahjong who, with `auto_win` too, waits until the winner says so: his only move then."""

    def __init__(self, referee: SmallMahjong) -> None:
        self.referee, self.declared = referee, False

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # which a copy asks for before it has a referee
            raise AttributeError(name)
        return getattr(self.referee, name)

    @property
    def terminated(self) -> bool:
        return self.referee.terminated and (self.declared or self.referee.winner is None)

    def moves(self) -> list[Hashable]:
        return self.referee.moves() if self.terminated or not self.referee.terminated else [("win",)]

    def play(self, move: Hashable) -> None:
        self.declared = move == ("win",)
        if not self.referee.terminated:
            self.referee.play(move)


def faces(tiles: int) -> list[tuple[int, int]]:
    """The tiles of a set as the referees write them."""
    return list(faces_in(int(tiles)))


@cache
def faces_in(tiles: int) -> tuple[tuple[int, int], ...]:
    return tuple(FACES[kind] for kind in tiles_in(tiles))


def turn_order(variant: Variant, state: np.record) -> list[int]:
    """The seats of the table from seat 0 on, in their order of turn."""
    return [int(state.direction) * turn % variant.players for turn in range(variant.players)]


_LAY_OR_DISCARD = (
    *(("play", (high, low), high) for high, low in FACES),
    *(("play", (high, low), low) for high, low in FACES),
    *(("discard", face) for face in FACES),
)
_CONNECTING: dict[str, Any] = {
    "sets": ("hands", "discards", "played", "unused"),
    "deck": int(FULL_SET),
    "seats": ("leader", "to_act", "last_player"),
    "lookalikes": tuple(range(DISCARD, DISCARD + len(FACES))),
}

ADAPTERS = {
    "jie-long": Adapter(
        JieLong,
        _LAY_OR_DISCARD,
        tiny="11 31 31 33 51 53 55",
        decks={"short": tiles_of("11 11 22 22 31 31 51 51 61 61 64 64 65 65 21 32 41 42 43 52 53 54 62 63")},
        **_CONNECTING,
    ),
    "ce-deng": Adapter(
        CeDeng,
        (*_LAY_OR_DISCARD, ("declare",), ("redeal",), ("play on",)),
        tiny="11 11 31 31 33 51 53 55 61",
        tiny_rules={"hand": 4},
        silent=(DECLARE, REDEAL, PLAY_ON),
        chance=(REDEAL,),
        **{**_CONNECTING, "seats": (*_CONNECTING["seats"], "declarer"), "seat_bits": ("rights",)},
    ),
    "ding-niu": Adapter(
        DingNiu,
        _LAY_OR_DISCARD,
        tiny="31 44 51 51 61 61 64 64",
        tiny_rules={"deck": [(3, 1), (4, 4), (5, 1), (5, 1), (6, 1), (6, 1), (6, 4), (6, 4)]},
        **{**_CONNECTING, "deck": DECK_SET, "seats": (*_CONNECTING["seats"], "maker")},
    ),
    "da-ling": SplitAdapter(
        DaLing,
        (),
        sets=("hands", "table", "unused"),
        deck=int(FULL_SET),
        tiny="21 32 42 51 51 55 55 64 64",
        tiny_rules={"sizes": (1, 1, 1)},
        seats=("leader", "to_act"),
        lookalikes=tuple(range(len(SPLITS))),
    ),
    "tiu-u": FishingAdapter(
        TiuU,
        (
            *(("lay", face) for face in FACES),
            *(("catch", FACES[bait], FACES[fish]) for bait, fish in zip(BAIT, FISH, strict=True) if fish >= 0),
            *(("catch three", FACES[bait]) for bait in BAIT[THREE:HEAVEN_PAIR]),
            ("heaven pair",),
        ),
        sets=("hands", "catches", "lake"),
        rows=(("stock", "turned"),),
        loose=("drawn",),
        deck=int(TWO_SETS),
        tiny="32 32 41 41 66 66 66 66",
        seats=("leader", "to_act", "last_player"),
    ),
    "small-mahjong": MahjongAdapter(
        SmallMahjong,
        (*(("discard", face) for face in FACES), ("win",), ("pass",), ("claim",)),
        sets=("hands", "melds", "discards"),
        rows=(("wall", "top"),),
        loose=("offer",),
        deck=int(FULL_SET),
        tiny="11 11 32 41 44 44 65 65",
        seats=("leader", "to_act", "mover", "winner"),
        seat_bits=("asked",),
        silent=tuple(range(len(FACES))),  # a discard is not seen before it is settled who takes it
    ),
    "tien-gow": BankerAdapter(
        TienGow,
        (
            *(("play", tuple(sorted((FACES[kind] for kind in each.kinds), reverse=True))) for each in COMBINATIONS),
            *(("discard", face) for face in FACES),
        ),
        sets=("hands", "played", "discards"),
        deck=int(FULL_SET),
        tiny="66 66 63 54 42 21 51 51",
        tiny_rules={"par": 2},
        seats=("leader", "to_act", "first", "holder", "opener"),
        lookalikes=tuple(range(TIEN_GOW_DISCARD, TIEN_GOW_DISCARD + len(FACES))),
    ),
    "deer-hunt": TrickAdapter(
        DeerHunt,
        tuple(("play", face) for face in FACES),
        sets=("hands", "taken", "escaped"),
        deck=int(FULL_SET),
        tiny="66 65 64 54 44 44 41 11",
        seats=("leader", "to_act", "taking"),
    ),
    "shi-wu-hu": SetsAdapter(
        ShiWuHu,
        (
            *(("lay", face) for face in FACES),
            *(
                ("catch", FACES[bait], FACES[fish])
                for bait, fish in zip(shi_wu_hu.BAIT, shi_wu_hu.FISH, strict=True)
                if fish >= 0
            ),
            *(("catch three", FACES[bait]) for bait in shi_wu_hu.BAIT[shi_wu_hu.THREE :]),
        ),
        sets=("hands", "catches", "lake"),
        rows=(("stock", "turned"),),
        loose=("drawn",),
        deck=0,
        decks={"cards": 4 * sum(map(int, ONE)), "tiles": int(TWO_SETS)},
        tiny="63 63 54 66 66 66 66 11",
        seats=("leader", "to_act", "last_player"),
    ),
    "pai-gow": GroupsAdapter(
        PaiGow,
        (),
        sets=("hands", "unused"),
        deck=int(FULL_SET),
        tiny="66 66 11 55 55 63 62 41 42 21",
        seats=("leader", "to_act"),
        lookalikes=tuple(range(len(pai_gow.SPLITS))),
    ),
}
