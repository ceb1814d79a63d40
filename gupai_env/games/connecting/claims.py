"""What claims can name of all connecting games, and of those with one open end."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import KINDS, PIPS, WEIGHT
from gupai_env.games.claims import (
    LEADER,
    SHARE,
    Endings,
    Metric,
    Outcome,
    PlayerChange,
    PositionFeature,
    Positions,
    Vocabulary,
    carrying,
    counts_of,
    of_moves,
    of_seats,
    plays_double,
    points,
)
from gupai_env.games.connecting.rules import DISCARD, TURNS


def unseen(positions: Positions) -> np.ndarray:
    """Return the tiles that lie in no place that the seat to act sees, tile sets, int64 [N]."""
    own: np.ndarray = positions.hands + positions.states.discards[positions.rows, positions.states.to_act]
    return positions.deck - own - positions.states.played[:, : positions.variant.players].sum(1)


def all_discarded(positions: Positions, number: int) -> np.ndarray:
    """Return where all others have discarded since the seat to act laid the last tile."""
    back = positions.states.last_player == positions.states.to_act
    return back & (positions.states.passes >= positions.variant.players - 1)


POSITIONS = {
    "lead": PositionFeature("nothing lies yet", lambda positions, _: positions.states.turn == 0),
    "open": PositionFeature(
        "the number is open", lambda positions, number: (positions.states.ends == number).any(1), True
    ),
    "all_discarded": PositionFeature("all others discarded since one laid the last tile", all_discarded),
    "unseen": PositionFeature(
        "tiles with the number that one has not seen",
        lambda positions, number: counts_of(unseen(positions)) @ carrying(number),
        True,
    ),
}


ACTIONS = {
    "lays": of_moves("a tile is laid, not discarded", lambda move, _: not move.discards and move.tiles != ()),
    "double": of_moves(
        "a double is laid, or that of the number",
        lambda move, number: not move.discards and plays_double(move, number),
        None,
    ),
}


def changes(actions: int) -> dict[str, PlayerChange]:
    """Return the changes of players of a game with so many actions."""
    numbers = np.arange(actions)
    discards = (numbers >= DISCARD) & (numbers < DISCARD + KINDS)
    return {
        "discards": PlayerChange(lambda _: "discards drawn", drawn=discards),
        "lays": PlayerChange(lambda _: "lays whenever it can", barred=discards),
    }


def stubborn_doubles(outcome: Outcome, number: int) -> np.ndarray:
    """Return the share of doubles that were laid less that of other tiles of equal pips, mean over these pips."""
    states, players = outcome.states, outcome.variant.players
    laid = counts_of(states.played[:, :players].sum(1))
    dropped = counts_of(states.discards[:, :players].sum(1))
    doubles, shares = PIPS[:, 0] == PIPS[:, 1], []
    for pips in (4, 6, 8, 10):
        rates = [
            laid[:, kinds] / (laid + dropped)[:, kinds].clip(1)
            for kinds in (np.flatnonzero((pips == WEIGHT) & kind) for kind in (doubles, ~doubles))
        ]
        shares.append(rates[0].mean(1) - rates[1].mean(1))
    return np.mean(shares, 0)


METRICS = {
    **LEADER,
    "stubborn_doubles": Metric(
        "share of doubles laid less that of other tiles of equal pips", "share", stubborn_doubles
    ),
    "tied_first": Metric(
        "two seats or more share the fewest points",
        SHARE,
        lambda outcome, _: (points(outcome) == points(outcome).min(1, keepdims=True)).sum(1) > 1,
    ),
    "tied_any": Metric(
        "some two seats have equal points",
        SHARE,
        lambda outcome, _: (np.diff(np.sort(points(outcome), 1), axis=1) == 0).any(1),
    ),
}


def tiles_in_hand(outcome: Outcome) -> np.ndarray:
    """Return in which deals tiles are left in some hand, bool [N]."""
    return (outcome.states.hands[:, : outcome.variant.players] != 0).any(1)


def swept(outcome: Outcome) -> np.ndarray:
    """Return in which deals some seat has laid all of its tiles, bool [N]."""
    return (outcome.states.plays == outcome.states.hand_size[:, None]).any(1)


# --- with one open end ----------------------------------------------------------------------------


def turns_of(outcome: Outcome) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    """Yield the turns of deals that are over: whose each is, int [N], where the deal was still under way and where a
    tile is laid, bool [N], and the number that was open before, int [N], 0 for none.
    """
    states, open_number = outcome.states, np.zeros(len(outcome.states), int)
    for turn in range(TURNS):
        under_way, actions = turn < states.turn, states.record[:, turn].astype(int)
        laid = under_way & (actions < DISCARD)
        yield (states.leader + turn) % outcome.variant.players, under_way, laid, open_number
        open_number = np.where(laid, PIPS[actions % KINDS, (actions // KINDS).clip(0, 1)], open_number)


def lockouts(outcome: Outcome, number: int) -> np.ndarray:
    """Return how often the seats in question left the number open and all others then discarded."""
    deals, players = len(outcome.states), outcome.variant.players
    times, last, passes = np.zeros((deals, players), int), np.full(deals, NOBODY), np.zeros(deals, int)
    for seat, under_way, laid, open_number in turns_of(outcome):
        last, passes = np.where(laid, seat, last), np.where(laid, 0, passes + under_way)
        out = under_way & ~laid & (passes == players - 1) & (open_number == number)
        times[out, last[out]] += 1
    return of_seats(outcome, times)


def count_misleads(outcome: Outcome, number: int) -> np.ndarray:
    """Return where of some two seats the one with fewer discards has more pips in them."""
    drops, pips = outcome.states.drops[:, : outcome.variant.players].astype(int), points(outcome)
    against = (drops[:, :, None] - drops[:, None, :]) * (pips[:, :, None] - pips[:, None, :]) < 0
    return against.any((1, 2))


METRICS_OF_ONE_END = {
    "lockouts": Metric(
        "how often the seat leaves the number open and all others then discard", "times per deal", lockouts, True
    ),
    "locks_out": Metric("at least once so", SHARE, lambda outcome, number: lockouts(outcome, number) >= 1, True),
    "locks_out_twice": Metric("at least twice so", SHARE, lambda outcome, number: lockouts(outcome, number) >= 2, True),
    "count_misleads": Metric(
        "of some two seats the one with fewer discards has more pips in them", SHARE, count_misleads
    ),
}


def vocabulary(
    actions: int, metrics: dict[str, Metric], endings: Callable[[Outcome], Endings], **more: Any
) -> Vocabulary:
    """Return what claims can name of a connecting game with so many actions.

    Args:
        actions: How many the game has.
        metrics: What can be measured of a deal, by name.
        endings: Says how a deal ended.
        more: Other fields of a `Vocabulary`.
    """
    changes_of_game = changes(actions)
    return Vocabulary(
        positions=POSITIONS, actions=ACTIONS, metrics=metrics, endings=endings, changes=changes_of_game, **more
    )
