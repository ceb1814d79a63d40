"""Jie Long (接龍, "connect the dragon"): one open end, and every tile you cannot or will not lay costs its pips.

Source: the rulebook, "Jie Long".

Deal     Four players get 8 tiles each, three get 10 (2 stay unused), two get 16.
Short    The deck without the doubles of 3 to 6, for two or three players: 12 or 8 tiles each.
Tiny     Two players get 3 of 7 tiles: those of the numbers 1, 3 and 5, [3:1] twice.
Move     Lay a tile that has the open number; its other end becomes the open one. The lead may leave either end
         open. Or discard any tile face down: with `forced_play` only if nothing matches.
Lock     With `double_lock`, when the turn is back with who laid the last tile, that seat may not lay a double; if
         only doubles match, the deal ends at once. The lock lasts until another tile is laid, so also for a
         second round of discards.
Ends     With `open_ends=2` the lead opens both its ends, a tile may be added to either, and nothing locks.
Stacked  With `stacked` the tiles of the line lie eight in a row, the ninth on the eighth, the tenth on the seventh, and
         so on, winding; with two open ends in the order they are laid. Pictures and observations show only the tiles
         that nothing covers. What may be laid and what is paid do not change.
Payoff   Every two seats settle the difference of their points, the pips each discarded (or was left with).
Doubles  With `all_laid_doubles`, if a seat laid all of its tiles, the points of the others count double: once, also
         if several seats did.
Winners  With `settlement` "kkoribuchigi" the seats with the fewest points win. Those with the most lose and, if the
         fewest are under 30, so do all with more than 30; each loser pays each winner one chip, or the difference
         of their points with "kkoribuchigi_difference". If all are equal, nobody pays.
Order    Turns go counter-clockwise round the table.
Match    The seat with the fewest points leads the next deal; on a tie the earlier in the order of the deal.
Korea    Kkoribuchigi (꼬리붙이기) is `forced_play` with its `settlement` and, for two or three players, the short deck.
Dragons  Dancing Dragons is `open_ends=2` with `forced_play` and `all_laid_doubles`.
"""

from dataclasses import dataclass
from typing import ClassVar

from gupai_env.core.rule import rule
from gupai_env.core.tiles import DECK, DOUBLES, FULL_SET, deck_of, kinds_in, parse_tiles, tile_set
from gupai_env.core.variant import FULL, TINY, Variant, option
from gupai_env.games.connecting import rules as connecting
from gupai_env.games.connecting.rules import (
    STACKED,
    back_with_last_player,
    clear,
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

SHORT = "short"
# By deck, full, short and tiny:
DECKS = (
    DECK,
    deck_of(FULL_SET - tile_set(parse_tiles("33 33 44 44 55 55 66 66"))),
    deck_of(tile_set(parse_tiles("11 31 31 33 51 53 55"))),
)
DECK_SETS = tuple(map(tile_set, DECKS))
HAND_SIZES = ((0, 0, 16, 10, 8), (0, 0, 12, 8, 0), (0, 0, 3, 0, 0))  # by number of players
DIFFERENCE, WINNER_TAKES_CHIPS, WINNER_TAKES_DIFFERENCE = range(3)  # settlements, in the order of their choices
SAFE = 30  # points; with more a seat loses to winners with fewer


@dataclass(frozen=True)
class JieLong(Variant):
    """The options of the rulebook's page "Jie Long"."""

    deck: str = option(
        FULL,
        '"full": the tiles of the rulebook; "short": without the doubles of 3 to 6; "tiny": the few of the page, so '
        "that all play can be searched",
        (FULL, SHORT, TINY),
    )
    forced_play: bool = option(False, "who can match must play; False: discarding is always allowed")
    double_lock: bool = option(False, "after everybody else discarded, the player of the last tile may lay no double")
    open_ends: int = option(1, "2: the lead opens both its ends and either may be added to", (1, 2))
    stake: float = option(1.0, "chips a pip of difference, or for each chip", allowed="a number from 0.01")
    settlement: str = option(
        "difference",
        '"difference": every two seats settle that of their points; "kkoribuchigi": losers pay winners a chip each; '
        '"kkoribuchigi_difference": losers pay winners the difference',
        ("difference", "kkoribuchigi", "kkoribuchigi_difference"),
    )
    all_laid_doubles: bool = option(False, "if a seat laid all of its tiles, the points of the others count double")
    stacked: bool = option(False, STACKED)

    LIMITS: ClassVar = {FULL: {}, SHORT: {"players": (2, 3)}, TINY: {"players": (2,)}}

    def __post_init__(self) -> None:
        super().__post_init__()
        require_stake(self, payoff_bound)


@rule
def deal_from(rules, state, order):
    """Deal all hands; the leader is to move."""
    clear(state)
    deal_hands(rules, state, order, HAND_SIZES[rules.deck][rules.players])


@rule
def locked(rules, state):
    """True if the seat to act may lay no double."""
    return rules.double_lock and rules.open_ends == 1 and back_with_last_player(rules, state)


@rule
def playable(rules, state):
    """Return the kinds that the seat to act may lay."""
    kinds = kinds_in(state.hands[state.to_act]) & matching_kinds(state)
    return kinds & ~DOUBLES if locked(rules, state) else kinds


@rule
def only_doubles_match(rules, state):
    """True if the lock ends the deal: all that the seat to act could lay are doubles, and these are barred."""
    return locked(rules, state) and (
        kinds_in(state.hands[state.to_act]) & matching_kinds(state) != 0 and playable(rules, state) == 0
    )


@rule
def legal_actions(rules, state, mask):
    """Mark the plays, and the discards where they are allowed; the lead must be played."""
    kinds = playable(rules, state)
    mark_plays(state, kinds, rules.open_ends == 2, mask)
    if kinds == 0 or not (rules.forced_play or state.turn == 0):
        mark_discards(state, mask)


@rule
def step(rules, state, action):
    """Lay or discard a tile; the deal ends with the last tile, or by the lock."""
    shed(rules, state, action, rules.open_ends == 2)
    if not state.terminated and only_doubles_match(rules, state):
        end_early(rules, state)


@rule
def times_counted(rules, state):
    """Return how often points count: twice with `all_laid_doubles` if a seat has none, for it laid all of its tiles."""
    if rules.all_laid_doubles:
        for seat in range(rules.players):
            if state.points[seat] == 0:
                return 2
    return 1


@rule
def payoffs(rules, state, out):
    """Fill `out` with chips: `stake` for each that two seats settle."""
    times = times_counted(rules, state)
    if rules.settlement == DIFFERENCE:
        connecting.settle(rules, state, out)
        pay_stake(rules, times * rules.stake, out)
    else:
        pay_winners(rules, state, times, out)
        pay_stake(rules, rules.stake, out)


@rule
def pay_winners(rules, state, times, out):
    """Let each loser pay each seat with the fewest points, where points count so many `times`; the caller scales it."""
    fewest = most = state.points[0]
    for seat in range(1, rules.players):
        fewest, most = min(fewest, state.points[seat]), max(most, state.points[seat])
    for loser in range(rules.players):
        more = times * (state.points[loser] - fewest)
        over = times * fewest < SAFE < times * state.points[loser]
        if more == 0 or not (over or state.points[loser] == most):
            continue
        for seat in range(rules.players):
            if state.points[seat] == fewest:
                chips = more if rules.settlement == WINNER_TAKES_DIFFERENCE else 1
                out[seat] += chips
                out[loser] -= chips


@rule
def next_deal(rules, state):
    """The seat with the fewest points leads the next deal of a match."""
    state.leader = winner(rules, state)


def payoff_bound(variant: JieLong) -> float:
    """Return an upper bound of the chips that a seat can win or lose in a deal."""
    rules = variant.as_rules()
    if rules.settlement == WINNER_TAKES_CHIPS:
        return (variant.players - 1) * variant.stake
    hand_size = HAND_SIZES[rules.deck][variant.players]
    times = 2 if variant.all_laid_doubles else 1
    return times * connecting.payoff_bound(DECKS[rules.deck], variant.players, hand_size) * variant.stake
