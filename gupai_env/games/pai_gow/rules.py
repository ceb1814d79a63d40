"""Pai Gow (牌九, tiles): everybody splits four tiles into two groups, all at once; each player meets the banker alone.

Source: the rulebook, "Pai Gow".

Deal     Four tiles to each of two to eight seats, one of which is the banker; the rest stay unseen. The stake of
         every player is one chip.
Tiny     Two seats get four of [6:6] twice, [1:1], [5:5] twice, [6:3], [6:2], [4:1], [4:2] and [2:1].
Split    Two groups of two tiles; the better one is the high group. Nobody sees another's split, nor whether it is
         made, before all have split.
Groups   From the top: the supreme pair [4:2][2:1]; civil pairs by rank; pairs of military tiles, nines to fives;
         wong, [6:6] or [1:1] with a nine; gong, the same with an eight, which [4:4] is too if `gong_four`; then
         points, the pips modulo ten. [4:2] and [2:1] count 3 or 6 if `wild`. Equal points: the higher rank of a
         single tile in each group decides.
Ranks    [6:6] [1:1] [4:4] [3:1] [5:5] [3:3] [2:2] [6:5] [6:4] [6:1] [5:1], nines, eights, sevens, fives; [4:2] and
         [2:1] have none.
Zero     Two groups of no points: the banker's (`zero` "banker"), or the higher rank decides as well ("tile").
Copy     Groups of equal value are the banker's (`copy` "banker"), or neither's ("push"). Two groups of no points stay
         the banker's even so, unless `zero` is "tile": then they are neither's if the higher ranks are equal as well.
Payoff   High meets high, low meets low. A player who wins one group more than he loses wins a chip from the banker,
         one who loses one more pays a chip (`pay` "both"); or the high group is settled for two chips and the low
         one for one ("roads"). Who has won in a deal leaves `commission` percent of it to the house.
Small    With `small` everybody has two tiles, one group, settled for one chip; there is nothing to decide.
Match    The banker leads. He is the next seat in the next deal (`banker` "next"), the same ("fixed") or any ("random").
Actions  0, 1 and 2: ab / cd, ac / bd and ad / bc, the tiles a to d sorted by kind. Of ways that equal tiles make the
         same only the first is legal. `move_of` gives a split with its tiles.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gupai_env.core.episode import clearing, seat_after, seat_at, state_dtype
from gupai_env.core.move import Move
from gupai_env.core.rng import derive, draw
from gupai_env.core.rule import rule
from gupai_env.core.streams import LEADER_STREAM
from gupai_env.core.tiles import DECK, NO_TILE, deck_of, parse_tiles, tile_set
from gupai_env.core.variant import Variant, option
from gupai_env.games.pai_gow.groups import NO_VALUE, VALUE, value_of
from gupai_env.games.splitting.rules import UNSPLIT, deal_hands, split_hand, unseen_splits

SEATS, HAND, GROUP = 8, 4, 2
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("66 66 11 55 55 63 62 41 42 21"))))
DECK_SETS = tuple(map(tile_set, DECKS))
# The place of the tile next to the first one in each split, and the places of the other two.
SPLITS = np.array([(1, 2, 3), (2, 1, 3), (3, 1, 2)], np.int8)
WON, PUSH, LOST = 1, 0, -1  # a group, against the banker's
BANKER, BY_TILE = range(2)  # of `zero`, and BANKER of `copy`
BOTH, ROADS = range(2)  # of `pay`
NEXT, FIXED, RANDOM = range(3)  # of `banker`
HIGH_STAKE, LOW_STAKE = 2, 1  # chips on the groups of ROADS


@dataclass(frozen=True)
class PaiGow(Variant):
    """The options of the rulebook's page "Pai Gow"."""

    players: int = option(2, "number of seats, the banker's too", (2, 3, 4, 5, 6, 7, 8))
    zero: str = option("banker", "who has the better of two groups of no points", ("banker", "tile"))
    copy: str = option("banker", "whose are two groups of equal value", ("banker", "push"))
    gong_four: bool = option(True, "[4:4] with [6:6] or [1:1] is a gong")
    wild: bool = option(True, "[4:2] and [2:1] count 3 or 6")
    pay: str = option("both", "both groups are settled as one, or each by itself", ("both", "roads"))
    commission: int = option(0, "percent of winnings that go to the house", (0, 5))
    small: bool = option(False, "two tiles a seat, and nothing to decide")
    banker: str = option("next", "who is banker in the next deal of a match", ("next", "fixed", "random"))

    @property
    def zero_sum(self) -> bool:
        """True without a commission."""
        return self.commission == 0


STATE = state_dtype(
    SEATS,
    ("hands", "i8", (SEATS,)),  # tile sets
    ("tiles", "i1", (SEATS, HAND), NO_TILE),  # the same as sorted kinds, and NO_TILE behind them
    ("unused", "i8"),  # dealt to nobody and seen by nobody
    ("splits", "i1", (SEATS,), UNSPLIT),  # actions; UNSPLIT before the decision
)
clear: Callable[..., Any] = clearing(STATE)


@rule
def hand_size(rules):
    """Return the tiles of a seat."""
    return GROUP if rules.small else HAND


@rule
def deal_from(rules, state, order):
    """Deal all hands; the banker is asked first."""
    clear(state)
    state.unused = DECK_SETS[rules.deck]
    deal_hands(rules, state, order, 0, hand_size(rules))


@rule
def table_of(rules):
    """Return which table of values the options choose."""
    return rules.zero + 2 * rules.gong_four + 4 * rules.wild


@rule
def values_of(table, tiles, action):
    """Return the values of the high and the low group of a split; `tiles`, int8 [HAND], is the sorted hand."""
    one = value_of(table, tiles[0], tiles[SPLITS[action, 0]])
    other = value_of(table, tiles[SPLITS[action, 1]], tiles[SPLITS[action, 2]])
    return max(one, other), min(one, other)


@rule
def is_distinct(tiles, action):
    """True unless an earlier split makes the same groups of a sorted hand."""
    if action == 0:
        return True
    if action == 1:
        return tiles[1] != tiles[2] and tiles[2] != NO_TILE
    return tiles[0] != tiles[1] and tiles[2] != tiles[3]


@rule
def legal_actions(rules, state, mask):
    """Mark every different split of the hand."""
    for action in range(len(SPLITS)):
        mask[action] = is_distinct(state.tiles[state.to_act], action)


@rule
def step(rules, state, action):
    """Split the hand; the deal is over when all have."""
    split_hand(rules, state, action)


@rule
def settled(rules, value, bankers):
    """Return WON, PUSH or LOST for a player's group, by its value and that of the banker's."""
    if value == bankers:
        return PUSH if rules.copy != BANKER and value != NO_VALUE else LOST
    return WON if value > bankers else LOST


@rule
def paid(rules, high, low):
    """Return the chips that a player wins from the banker, by what came of the two groups."""
    if rules.small:
        return high
    if rules.pay == ROADS:
        return HIGH_STAKE * high + LOW_STAKE * low
    return (high + low > 0) - (high + low < 0)


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: every player settles with the banker alone, and the house takes its commission."""
    table, banker = table_of(rules), state.leader
    high, low = values_of(table, state.tiles[banker], state.splits[banker])
    for seat in range(rules.players):
        if seat != banker:
            own_high, own_low = values_of(table, state.tiles[seat], state.splits[seat])
            chips = paid(rules, settled(rules, own_high, high), settled(rules, own_low, low))
            out[seat] = chips
            out[banker] -= chips
    if rules.commission:
        for seat in range(rules.players):
            if out[seat] > 0:
                out[seat] -= out[seat] * rules.commission / 100


@rule
def next_deal(rules, state):
    """Say who is banker next."""
    if rules.banker == NEXT:
        state.leader = seat_after(rules, state, state.leader)
    elif rules.banker == RANDOM:
        steps = draw(derive(state.seed, LEADER_STREAM), state.deal, rules.players)
        state.leader = seat_at(rules, state, state.leader, steps)


def payoff_bound(variant: PaiGow) -> float:
    """Return chips that no seat can win or lose more of in a deal."""
    most = HIGH_STAKE + LOW_STAKE if variant.pay == "roads" and not variant.small else 1
    return float(most * (variant.players - 1))


def groups_of(action: int, tiles: Sequence[Any] | np.ndarray) -> list[list[Any]]:
    """Return the two groups of a split; `tiles` has an entry for each place of the sorted hand, or NO_TILE."""
    beside, *others = SPLITS[action].tolist()
    groups = [[tiles[place] for place in places] for places in ((0, beside), others)]
    return [group for group in groups if NO_TILE not in group]


def groups_high_first(table: int, action: int, tiles: Sequence[int] | np.ndarray) -> list[list[Any]]:
    """Return the groups of a split, kinds, the high one first."""
    return sorted(groups_of(action, tiles), key=lambda group: -int(VALUE[table, group[0], group[1]]))


def move_of(view: np.record, action: int) -> Move:
    """Return a split of the viewer's hand, the high group first, `[6:6][6:3] / [4:4][1:1]`."""
    groups = groups_high_first(view.table, action, view.tiles)
    return Move(groups=tuple(tuple(sorted(map(int, group), reverse=True)) for group in groups))


MOVES = unseen_splits(groups_of, "abcd", len(SPLITS))
