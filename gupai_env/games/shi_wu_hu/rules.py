"""Shi Wu Hu (十五湖, "fifteen lakes"): fishing as in Tiu-U, and a catch counts by the sets in it.

Source: the rulebook, "Shi Wu Hu".

Deal     Of 84 `cards`, four of each kind, 30 to the hands, 24 face up as the lake, 30 as the stock. Of the 64 `tiles`
         of two domino sets 24, 16 and 24.
Tiny     [6:3] twice, [5:4], [6:6] four times and [1:1]: two tiles to each of two players, one to the lake, three to
         the stock. Groups count as with cards.
Turn     A bait from the hand, then the top tile of the stock, which all see and which is played at once.
Play     Catch one fish that matches the bait; catch three if they lie in the lake, are the bait's own kind, and this
         kind matches no other (`triple_catch`); or lay the bait into the lake, with `must_catch` only if it catches
         nothing.
Match    Equal pips, but [5:5] and [6:4] match their own kind alone. [4:2] and [2:1] match with `supreme_match` "pair",
         [2:1] and all of six pips with "sixes"; [5:5] and [6:4] with `tens_match`; [6:6] and [1:1] with `heaven_earth`.
End      Hands and stock are empty. What is left in the lake is nobody's.
Count    Each tile 10, but all tiles of a full group 30 or 20. Heaven-nine ([6:6] [6:3] [5:4]) 30; Supreme ([4:2] [2:1])
         30; four [5:5], four [6:5], four [6:4] 30 each; Earth-eight ([1:1] [6:2] [5:3]), Man-seven ([4:4] [5:2] [4:3])
         and Harmony-five ([3:1] [4:1] [3:2]) 20. Supreme is full with both kinds; the other groups with all three kinds
         (`group` "one_two"), or with the civil kind, the first, and one of the military two ("one_one").
Bonus    All Heaven-nine tiles of the deck 300; all twelve of [5:5], [6:5] and [6:4] 300; all Supreme tiles of the deck
         `supreme_bonus`.
Payoff   Every two seats settle the difference of their points, with `thousand` twice if just one has 1,000 or more.
Match    The lead of the next deal passes to the next seat.
Actions  kind lays a tile; 21.. a bait catches a fish; 76.. a bait catches three. Ten of the catches need an option.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.bits import gather
from gupai_env.core.episode import NOBODY, clearing
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    ALL_KINDS,
    FULL_SET,
    KINDS,
    ONE,
    WEIGHT,
    deck_of,
    kind_of,
    kinds_in,
    parse_tiles,
    size,
    tile_set,
    tiles_in,
    write_kinds,
)
from gupai_env.core.variant import TINY, Variant, option
from gupai_env.games.fishing import rules as fishing
from gupai_env.games.fishing.rules import (
    CATCH,
    SEATS,
    action_finder,
    deal_tiles,
    end_play,
    fishing_state,
    lay,
    mark_catches,
    match_set,
    moves_with,
    put_on_record,
    threes_in,
)

PLAYS, STOCK = 60, 30
CARDS, TILES = "cards", "tiles"
# By deck, cards, tiles and tiny:
DECK_SETS = (int(4 * ALL_KINDS), int(2 * FULL_SET), tile_set(parse_tiles("63 63 54 66 66 66 66 11")))
DECKS = tuple(map(deck_of, DECK_SETS))
SHARES = ((30, 24), (24, 16), (4, 1))  # tiles in all hands and in the lake; the rest are the stock

BY_DECK = "by_deck"
ONE_TWO, ONE_ONE = "one_two", "one_one"
GROUP_OF_DECK = {CARDS: ONE_TWO, TILES: ONE_ONE, TINY: ONE_TWO}
SUPREME_BONUS = {CARDS: 300, TILES: 100, TINY: 300}  # chips
BONUS = 300
THOUSAND = 1000  # points


def _kinds(text: str) -> int:
    return tile_set(parse_tiles(text))


# The groups of three: the civil kind, and the two military ones.
CIVIL = np.array([_kinds(text) for text in ("66", "11", "44", "31")])
FIRST = np.array([_kinds(text) for text in ("63", "62", "52", "41")])
SECOND = np.array([_kinds(text) for text in ("54", "53", "43", "32")])
MILITARY = FIRST | SECOND
TRIOS = CIVIL | MILITARY
ALL_CIVIL, ALL_FIRST, ALL_SECOND = (int(kinds.sum()) for kinds in (CIVIL, FIRST, SECOND))
# The trios, as bits, by what `gather` makes of the civil kinds of a catch and, four bits higher, of the military ones.
# It puts them from low to high, in which the first and the second military kinds are in one order of trios.
_CIVIL_BITS, _MILITARY_BITS = (
    [1 << tiles_in(kinds.sum()).index(tiles_in(kind)[0]) for kind in kinds] for kinds in (CIVIL, FIRST)
)
FULL_TRIOS = np.array(
    [
        sum((civil & _CIVIL_BITS[trio] and military & _MILITARY_BITS[trio]) != 0 and 1 << trio for trio in range(4))
        for military in range(16)
        for civil in range(16)
    ],
    np.int64,
)  # [256]
HEAVEN = int(TRIOS[0])
SUPREME = _kinds("42 21")
FOURS = _kinds("55 65 64")  # each a group by itself
GROUPS = np.array([*TRIOS, SUPREME, *map(_kinds, ("55", "65", "64"))])  # in the order of `full_groups`
GROUP_NAMES = ("Heaven-nine", "Earth-eight", "Man-seven", "Harmony-five", "Supreme", "[5:5]", "[6:5]", "[6:4]")
# The kinds in full groups that count 20 a tile, and those that count 30, by the groups as bits, int64 [256]:
TWENTIES, THIRTIES = (
    np.array([sum(GROUPS[g] for g in groups if full >> g & 1) for full in range(1 << len(GROUPS))], np.int64)
    for groups in ((1, 2, 3), (0, 4, 5, 6, 7))
)
# What a tile of each kind counts at most:
VALUE = np.array(
    [30 if ONE[k] & (HEAVEN | SUPREME | FOURS) else 20 if ONE[k] & TRIOS[1:].sum() else 10 for k in range(KINDS)]
)

SUPREME_MATCHES = ("none", "pair", "sixes")
CIVIL_TENS, ENDS = (kind_of(5, 5), kind_of(6, 4)), (kind_of(6, 6), kind_of(1, 1))
HIGH_SUPREME, LOW_SUPREME = kind_of(4, 2), kind_of(2, 1)


def _match(bait: int, fish: int, supreme: str, tens: bool, ends: bool) -> bool:
    pair = {bait, fish}
    if bait == fish:
        return True
    if pair == set(CIVIL_TENS):
        return tens
    if pair == set(ENDS):
        return ends
    if LOW_SUPREME in pair:
        (other,) = pair - {LOW_SUPREME}
        return (supreme == "pair" and other == HIGH_SUPREME) or (supreme == "sixes" and int(WEIGHT[other]) == 6)
    return bool(WEIGHT[bait] == WEIGHT[fish])


_OPTIONS = [(word, tens, ends) for ends in (False, True) for tens in (False, True) for word in SUPREME_MATCHES]
_MATCHINGS = [
    [[_match(bait, fish, *options) for fish in range(KINDS)] for bait in range(KINDS)] for options in _OPTIONS
]
# By the options of `matching_of`: the kinds that match each kind, int64 [12, KINDS], and
MATCHING = np.array([[sum(ONE[f] for f in range(KINDS) if row[f]) for row in pairs] for pairs in _MATCHINGS])
# the set of kinds that match no other, of which three may be caught at once, int64 [12].
LONERS = np.array([sum(ONE[kind] for kind in range(KINDS) if row[kind] == ONE[kind]) for row in MATCHING])

_CATCHES = [(b, f) for b in range(KINDS) for f in range(KINDS) if any(pairs[b][f] for pairs in _MATCHINGS)]
_THREES = [kind for kind in range(KINDS) if LONERS[0] & ONE[kind]]
THREE = CATCH + len(_CATCHES)  # the first action that catches three
ACTIONS = THREE + len(_THREES)
# What is played by each action, and what it catches one of:
BAIT = np.array([*range(KINDS), *(bait for bait, _ in _CATCHES), *_THREES], np.int8)
FISH = np.array([NOBODY] * KINDS + [fish for _, fish in _CATCHES] + [NOBODY] * len(_THREES), np.int8)
with_bait: Callable[..., Any] = action_finder(BAIT[CATCH:])
with_fish: Callable[..., Any] = action_finder(FISH[CATCH:])
FOURFOLD = tile_set(_THREES)
# Which of the actions from CATCH on catch what matches by the options, as bits, int64 [12]: others are never legal.
ALLOWED = np.array(
    [sum(1 << index for index, (bait, fish) in enumerate(_CATCHES) if row[bait] & ONE[fish]) for row in MATCHING]
)


@dataclass(frozen=True)
class ShiWuHu(Variant):
    """The options of the rulebook's page "Shi Wu Hu"."""

    players: int = option(2, "number of seats", (2, 3))
    deck: str = option(
        CARDS,
        '"cards": four of each kind, 84; "tiles": two domino sets, 64; "tiny": eight tiles, so that all play can be '
        "searched",
        (CARDS, TILES, TINY),
    )
    group: str = option(
        BY_DECK,
        '"one_two": a group is full with all three kinds; "one_one": with the civil kind and one military kind; '
        '"by_deck": "one_one" with tiles, else "one_two"',
        (BY_DECK, ONE_TWO, ONE_ONE),
    )
    supreme_bonus: str | int = option(
        BY_DECK,
        "chips for all Supreme tiles of the deck; by_deck: 100 with tiles, else 300",
        (BY_DECK, 0, 100, 200, 300),
        encode=lambda bonus: -1 if bonus == BY_DECK else bonus,
    )
    thousand: bool = option(True, "the difference counts twice if just one of two seats has 1,000 points or more")
    triple_catch: str = option(
        "own_kind",
        '"own_kind": the fourth of a kind that matches no other may catch the three in the lake; "none": it may not',
        ("own_kind", "none"),
    )
    must_catch: bool = option(False, "a bait that can catch may not be laid")
    supreme_match: str = option(
        "none",
        '"pair": [4:2] and [2:1] match each other; "sixes": [2:1] and all tiles of six pips do; "none": they do not',
        SUPREME_MATCHES,
    )
    tens_match: bool = option(False, "[5:5] and [6:4] match each other")
    heaven_earth: bool = option(False, "[6:6] and [1:1] match each other")

    LIMITS: ClassVar = {CARDS: {}, TILES: {}, TINY: {"players": (2,)}}

    def as_rules(self) -> Any:
        """Return the options as numbers; what the deck decides is decided here."""
        group = GROUP_OF_DECK[self.deck] if self.group == BY_DECK else self.group
        bonus = SUPREME_BONUS[self.deck] if self.supreme_bonus == BY_DECK else self.supreme_bonus
        return super().as_rules()._replace(group=int(group == ONE_ONE), supreme_bonus=bonus)


STATE = fishing_state(STOCK, PLAYS, ("full", "u1", (SEATS,)))  # a bit for each of GROUPS that is full in a catch
clear: Callable[..., Any] = clearing(STATE)


# --- the count ------------------------------------------------------------------------------------


@rule
def full_groups(tiles, one_one):
    """Return a bit for each of GROUPS that is full in a tile set."""
    kinds, fours = kinds_in(tiles), tiles >> 2
    first, second = gather(kinds, ALL_FIRST), gather(kinds, ALL_SECOND)
    military = first | second if one_one else first & second
    full = FULL_TRIOS[gather(kinds, ALL_CIVIL) | military << 4]
    full |= int(kinds & SUPREME == SUPREME) << 4
    for four in range(5, len(GROUPS)):
        full |= int(fours & GROUPS[four] != 0) << four
    return full


@rule
def points_of(tiles, full, deck, supreme_bonus):
    """Return what a catch counts in which the groups `full` are full."""
    points = 10 * size(tiles) + 10 * size(tiles & (7 * TWENTIES[full])) + 20 * size(tiles & (7 * THIRTIES[full]))
    everything = DECK_SETS[deck]
    if tiles & (7 * HEAVEN) == everything & (7 * HEAVEN):
        points += BONUS
    if full >> 5 == 7:
        points += BONUS
    if everything & (7 * SUPREME) != 0 and tiles & (7 * SUPREME) == everything & (7 * SUPREME):
        points += supreme_bonus
    return points


@rule
def put_into_catch(rules, state, seat, tiles):
    """Add a tile set to a catch and count it."""
    state.catches[seat] += tiles
    state.full[seat] = full_groups(state.catches[seat], rules.group)
    state.points[seat] = points_of(state.catches[seat], state.full[seat], rules.deck, rules.supreme_bonus)


# --- the deal -------------------------------------------------------------------------------------


@rule
def deal_from(rules, state, order):
    """Deal hands, lake and stock; the leader is to choose a bait."""
    clear(state)
    deal_tiles(rules, state, order, SHARES[rules.deck])


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way: fill `order`, int8, as it was dealt, and `actions`; return how many these are."""
    return fishing.history(rules, state, SHARES[rules.deck], DECK_SETS[rules.deck], BAIT, NOBODY, order, actions)


@rule
def matching_of(rules):
    """Return the row of MATCHING and LONERS that the options choose."""
    return rules.supreme_match + 3 * rules.tens_match + 6 * rules.heaven_earth


@rule
def legal_actions(rules, state, mask):
    """Mark what the bait, or the tiles in hand, may do."""
    baits = kinds_in(state.hands[state.to_act] if state.drawn == NOBODY else ONE[state.drawn])
    fish, row = kinds_in(state.lake), matching_of(rules)
    threes = threes_in(state.lake) & LONERS[row] if rules.triple_catch == 0 else 0
    catches = with_fish(fish) & ALLOWED[row] | gather(threes, FOURFOLD) << (THREE - CATCH)
    mark_catches(with_bait(baits) & catches, mask)
    write_kinds(baits & ~match_set(fish, MATCHING[row]) if rules.must_catch else baits, mask, 0)


@rule
def step(rules, state, action):
    """Play a bait; turn up the tile of the stock after a bait of the hand."""
    seat, kind = state.to_act, BAIT[action]
    put_on_record(state, action)
    if state.drawn == NOBODY:
        state.hands[seat] -= ONE[kind]
    if action < CATCH:
        lay(state, seat, kind)
    else:
        fish = ONE[FISH[action]] if action < THREE else 3 * ONE[kind]
        state.lake -= fish
        put_into_catch(rules, state, seat, fish + ONE[kind])
    end_play(rules, state, seat)


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: the difference of every two seats, twice if one alone has a thousand points."""
    for seat in range(rules.players):
        for other in range(rules.players):
            chips = state.points[seat] - state.points[other]
            one_alone = (state.points[seat] >= THOUSAND) != (state.points[other] >= THOUSAND)
            out[seat] += 2 * chips if rules.thousand and one_alone else chips


def payoff_bound(variant: ShiWuHu) -> float:
    """Return chips that no seat can win or lose more of in a deal: one seat catches everything."""
    rules = variant.as_rules()
    tiles = DECK_SETS[rules.deck]
    everything = points_of(tiles, full_groups(tiles, rules.group), rules.deck, rules.supreme_bonus)
    twice = variant.thousand and everything >= THOUSAND
    return float((variant.players - 1) * (1 + twice) * everything)


MOVES = moves_with(_CATCHES, _THREES)
