"""What is measured of deals that are over, by name: the metrics that claim files choose from.

A measure gives one value a deal, [N], or several, [N, k], of whose means over all deals a statistic is taken.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gupai_agents.evaluation.claims.features import ALL, CONNECTING
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.tiles import KINDS, NO_TILE, PIPS, WEIGHT
from gupai_env.core.variant import Variant
from gupai_env.games.ce_deng.rules import HANDS as CE_DENG_HANDS
from gupai_env.games.connecting.rules import DISCARD, TURNS
from gupai_env.games.da_ling.rules import GROUP_OF, GROUPS, NO_MATCH, WILD, WILD_ADDS, WORTH
from gupai_env.games.ding_niu.rules import CHIPS, CLASSIC, SMOTHERED
from gupai_env.games.tiu_u.rules import BIG_POINTS


class Outcome(NamedTuple):
    """Deals that are over: their states at the end, and which seats are meant, int64 [N, roles]."""

    game: Game
    variant: Variant
    states: np.recarray
    seats: np.ndarray
    sitting: np.ndarray | None = None  # where players are drawn for the seats: whose number sits there


@dataclass(frozen=True)
class Measure:
    """A metric: of which games, what it is and in which unit; `statistic` of the means of its values, if several."""

    games: tuple[str, ...]
    what: str
    unit: str
    values: Callable[[Outcome, int], np.ndarray]
    number: bool = False
    statistic: Callable[[np.ndarray], float] | None = None
    drawn: bool = False  # looks at who was drawn for each seat


def ratio(means: np.ndarray) -> float:
    """Return the first mean over the second; NaN over nothing."""
    return float(means[0] / means[1]) if means[1] else float("nan")


def of_seats(outcome: Outcome, values: np.ndarray) -> np.ndarray:
    """Return the sum over the seats that are meant of values by seat, [N, seats]."""
    total: np.ndarray = np.take_along_axis(values, outcome.seats, 1).sum(1)
    return total


def chips(outcome: Outcome, number: int) -> np.ndarray:
    """Return what the seats that are meant won."""
    return of_seats(outcome, outcome.states.total.astype(np.float64))


def by_player(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2 MOST_DRAWN + 1], chips of every player and how many seats it has, and the sum of their squares."""
    assert outcome.sitting is not None
    who = outcome.sitting[:, :, None] == np.arange(MOST_DRAWN)
    won = outcome.states.total[:, : outcome.variant.players].astype(np.float64)
    return np.concatenate([(who * won[:, :, None]).sum(1), who.sum(1), (won**2).sum(1, keepdims=True)], 1)


def skill_share(means: np.ndarray) -> float:
    """Return the variance of players' mean chips, each weighed by its seats, over that of the chips of a seat."""
    won, seats, squares = means[:MOST_DRAWN], means[MOST_DRAWN:-1], means[-1]
    own = np.divide(won, seats, out=np.zeros_like(won), where=seats > 0)
    mean = won.sum() / seats.sum()
    return float((seats * (own - mean) ** 2).sum() / (squares - seats.sum() * mean**2))


def points(outcome: Outcome) -> np.ndarray:
    """Return points by seat, int [N, players]."""
    return outcome.states.points[:, : outcome.variant.players].astype(int)


# --- connecting games -----------------------------------------------------------------------------


def lockouts(outcome: Outcome, number: int) -> np.ndarray:
    """Return how often each seat left the number open and all others then discarded, int [N, seats]."""
    states, players = outcome.states, outcome.variant.players
    rows, found = np.arange(len(states)), np.zeros((len(states), states.hands.shape[1]), int)
    last, left, passes = np.full(len(states), NOBODY), np.zeros(len(states), int), np.zeros(len(states), int)
    for turn in range(TURNS):
        under_way, actions = turn < states.turn, states.record[:, turn].astype(int)
        laid = under_way & (actions < DISCARD)
        seat = (states.leader + turn) % players
        last = np.where(laid, seat, last)
        left = np.where(laid, PIPS[actions % KINDS, (actions // KINDS).clip(0, 1)], left)
        passes = np.where(laid, 0, passes + under_way)
        out = under_way & ~laid & (passes == players - 1) & (left == number)
        found[rows[out], last[out]] += 1
    return found


def ends_met(outcome: Outcome, number: int) -> np.ndarray:
    """Return how often each end that a seat left was followed by each that it met next, [N, 36]."""
    states, players = outcome.states, outcome.variant.players
    found = np.zeros((len(states), 36))
    rows, open_now = np.arange(len(states)), np.zeros(len(states), int)
    left = np.zeros(
        (len(states), players), int
    )  # by seat, what it left open at its last turn; 0: it laid nothing
    for turn in range(TURNS):
        under_way, actions = turn < states.turn, states.record[:, turn].astype(int)
        laid, seat = under_way & (actions < DISCARD), (states.leader + turn) % players
        own = left[rows, seat]
        met = under_way & (own > 0) & (open_now > 0)
        found[rows[met], (own[met] - 1) * 6 + open_now[met] - 1] += 1
        open_now = np.where(laid, PIPS[actions % KINDS, (actions // KINDS).clip(0, 1)], open_now)
        left[rows, seat] = np.where(laid, open_now, 0)
    return found


def information_share(means: np.ndarray) -> float:
    """Return the mutual information of what was left and met, as a share of the entropy of what was met."""
    joint = means.reshape(6, 6) / means.sum()
    left, met = joint.sum(1, keepdims=True), joint.sum(0, keepdims=True)
    some = joint > 0
    information = float((joint[some] * np.log(joint[some] / (left * met)[some])).sum())
    return information / float(-(met[met > 0] * np.log(met[met > 0])).sum())


def stubborn_doubles(outcome: Outcome, number: int) -> np.ndarray:
    """Return the share of doubles that were laid less that of other tiles of equal pips, mean over these pips."""
    states = outcome.states
    laid = states.played[:, : outcome.variant.players].sum(1)[:, None] >> (3 * np.arange(KINDS)) & 7
    dropped = states.discards[:, : outcome.variant.players].sum(1)[:, None] >> (3 * np.arange(KINDS)) & 7
    double, shares = PIPS[:, 0] == PIPS[:, 1], []
    for pips in (4, 6, 8, 10):
        of = [laid[:, each] / (laid + dropped)[:, each].clip(1) for each in _sets(pips, double)]
        shares.append(of[0].mean(1) - of[1].mean(1))
    return np.mean(shares, 0)


def _sets(pips: int, double: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero((pips == WEIGHT) & double), np.flatnonzero((pips == WEIGHT) & ~double)]


def doubled_payments(outcome: Outcome, number: int, passes: bool = False) -> np.ndarray:
    """Return how many payments between two seats are doubled by head or tail (with `passes`, or by a pass)."""
    states, players = outcome.states, outcome.variant.players
    plays, seats = states.plays[:, :players].astype(int), np.arange(players)
    strict = bool(getattr(outcome.variant, "strict_head_tail", False))
    short = plays <= (seats == states.leader[:, None]).astype(int) + strict
    swept = plays == CE_DENG_HANDS[0]
    total = np.zeros(len(states))
    for seat in range(players):
        for other in range(seat):
            total += short[:, seat] != short[:, other]
            if passes:
                total += swept[:, seat] != swept[:, other]
    return np.where(states.declarer == NOBODY, total, 0)


def count_misleads(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where of some two seats the one with fewer discards has more pips in them."""
    drops, pips = outcome.states.drops[:, : outcome.variant.players].astype(int), points(outcome)
    against = (drops[:, :, None] - drops[:, None, :]) * (pips[:, :, None] - pips[:, None, :]) < 0
    return against.any((1, 2)).astype(float)


def loser_pays(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips if the seat with most points alone paid every other the difference; who tie share it."""
    found = points(outcome)
    most = found.max(1, keepdims=True)
    lost, losers = (most - found).sum(1, keepdims=True), (found == most).sum(1, keepdims=True)
    paid = np.where(found == most, -lost / losers, most - found)
    return of_seats(outcome, paid)


def pairwise_less_loser_pays(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips as paid, less those if one loser paid all."""
    return chips(outcome, number) - loser_pays(outcome, number)


# --- Ding Niu -------------------------------------------------------------------------------------


def tied_first(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where two seats or more have the fewest points."""
    found = points(outcome)
    return ((found == found.min(1, keepdims=True)).sum(1) > 1).astype(float)


def tied_any(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where some two seats have equal points."""
    return (np.diff(np.sort(points(outcome), 1), axis=1) == 0).any(1).astype(float)


def blocked(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where a suan zhang came within so many rounds."""
    states = outcome.states
    return ((states.maker != NOBODY) & (states.turn <= number * outcome.variant.players)).astype(float)


def blocked_with(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where a classic suan zhang shows the number, two and three being one kind."""
    states = outcome.states
    ends = np.sort(states.ends, 1)
    shows = [2, 3] if number in (2, 3) else [number, number]
    return ((states.suan_zhang == CLASSIC) & (ends == shows).all(1)).astype(float)


def smothered(outcome: Outcome, number: int) -> np.ndarray:
    """Return a thousand where the deal has a smothered suan zhang."""
    return np.where(outcome.states.suan_zhang == SMOTHERED, 1000.0, 0.0)


def smothered_by_winner(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], where the maker of a smothered suan zhang won chips, and where there was one."""
    made = outcome.states.suan_zhang == SMOTHERED
    won = outcome.states.total[np.arange(len(made)), outcome.states.maker.clip(0)] > 0
    return np.stack([made & won, made], 1).astype(float)


def tie_rule_gain(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips that the order on ties gives the seat at a place of the deal's order, over tied seats sharing."""
    states, found = outcome.states, points(outcome)
    plain, ranks = states.maker == NOBODY, CHIPS[0].astype(float)
    less = (found[:, None, :] < found[:, :, None]).sum(2)
    equal = (found[:, None, :] == found[:, :, None]).sum(2)
    sums = np.append(0, np.cumsum(ranks))
    shared = (sums[less + equal] - sums[less]) / equal
    seat = (states.leader + number - 1) % outcome.variant.players
    rows = np.arange(len(states))
    return np.where(plain, states.total[rows, seat] - shared[rows, seat], 0.0)


# --- Da Ling --------------------------------------------------------------------------------------


def strengths(outcome: Outcome) -> np.ndarray:
    """Return the pips of the colour in every group that matches, int [N, players, groups]; NO_MATCH in the others."""
    states, players = outcome.states, outcome.variant.players
    tiles = states.tiles[:, :players].astype(int)
    of = GROUP_OF[states.splits[:, :players]]
    worth = WORTH[np.where(tiles < 0, NO_TILE, tiles)]
    found = np.empty((len(states), players, GROUPS), int)
    for group in range(GROUPS):
        total = np.where(of == group, worth, 0).sum(2)
        match = np.zeros(total.shape, bool)
        for more in range(len(WILD) + 1):
            points_now = (total & 255) + more * WILD_ADDS
            match |= (points_now % 10 == states.target[:, None]) & ((total >> 8 & 255) >= more)
        red, black = total >> 16 & 255, total >> 24 & 255
        found[:, :, group] = np.where(match, np.where(states.red[:, None] != 0, red, black), NO_MATCH)
    return found


def _tied(found: np.ndarray) -> np.ndarray:
    most = found.max(1)
    return (most != NO_MATCH) & ((found == most[:, None]).sum(1) > 1)


def absolute_winner(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where some seat matches all three groups."""
    return (strengths(outcome) != NO_MATCH).all(2).any(1).astype(float)


def absolute_tie(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where the strongest of those that match all three tie."""
    found = strengths(outcome)
    total = np.where((found != NO_MATCH).all(2), found.sum(2), NO_MATCH)
    return _tied(total).astype(float)


def group_tie(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where nobody matches all three, and a stake stays with all because the strongest of a group tie."""
    found = strengths(outcome)
    nobody = ~(found != NO_MATCH).all(2).any(1)
    return (nobody & np.stack([_tied(found[:, :, group]) for group in range(3)]).any(0)).astype(float)


def house_income(outcome: Outcome, number: int) -> np.ndarray:
    """Return chips that no seat has: what the house took."""
    return -outcome.states.total[:, : outcome.variant.players].sum(1).astype(float)


# --- Tiu-U ----------------------------------------------------------------------------------------


def lake_left(outcome: Outcome, number: int) -> np.ndarray:
    """Return the tiles left in the lake."""
    counts = outcome.states.lake[:, None] >> (3 * np.arange(KINDS)) & 7
    left: np.ndarray = counts.sum(1).astype(float)
    return left


def big_share(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], points of big fish that the seat with most points caught, and all its points."""
    rows, best = np.arange(len(outcome.states)), points(outcome).argmax(1)
    catch = outcome.states.catches[rows, best][:, None] >> (3 * np.arange(KINDS)) & 7
    return np.stack([catch @ BIG_POINTS, points(outcome)[rows, best]], 1).astype(float)


# --- Small Mahjong --------------------------------------------------------------------------------


def drawn(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where nobody won."""
    return (outcome.states.winner == NOBODY).astype(float)


def won_within(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where somebody won within so many turns for every seat, counted over the table."""
    early = outcome.states.turns <= number * outcome.variant.players
    return ((outcome.states.winner != NOBODY) & early).astype(float)


def won_in_own_turns(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where somebody won at no later than its own turn of this number."""
    states = outcome.states
    seat, own = states.leader.astype(int), np.zeros(len(states), int)
    for turn in range(int(states.turns.max())):
        under_way = turn < states.turns
        if turn:
            seat = np.where(under_way, (seat + states.steps[:, turn]) % outcome.variant.players, seat)
        own += under_way & (seat == states.winner)
    return ((states.winner != NOBODY) & (own <= number)).astype(float)


def skipped(outcome: Outcome, number: int) -> np.ndarray:
    """Return how many turns were passed over by claims."""
    states = outcome.states
    steps = np.where(np.arange(states.steps.shape[1]) < states.turns[:, None], states.steps, 1)
    total: np.ndarray = (steps.astype(int).clip(1) - 1).sum(1).astype(float)
    return total


JIE_LONG, CE_DENG, DING_NIU, DA_LING, TIU_U, MAHJONG = (
    (each,) for each in ("jie-long", "ce-deng", "ding-niu", "da-ling", "tiu-u", "small-mahjong")
)
LINES = ("jie-long", "ce-deng")
MOST_DRAWN = 8  # players of a field
SHARE, CHIPS_UNIT = "share of deals", "chips"
MEASURES: dict[str, Measure] = {
    "chips": Measure(ALL, "chips of the seat in question (and its partner)", CHIPS_UNIT, chips),
    "skill_share": Measure(
        ALL,
        "share of the variance of a seat's chips that who sits there explains",
        "share",
        by_player,
        statistic=skill_share,
        drawn=True,
    ),
    "lockouts": Measure(
        LINES,
        "how often the seat leaves the number open and all others then discard",
        "times a deal",
        lambda o, n: of_seats(o, lockouts(o, n)).astype(float),
        True,
    ),
    "locks_out": Measure(
        LINES, "at least once so", SHARE, lambda o, n: (of_seats(o, lockouts(o, n)) >= 1).astype(float), True
    ),
    "locks_out_twice": Measure(
        LINES, "at least twice so", SHARE, lambda o, n: (of_seats(o, lockouts(o, n)) >= 2).astype(float), True
    ),
    "information": Measure(
        JIE_LONG,
        "how much the end that one leaves tells of the end that one meets next, as a share of its entropy",
        "share",
        ends_met,
        statistic=information_share,
    ),
    "count_misleads": Measure(
        LINES, "of some two seats the one with fewer discards has more pips in them", SHARE, count_misleads
    ),
    "loser_pays": Measure(LINES, "chips if the seat with most points alone paid all", CHIPS_UNIT, loser_pays),
    "pairwise_less_loser_pays": Measure(
        JIE_LONG, "chips as paid, less those if one loser paid all", CHIPS_UNIT, pairwise_less_loser_pays
    ),
    "stubborn_doubles": Measure(
        CONNECTING, "share of doubles laid less that of other tiles of equal pips", "share", stubborn_doubles
    ),
    "head_tail_payments": Measure(
        CE_DENG, "payments doubled by head or tail", "payments a deal", doubled_payments
    ),
    "doubled_payments": Measure(
        CE_DENG,
        "payments doubled by head, tail or pass",
        "payments a deal",
        lambda o, n: doubled_payments(o, n, True),
    ),
    "tied_first": Measure(CONNECTING, "two seats or more share the fewest points", SHARE, tied_first),
    "tied_any": Measure(CONNECTING, "some two seats have equal points", SHARE, tied_any),
    "blocked": Measure(DING_NIU, "a suan zhang within so many rounds", SHARE, blocked, True),
    "blocked_with": Measure(DING_NIU, "a classic suan zhang with this number", SHARE, blocked_with, True),
    "smothered": Measure(DING_NIU, "smothered suan zhangs", "a thousand deals", smothered),
    "smothered_by_winner": Measure(
        DING_NIU,
        "smothered suan zhangs whose maker won chips",
        "share of them",
        smothered_by_winner,
        statistic=ratio,
    ),
    "tie_rule_gain": Measure(
        DING_NIU,
        "chips that the order on ties gives the seat of this place in the order of play",
        CHIPS_UNIT,
        tie_rule_gain,
        True,
    ),
    "absolute_winner": Measure(DA_LING, "somebody matches all three groups", SHARE, absolute_winner),
    "absolute_tie": Measure(DA_LING, "the strongest absolute winners tie", SHARE, absolute_tie),
    "group_tie": Measure(DA_LING, "a group is left unpaid by a tie", SHARE, group_tie),
    "house_income": Measure(DA_LING, "chips that the house takes", CHIPS_UNIT, house_income),
    "lake_left": Measure(TIU_U, "tiles left in the lake", "tiles", lake_left),
    "lake_not_empty": Measure(
        TIU_U, "tiles are left in the lake", SHARE, lambda o, n: (lake_left(o, n) > 0).astype(float)
    ),
    "big_share": Measure(
        TIU_U, "share of the winner's points that big fish count", "share", big_share, statistic=ratio
    ),
    "draw": Measure(MAHJONG, "nobody wins", SHARE, drawn),
    "won_within": Measure(MAHJONG, "won within so many turns for every seat", SHARE, won_within, True),
    "won_in_own_turns": Measure(
        MAHJONG, "won by the winner's own turn of this number", SHARE, won_in_own_turns, True
    ),
    "skips": Measure(MAHJONG, "turns that claims pass over", "turns a deal", skipped),
    "somebody_skipped": Measure(
        MAHJONG, "claims pass over somebody's turn", SHARE, lambda o, n: (skipped(o, n) > 0).astype(float)
    ),
}
