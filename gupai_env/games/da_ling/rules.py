"""Da Ling (打零, "play zeroes"): everybody splits six tiles into a single, a pair and a triple, all at once.

Source: the rulebook, "Da Ling".

Deal     Two table tiles face up, six tiles to each of two to five players; the rest stay unseen.
Tiny     Two players get three of [2:1], [3:2], [4:2], [5:1] twice, [5:5] twice and [6:4] twice; single, pair
         and triple have one tile each.
Target   The pips of the table tiles modulo ten. The colour is red if they show four or more red pips.
Split    A group matches if its points modulo ten are the target; in a hand each [4:2] and each [2:1] counts 3
         or 6, whichever helps. Nobody sees another's split, nor whether it is made, before all have split.
Winner   An absolute winner matches all three. He takes the whole stakes of every other; among several the one
         with most pips of the colour. If these tie, the groups are settled (`absolute_tie` "groups") or
         nothing moves ("push"). Who takes it all pays the `casino_fee`.
Groups   Otherwise, for each of the three: of those whose group matches, the one whose group has most pips of
         the colour takes its stake from every other player; nobody on a tie.
Match    Nobody leads, so who is asked first means nothing and stays the same.
Actions  0..59, the ways to split six tiles, a to f, sorted by kind. Of ways that equal tiles make the same
         only one is legal. `move_of` gives a split with its tiles.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from gupai_env.core.bits import as_index
from gupai_env.core.byte_rows import write_marks
from gupai_env.core.episode import NOBODY, clearing, state_dtype
from gupai_env.core.memory import scratch
from gupai_env.core.move import Move
from gupai_env.core.rule import rule
from gupai_env.core.tiles import BLACK, DECK, KINDS, NO_TILE, ONE, RED, WEIGHT, deck_of, kind_of, parse_tiles, tile_set
from gupai_env.core.variant import EXACT, LEAST_STAKE, Variant, option
from gupai_env.games.splitting.rules import UNSPLIT, deal_hands, split_hand, unseen_splits
from gupai_env.messages import say
from gupai_env.messages.checks import refused, whole_number

SEATS, HAND, TABLE = 5, 6, 2
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("21 32 42 51 51 55 55 64 64"))))
DECK_SETS = tuple(map(tile_set, DECKS))
HANDS = (HAND, 3)  # tiles
GROUPS = 3  # single, pair and triple
TIES = ("groups", "push")
RED_FROM = 4  # red pips on the table that make the colour red
WILD = (kind_of(4, 2), kind_of(2, 1))
WILD_COUNTS, WILD_ADDS = 3, 3  # a wild tile counts 3, or 3 more
MOST_POINTS = 80  # no hand has as many; a multiple of ten
NO_MATCH = -1

# A group is the positions 0..5 of its tiles in the sorted hand, as bits.
SPLITS = np.array(
    [
        (1 << single, 1 << a | 1 << b, 63 ^ (1 << single | 1 << a | 1 << b))
        for single in range(HAND)
        for a, b in combinations([place for place in range(HAND) if place != single], 2)
    ],
    np.int8,
)  # [60, GROUPS]
GROUP_OF = np.array(
    [[next(g for g in range(GROUPS) if split[g] >> place & 1) for place in range(HAND)] for split in SPLITS]
)  # [60, HAND]
# If the tiles at `place` and next to it are equal, only splits count where the first is in the smaller group.
ORDERED = np.array(
    [
        sum(1 << split for split, group_of in enumerate(GROUP_OF) if group_of[place] <= group_of[place + 1])
        for place in range(HAND - 1)
    ],
    np.int64,
)  # [HAND - 1], splits as bits
ALL_SPLITS = (1 << len(SPLITS)) - 1
# With the tiny deck a, b and c go to one group each; d, e and f hold no tile: one is in the pair, two in the triple.
ONE_TILE_EACH = sum(
    1 << split
    for split, group_of in enumerate(GROUP_OF.tolist())
    if sorted(group_of[:3]) + group_of[3:] == [0, 1, 2, 1, 2, 2]
)
SPLITS_OF = (ALL_SPLITS, ONE_TILE_EACH)  # by deck

# What a tile brings to its group, added up in one number: points, wild tiles, red pips, black pips.
_WILDS_AT, _RED_AT, _BLACK_AT = 8, 16, 24
VALUE = np.array(
    [
        (WILD_COUNTS if kind in WILD else int(WEIGHT[kind]))
        | (kind in WILD) << _WILDS_AT
        | int(RED[kind]) << _RED_AT
        | int(BLACK[kind]) << _BLACK_AT
        for kind in range(KINDS)
    ]
    + [0],  # no tile
    np.int64,
)  # [KINDS + 1]


def is_stake(stake: object) -> bool:
    """True for nothing, or chips that count."""
    return type(stake) in (int, float) and (stake == 0 or LEAST_STAKE <= stake <= EXACT)  # type: ignore[operator]


@dataclass(frozen=True)
class DaLing(Variant):
    """The options of the rulebook's page "Da Ling"."""

    players: int = option(5, "number of seats", (2, 3, 4, 5))
    stakes: tuple[float, ...] = option(
        (3, 7, 15),
        "chips staked on the single, the pair and the triple",
        encode=lambda stakes: tuple(map(float, stakes)),
        allowed="three numbers, 0 or from 0.01",
    )
    absolute_tie: str = option("groups", "what is settled if absolute winners tie on colour", TIES)
    casino_fee: int = option(0, "chips that who takes all stakes pays to the house", allowed="a whole number from 0")

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.stakes) != GROUPS or not all(map(is_stake, self.stakes)):
            allowed = say("three numbers, each 0 or from {least} to {most:,} chips", least=LEAST_STAKE, most=EXACT)
            raise refused("stakes", self.stakes, say("it must be {allowed}", allowed=say(allowed)))
        whole_number("casino_fee", self.casino_fee, 0, EXACT)
        self.require_exact(self.stakes, payoff_bound(self), "stakes", "casino_fee")

    @property
    def zero_sum(self) -> bool:
        """True without a fee."""
        return self.casino_fee == 0


STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("tiles", "i1", (SEATS, HAND), NO_TILE),  # the same as sorted kinds, and NO_TILE behind them
    ("table", "i8"),
    ("target", "i1"),  # 0..9
    ("red", "i1"),  # 1: the colour is red, 0: black
    ("unused", "i8"),  # dealt to nobody and seen by nobody
    ("splits", "i1", (SEATS,), UNSPLIT),  # actions; UNSPLIT before the decision
)
clear: Callable[..., Any] = clearing(STATE)


@rule
def deal_from(rules, state, order):
    """Deal the table and all hands; the leader is asked first."""
    clear(state)
    lay_table(state, order[0], order[1])
    state.unused = DECK_SETS[rules.deck] - state.table
    deal_hands(rules, state, order, TABLE, HANDS[rules.deck])


@rule
def lay_table(state, kind, other):
    """Lay the two table tiles; on the table wild ones count their pips."""
    state.table = ONE[kind] + ONE[other]
    state.target = (WEIGHT[kind] + WEIGHT[other]) % 10
    state.red = RED[kind] + RED[other] >= RED_FROM


@rule
def value_of(tiles, group):
    """Return what the tiles of a group add up to; `tiles`, int8 [HAND], is the sorted hand."""
    value = 0
    for place in range(HAND):
        if group >> place & 1:
            value += VALUE[tiles[place]]
    return value


@rule
def values_of(tiles, split):
    """Return what the tiles of each group of a split add up to; `tiles`, int8 [HAND], is the sorted hand."""
    single = pair = everything = 0
    for place in range(HAND):  # without a branch for each tile, which nobody could predict
        value = VALUE[as_index(tiles[place])]
        single += value * (SPLITS[split, 0] >> place & 1)
        pair += value * (SPLITS[split, 1] >> place & 1)
        everything += value
    return single, pair, everything - single - pair


@rule
def points_of(value):
    """Return the points of a group, its wild tiles counted low."""
    return value & 255


@rule
def wilds_of(value):
    """Return the wild tiles in a group."""
    return value >> _WILDS_AT & 255


@rule
def colour_of(value, red):
    """Return the pips of the colour in a group."""
    return value >> (_RED_AT if red else _BLACK_AT) & 255


@rule
def matches(points, wilds, target):
    """True if points reach the target, modulo ten, when some of the wild tiles count more."""
    lacks = np.uint8(target + MOST_POINTS - points) % np.uint8(10)
    reached = False
    for more in range(len(WILD) + 1):
        reached |= (lacks == more * WILD_ADDS) & (wilds >= more)
    return reached


@rule
def strength_of(value, target, red):
    """Return the pips of the colour in a group that matches, or NO_MATCH."""
    return colour_of(value, red) if matches(points_of(value), wilds_of(value), target) else NO_MATCH


@rule
def distinct_splits(rules, tiles):
    """Return, as bits, the splits that count for a sorted hand; each way to split it is among them once."""
    splits = SPLITS_OF[rules.deck]
    for place in range(HAND - 1):
        splits &= ORDERED[place] if tiles[place] == tiles[place + 1] else ALL_SPLITS
    return splits


@rule
def legal_actions(rules, state, mask):
    """Mark every different split of the hand."""
    write_marks(distinct_splits(rules, state.tiles[state.to_act]), mask)


@rule
def step(rules, state, action):
    """Split the hand; the deal is over when all have."""
    split_hand(rules, state, action)


@rule
def best_of(strengths, players):
    """Return the seat of the greatest strength, or NOBODY if none matches or the best tie."""
    best, most = NOBODY, NO_MATCH
    for seat in range(players):
        if strengths[seat] > most:
            best, most = seat, strengths[seat]
        elif strengths[seat] == most:
            best = NOBODY
    return best


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: all stakes to an absolute winner, or each group's to who has it best."""
    single, pair, triple = scratch(SEATS, np.int8), scratch(SEATS, np.int8), scratch(SEATS, np.int8)
    absolute = scratch(SEATS, np.int8)
    some_absolute = False
    for seat in range(rules.players):
        one, two, three = values_of(state.tiles[seat], state.splits[seat])
        single[seat] = strength_of(one, state.target, state.red)
        pair[seat] = strength_of(two, state.target, state.red)
        triple[seat] = strength_of(three, state.target, state.red)
        all_match = (single[seat] != NO_MATCH) & (pair[seat] != NO_MATCH) & (triple[seat] != NO_MATCH)
        absolute[seat] = single[seat] + pair[seat] + triple[seat] if all_match else NO_MATCH
        some_absolute |= all_match

    winner = best_of(absolute, rules.players)
    if winner != NOBODY:
        for group in range(GROUPS):
            collect(rules, winner, rules.stakes[group], out)
        out[winner] -= rules.casino_fee
    elif not some_absolute or rules.absolute_tie == 0:
        settle_group(rules, single, rules.stakes[0], out)
        settle_group(rules, pair, rules.stakes[1], out)
        settle_group(rules, triple, rules.stakes[2], out)


@rule
def settle_group(rules, strengths, stake, out):
    """Pay the stake on a group to who has it best, if there is one."""
    winner = best_of(strengths, rules.players)
    if winner != NOBODY:
        collect(rules, winner, stake, out)


@rule
def collect(rules, winner, stake, out):
    """Pay `winner` a stake from every other player."""
    for seat in range(rules.players):
        out[seat] += (rules.players - 1) * stake if seat == winner else -stake


@rule
def next_deal(rules, state):
    """Change nothing: there is no lead."""


def payoff_bound(variant: DaLing) -> float:
    """Return an upper bound of the chips that a seat can win or lose in a deal."""
    return float(max(sum(variant.stakes) * (variant.players - 1), variant.casino_fee))


def groups_of(action: int, tiles: Sequence[Any] | np.ndarray) -> list[list[Any]]:
    """Return single, pair and triple of a split; `tiles` has an entry for each place of the sorted hand."""
    return [
        [tile for place, tile in enumerate(tiles) if group >> place & 1 and tile != NO_TILE] for group in SPLITS[action]
    ]


def move_of(view: np.record, action: int) -> Move:
    """Return a split of the viewer's hand, `[4:3] / [6:5][5:1] / [6:3][3:3][1:1]`."""
    return Move(groups=tuple(tuple(map(int, reversed(group))) for group in groups_of(action, view.tiles)))


MOVES = unseen_splits(groups_of, "abcdef", len(SPLITS))
