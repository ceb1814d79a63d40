"""Ding Niu (頂牛, "bull fight"): two arms on a short deck, and a price on blocking them.

Source: the rulebook, "Ding Niu".

Deck     24 tiles: both copies of every civil kind, [6:2] and [6:3]. Four players get six each.
Tiny     Two players get 3 of [3:1], [4:4], [5:1] twice, [6:1] twice and [6:4] twice; the first place wins 1 chip.
Move     Lay a tile on either arm; the lead opens both its ends. Who cannot discards one face down; with
         `forced_play` off a discard is always allowed, but the lead must be played.
Block    After every played tile that is not a double (the lead aside) the layout may be a suan zhang, and who
         played it is the maker. Classic: no such tile is left off the layout that carries an open number.
         Smothered: some are left that carry a four or a five, but no chain of left ones leads to that number.
After    `after_suan_zhang` "doubles": all doubles of the open numbers are laid by their holders and the deal
         ends; "stop": it ends; "play_on": a smothered one ends it, after a classic one play continues, though
         doubles alone can fit.
End      All tiles are gone, or a suan zhang. Points are the pips discarded and those left in hand.
Payoff   Fewest points first; the first place goes to the earlier seat on a tie, the others to the later one.
         The four pay or win 6, -1, -2, -3; twice that if the maker of a suan zhang comes first; if not, the
         maker alone pays the first 12.
Basic    For beginners: without `suan_zhang` nothing blocks and play ends when no tile is left; with `settlement`
         "points" every two seats settle the difference of their points, and a suan zhang only ends the deal.
Spared   `exempt_forced_maker`, all of whose plays would have made a suan zhang (a double that fits is a way
         out, a discard is none, be it allowed or not), and `spare_pointless_maker` settle the deal as if there
         had been none, whatever place the maker takes.
Match    The winner leads the next deal.
Actions  Those of the connecting games: where the two open numbers differ, the end left open decides the arm.
"""

import functools
import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from gupai_env.core.bits import gather
from gupai_env.core.episode import NOBODY, clearing, seat_after, state_dtype
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    CARRYING,
    COPIES,
    DOUBLES,
    HIGHEST,
    KINDS,
    ONE,
    PIPS,
    deck_of,
    first_kind,
    kind_of,
    kinds_in,
    parse_tiles,
    size,
    tile_set,
)
from gupai_env.core.variant import FULL, TINY, Variant, option
from gupai_env.games.connecting import rules as connecting
from gupai_env.games.connecting.rules import (
    DISCARD,
    FIELDS,
    SEATS,
    deal_hands,
    end_early,
    mark_discards,
    mark_plays,
    matching_kinds,
    shed,
    winner,
)
from gupai_env.messages import say
from gupai_env.messages.checks import refused

BULLS = (kind_of(6, 2), kind_of(6, 3))
DECK_SET = tile_set(2 * [kind for kind in range(KINDS) if COPIES[kind] == 2]) + tile_set(BULLS)
DECK = deck_of(DECK_SET)  # int8 [24]
# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("31 44 51 51 61 61 64 64"))))
DECK_SETS = tuple(map(tile_set, DECKS))
HANDS = (6, 3)  # tiles
CHIPS = np.array([[6, -1, -2, -3], [1, -1, 0, 0]], np.int8)  # by place

NONE, CLASSIC, SMOTHERED = 0, 1, 2  # what a layout may be
SETTLEMENTS = ("chips", "points")
BY_POINTS = SETTLEMENTS.index("points")
AFTER = ("doubles", "stop", "play_on")
DOUBLES_LAID, PLAYED_ON = AFTER.index("doubles"), AFTER.index("play_on")

# The kinds that can unblock a layout: those of the deck that are not doubles. A set of them is a small index.
RUNNING = np.array([kind for kind in sorted(set(DECK.tolist())) if PIPS[kind, 0] != PIPS[kind, 1]], np.int8)
RUNNING_SET = sum(ONE[kind] for kind in RUNNING)


def bits(numbers: Iterable[int]) -> int:
    """Return a set of numbers as an integer, number n as bit n."""
    return sum(1 << number for number in set(numbers))


_LINKS = [bits(PIPS[kind].tolist()) for kind in RUNNING]


def _reached(index: int, number: int) -> int:
    """Return, as bits, `number` and the numbers to which chains of the kinds in `index` lead from it."""
    reached = bits([number])
    for _ in range(HIGHEST):  # a chain to a new number is no longer than that
        for place, link in enumerate(_LINKS):
            if index >> place & 1 and reached & link:
                reached |= link
    return reached


REACHED = np.array(
    [[_reached(index, number) for number in range(HIGHEST + 1)] for index in range(1 << len(RUNNING))], np.uint8
)  # [128, 7], bits
CARRIED = np.array(
    [
        functools.reduce(operator.or_, (link for place, link in enumerate(_LINKS) if index >> place & 1), 0)
        for index in range(1 << len(RUNNING))
    ],
    np.uint8,
)  # [128], the numbers that a set of kinds carries, as bits
NOTHING_FITS = 1  # bit 0, for no number is 0
_ENDS = 1 << np.arange(HIGHEST + 1)
_FITTING = CARRIED[:, None, None] & (_ENDS[:, None] | _ENDS)
LOST = np.where(_FITTING, CARRIED[:, None, None] & ~(REACHED[:, :, None] | REACHED[:, None, :]), NOTHING_FITS).astype(
    np.uint8
)  # [128, 7, 7], by kinds off the layout and open numbers: the numbers never reached, as bits
THREAT = np.zeros_like(LOST)  # what LOST may be after one tile more
for _place, _kind in enumerate(RUNNING):
    _off = np.flatnonzero(np.arange(len(LOST)) >> _place & 1)
    for _joins, _leaves in (PIPS[_kind], PIPS[_kind, ::-1]):
        for _after in (_off, _off ^ (1 << _place)):  # another copy of it is off the layout, or none
            THREAT[_off, _joins, :] |= LOST[_after, _leaves, :]
            THREAT[_off, :, _joins] |= LOST[_after, :, _leaves]


@dataclass(frozen=True)
class DingNiu(Variant):
    """The options of the rulebook's page "Ding Niu"."""

    players: int = option(4, "number of seats", (2, 4))
    forced_play: bool = option(True, "who can match must play; False: discarding is always allowed")
    after_suan_zhang: str = option("doubles", "what follows a suan zhang", AFTER)
    smothered_numbers: tuple[int, ...] = option(
        (4, 5),
        "numbers that make a suan zhang when they can never be reached",
        encode=bits,
        allowed="different numbers from 1 to 6",
    )
    exempt_forced_maker: bool = option(False, "a maker without another tile to play is not charged")
    spare_pointless_maker: bool = option(False, "a maker who ends with zero points is not charged")
    suan_zhang: bool = option(True, "the line can be blocked; False: play ends when no tile is left")
    settlement: str = option(
        "chips",
        '"chips": by place and for the suan zhang; "points": every two seats settle the difference of their points',
        SETTLEMENTS,
    )

    LIMITS: ClassVar = {FULL: {"players": (4,)}, TINY: {"players": (2,)}}
    open_ends: ClassVar[int] = 2  # these three are options of Jie Long
    stake: ClassVar[float] = 1.0
    stacked: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        numbers = self.smothered_numbers
        if len(set(numbers)) < len(numbers) or any(type(n) is not int or not 1 <= n <= HIGHEST for n in numbers):
            raise refused(
                "smothered_numbers",
                numbers,
                say("they must be different numbers from {least} to {most}", least=1, most=6),
            )


STATE = state_dtype(
    SEATS,
    *FIELDS,
    ("suan_zhang", "i1", (), NONE),  # the first of the deal: NONE, CLASSIC or SMOTHERED
    ("maker", "i1", (), NOBODY),  # the seat that made it
    ("exempt", "i1"),  # `exempt_forced_maker` spares the maker; depends on the hand it held
)
clear: Callable[..., Any] = clearing(STATE)


@rule
def deal_from(rules, state, order):
    """Deal all hands; the leader is to move."""
    clear(state)
    deal_hands(rules, state, order, HANDS[rules.deck])


@rule
def off_layout(rules, played):
    """Return the tiles, doubles aside, that are not on the layout; `played` are tile sets by seat."""
    remaining = DECK_SETS[rules.deck]
    for seat in range(len(played)):
        remaining -= played[seat]
    return remaining & ~(DOUBLES * 7)


@rule
def judge(rules, remaining, end, other):
    """Return what a layout with these open numbers is: NONE, CLASSIC or SMOTHERED; `left` is off it."""
    lost = LOST[gather(kinds_in(remaining), RUNNING_SET), end, other]
    if lost & NOTHING_FITS:
        return CLASSIC
    return SMOTHERED if lost & rules.smothered_numbers else NONE


@rule
def made_by(rules, remaining, ends, kind, end):
    """Return what the layout becomes when `kind` is laid on it with its `end` (0 high, 1 low) open."""
    joins, leaves = PIPS[kind, 1 - end], PIPS[kind, end]
    if ends[0] == 0 or joins == leaves:
        return NONE
    return judge(rules, remaining - ONE[kind], leaves, ends[1] if ends[0] == joins else ends[0])


@rule
def has_no_way_out(rules, hand, remaining, ends):
    """True if every play of `hand` makes a suan zhang, whatever may be discarded; it can lay a tile."""
    kinds = kinds_in(hand) & (CARRYING[ends[0]] | CARRYING[ends[1]])
    if kinds & DOUBLES:
        return False
    while kinds:
        kind = first_kind(kinds)
        kinds -= ONE[kind]
        for end in range(2):
            joins = PIPS[kind, 1 - end]
            if joins in (ends[0], ends[1]) and made_by(rules, remaining, ends, kind, end) == NONE:
                return False
    return True


@rule
def legal_actions(rules, state, mask):
    """Mark the plays, and the discards where they are allowed; the lead must be played."""
    kinds = kinds_in(state.hands[state.to_act]) & matching_kinds(state)
    mark_plays(state, kinds, True, mask)
    if kinds == 0 or not (rules.forced_play or state.turn == 0):
        mark_discards(state, mask)


@rule
def step(rules, state, action):
    """Lay or discard a tile; the deal ends with the last tile or, as the option says, by a suan zhang."""
    made = NONE
    if rules.suan_zhang and action < DISCARD and state.suan_zhang == NONE:
        remaining = off_layout(rules, state.played)
        made = made_by(rules, remaining, state.ends, action % KINDS, action // KINDS)
        if made != NONE:
            state.suan_zhang = made
            state.maker = state.to_act
            if rules.exempt_forced_maker:
                state.exempt = has_no_way_out(rules, state.hands[state.to_act], remaining, state.ends)
    shed(rules, state, action, True)
    if made == NONE or (made == CLASSIC and rules.after_suan_zhang == PLAYED_ON):
        return
    if rules.after_suan_zhang == DOUBLES_LAID:
        lay_doubles(rules, state)
    end_early(rules, state)


@rule
def lay_doubles(rules, state):
    """Every holder lays the doubles of the open numbers."""
    doubles = 7 * (DOUBLES & matching_kinds(state))
    for seat in range(rules.players):
        laid = state.hands[seat] & doubles
        state.hands[seat] -= laid
        state.played[seat] += laid
        state.plays[seat] += size(laid)
        while laid:
            kind = first_kind(laid)
            laid -= ONE[kind]
            state.laid_at[kind] = state.turn


@rule
def place_of(rules, state, seat, first):
    """Return the place, from 0, of a seat in a deal that is over and that `first` has won."""
    if seat == first:
        return 0
    place, later = 1, False
    other = state.leader
    for _ in range(rules.players):
        if other == seat:
            later = True
        elif other != first:
            place += state.points[other] < state.points[seat] or (later and state.points[other] == state.points[seat])
        other = seat_after(rules, state, other)
    return place


@rule
def charged_maker(rules, state):
    """Return who answers for the suan zhang; NOBODY if there was none or a house rule spares its maker."""
    maker = state.maker
    if maker != NOBODY and (state.exempt or (rules.spare_pointless_maker and state.points[maker] == 0)):
        return NOBODY
    return maker


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: by place and by what the maker of a suan zhang answers for, or for each point."""
    if rules.settlement == BY_POINTS:
        connecting.settle(rules, state, out)
        return
    maker, first = charged_maker(rules, state), winner(rules, state)
    chips = CHIPS[rules.deck]
    if maker != NOBODY and maker != first:
        out[first] = 2 * chips[0]
        out[maker] = -2 * chips[0]
        return
    for seat in range(rules.players):
        out[seat] = chips[place_of(rules, state, seat, first)] * (1 if maker == NOBODY else 2)


@rule
def next_deal(rules, state):
    """The winner leads the next deal of a match."""
    state.leader = winner(rules, state)


def payoff_bound(variant: DingNiu) -> float:
    """Return an upper bound of the chips that a seat can win or lose in a deal."""
    rules = variant.as_rules()
    if rules.settlement == BY_POINTS:
        return connecting.payoff_bound(DECKS[rules.deck], variant.players, HANDS[rules.deck])
    return 2.0 * CHIPS[rules.deck, 0]
