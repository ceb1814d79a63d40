"""Ce Deng (斜釘, "oblique nail"): Jie Long with forced play, a block, and doubled payments.

Source: the rulebook, "Ce Deng". A discard is called a drink.

Deal     Eight tiles to each seat whatever their number; the rest stay unused.
Tiny     Two players get 4 of [1:1] twice, [3:1] twice, [3:3], [5:1], [5:3], [5:5] and [6:1]. Four doubles may be
         declared, a pass lays four tiles, and nobody holds doubles enough for a redeal.
Before   A seat with eight doubles may declare them: nothing is played and each other seat pays twice the pips
         in its hand. A seat with `redeal_doubles` or more may demand a redeal. Only such seats are asked, from
         the leader on, and the others do not see it.
Move     Lay a tile that has the open number; who cannot discards one face down.
Stacked  With `stacked` the tiles of the line lie eight in a row, the ninth on the eighth, and so on, as in Jie Long:
         pictures and observations show only the tiles that nothing covers.
End      All tiles are gone; or all others drank in succession and the player of the last tile cannot match
         either: then what is left in hand counts too.
Payoff   Jie Long's difference for every two seats, doubled if just one of them laid all eight tiles (a pass),
         and doubled if just one laid next to none (head seven for the leader, tail eight for the others).
Stake    `stake` chips are paid per pip, also when eight doubles are declared.
Names    The numbers: 6 dragon, 5 plum, 4 blood, 3 slant, 2 two, 1 nail. A double is stubborn.
Order    Turns go counter-clockwise round the table in the first deal, clockwise in the second, and so on in turn.
Match    The seat with the fewest points, or the declarer, leads the next deal; the order of turn reverses.
Actions  After those of the connecting games: 63 declares, 64 demands a redeal, 65 plays on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from gupai_env.core.episode import BYTE, NOBODY, clearing, seat_after, state_dtype
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive
from gupai_env.core.rule import rule
from gupai_env.core.tiles import (
    DECK,
    DOUBLES,
    KINDS,
    MOST_TILES,
    deck_of,
    kinds_in,
    parse_tiles,
    shuffle_deck,
    size,
    tile_set,
    weight,
)
from gupai_env.core.variant import Variant, option
from gupai_env.games.connecting import rules as connecting
from gupai_env.games.connecting.rules import (
    DISCARD,
    FIELDS,
    SEATS,
    STACKED,
    back_with_last_player,
    deal_hands,
    end_early,
    mark_discards,
    mark_plays,
    matching_kinds,
    pay_stake,
    require_stake,
    shed,
    winner,
)

# By deck, full and tiny:
DECKS = (DECK, deck_of(tile_set(parse_tiles("11 11 31 31 33 51 53 55 61"))))
DECK_SETS = tuple(map(tile_set, DECKS))
HANDS = (8, 4)  # tiles
DECLARE = DISCARD + KINDS
REDEAL = DECLARE + 1
PLAY_ON = DECLARE + 2


@dataclass(frozen=True)
class CeDeng(Variant):
    """The options of the rulebook's page "Ce Deng"."""

    declare_eight_doubles: bool = option(True, "a hand of eight doubles may be declared instead of played")
    redeal_doubles: int = option(7, "doubles that give the right to a redeal; 0: no redeals", (7, 6, 0))
    strict_head_tail: bool = option(False, "head six and tail seven double payments too")
    stake: float = option(1.0, "chips per pip, agreed before the game", allowed="a number from 0.01")
    stacked: bool = option(False, STACKED)

    forced_play: ClassVar[bool] = True  # these two are options of Jie Long
    open_ends: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require_stake(self, payoff_bound)


STATE = state_dtype(
    SEATS,
    *FIELDS,
    ("rights", "i1"),  # seats, as bits, still to be asked before the play
    ("declarer", "i1", (), NOBODY),  # who showed eight doubles
    ("redeals", "i1"),  # hands thrown in before this one
)
clear: Callable[..., Any] = clearing(STATE)


@rule
def doubles_held(hand):
    """Return how many doubles a hand holds."""
    return size(hand & (7 * DOUBLES))


@rule
def may_declare(rules, hand):
    """True if the hand may be declared."""
    return rules.declare_eight_doubles and doubles_held(hand) == HANDS[rules.deck]


@rule
def may_redeal(rules, hand):
    """True if the hand gives the right to a redeal."""
    return rules.redeal_doubles > 0 and doubles_held(hand) >= rules.redeal_doubles


@rule
def deal_from(rules, state, order):
    """Deal all hands; the first seat with a right is asked, or the leader is to move."""
    clear(state)
    deal_hands(rules, state, order, HANDS[rules.deck])
    give_rights(rules, state)
    ask_next(rules, state)


@rule
def give_rights(rules, state):
    """Note which seats are to be asked before the play."""
    for seat in range(rules.players):
        if may_declare(rules, state.hands[seat]) or may_redeal(rules, state.hands[seat]):
            state.rights |= 1 << seat


@rule
def ask_next(rules, state):
    """Turn to the first seat from the leader on that still has a right, or to the leader to begin."""
    state.to_act = state.leader
    if state.rights:
        while not state.rights >> state.to_act & 1:
            state.to_act = seat_after(rules, state, state.to_act)


@rule
def history(rules, state, order, actions):
    """Reconstruct a deal under way, since the last redeal, as in all connecting games."""
    answers = 0
    for seat in range(rules.players):
        hand = state.hands[seat] + state.discards[seat] + state.played[seat]
        if (may_declare(rules, hand) or may_redeal(rules, hand)) and not state.rights >> seat & 1:
            actions[answers] = PLAY_ON
            answers += 1
    return answers + connecting.history(rules, state, order, actions[answers:])


@rule
def legal_actions(rules, state, mask):
    """Mark the answers of a seat that is asked, else the plays, or the discards if there are none."""
    hand = state.hands[state.to_act]
    if state.rights:
        mask[DECLARE] = may_declare(rules, hand)
        mask[REDEAL] = may_redeal(rules, hand)
        mask[PLAY_ON] = True
        return
    kinds = kinds_in(hand) & matching_kinds(state)
    mark_plays(state, kinds, False, mask)
    if kinds == 0:
        mark_discards(state, mask)


@rule
def step(rules, state, action):
    """Answer, lay or drink; the deal ends with the last tile, a declaration or a block."""
    if action == DECLARE:
        state.declarer = state.to_act
        state.terminated = 1
    elif action == REDEAL:
        redeals = state.redeals + 1
        key = derive(derive(state.seed, state.deal), redeals)
        order = scratch(MOST_TILES, BYTE)
        tiles = shuffle_deck(DECKS[rules.deck], key, order)
        deal_from(rules, state, order[:tiles])
        state.redeals = redeals
    elif action == PLAY_ON:
        state.rights &= ~(1 << state.to_act)
        ask_next(rules, state)
    else:
        shed(rules, state, action, False)
        if not state.terminated and blocked(rules, state):
            end_early(rules, state)


@rule
def blocked(rules, state):
    """True if all others drank since the seat to act laid the last tile, and it cannot match either."""
    return back_with_last_player(rules, state) and kinds_in(state.hands[state.to_act]) & matching_kinds(state) == 0


@rule
def is_pass(rules, state, seat):
    """True if the seat laid all its tiles."""
    return state.plays[seat] == HANDS[rules.deck]


@rule
def is_head_or_tail(rules, state, seat):
    """True for head seven and tail eight; if `strict_head_tail` for head six and tail seven too."""
    return state.plays[seat] <= (seat == state.leader) + rules.strict_head_tail


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: the doubled differences of points, or what a declaration of eight doubles wins."""
    if state.declarer != NOBODY:
        for seat in range(rules.players):
            if seat != state.declarer:
                out[seat] = -2 * weight(state.hands[seat])
                out[state.declarer] -= out[seat]
    else:
        settle(rules, state, out)
    pay_stake(rules, rules.stake, out)


@rule
def settle(rules, state, out):
    """Fill `out` with what every two seats settle, pips: the difference of their points with its doublings."""
    for seat in range(rules.players):
        for other in range(rules.players):
            chips = state.points[other] - state.points[seat]
            if is_pass(rules, state, seat) != is_pass(rules, state, other):
                chips *= 2
            if is_head_or_tail(rules, state, seat) != is_head_or_tail(rules, state, other):
                chips *= 2
            out[seat] += chips


@rule
def next_deal(rules, state):
    """The winner or declarer leads the next deal of a match, and the order of turn reverses."""
    state.leader = winner(rules, state) if state.declarer == NOBODY else state.declarer
    state.direction = -state.direction


def payoff_bound(variant: CeDeng) -> float:
    """Return an upper bound of the chips that a seat can win or lose in a deal: every difference doubled twice."""
    rules = variant.as_rules()
    return 4 * connecting.payoff_bound(DECKS[rules.deck], variant.players, HANDS[rules.deck]) * variant.stake
