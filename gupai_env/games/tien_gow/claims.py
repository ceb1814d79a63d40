"""What claims can name of Tien Gow."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    ActionFeature,
    Endings,
    Metric,
    Outcome,
    PositionFeature,
    Positions,
    Vocabulary,
    counts_of,
    of_moves,
    of_seats,
    ratio,
)
from gupai_env.games.tien_gow.combinations import SIZE, SUPREME
from gupai_env.games.tien_gow.rules import DISCARD, PLAYS, TILES, plays_of


def lead(positions: Positions, number: int) -> np.ndarray:
    """Return 1 where the seat to act is to lead."""
    return (positions.states.tiles == 0).astype(int)


def held(positions: Positions, number: int) -> np.ndarray:
    """Return how many tiles the seat to act holds."""
    return counts_of(positions.hands).sum(1)


def tricks(positions: Positions, number: int) -> np.ndarray:
    """Return how many tricks the seat to act has."""
    return positions.states.taken[positions.rows, positions.states.to_act].astype(int)


def could_beat(positions: Positions, number: int) -> np.ndarray:
    """Return 1 where a seat that follows may beat what lies."""
    return ((positions.states.tiles > 0) & positions.masks[:, :DISCARD].any(1)).astype(int)


def holds_supreme(positions: Positions, number: int) -> np.ndarray:
    """Return 1 where the supreme pair may be led."""
    return ((positions.states.tiles == 0) & positions.masks[:, SUPREME]).astype(int)


def actions_where(numbers: np.ndarray, positions: Positions) -> np.ndarray:
    """Return which actions are some combinations, bool [1, num_actions]."""
    actions = np.zeros((1, positions.masks.shape[1]), bool)
    actions[0, : len(numbers)] = numbers
    return actions


def leads_size(positions: Positions, number: int) -> np.ndarray:
    """Return which actions lead so many tiles."""
    return actions_where(np.equal(SIZE, number), positions) & (positions.states.tiles == 0)[:, None]


def leads_set(positions: Positions, number: int) -> np.ndarray:
    """Return which actions lead two tiles or more."""
    return actions_where(SIZE > 1, positions) & (positions.states.tiles == 0)[:, None]


def leads_supreme(positions: Positions, number: int) -> np.ndarray:
    """Return which action leads the supreme pair."""
    return actions_where(np.arange(DISCARD) == SUPREME, positions) & (positions.states.tiles == 0)[:, None]


def beats(positions: Positions, number: int) -> np.ndarray:
    """Return which actions beat what lies."""
    return actions_where(SIZE > 0, positions) & (positions.states.tiles > 0)[:, None]


def banker_gain(outcome: Outcome, number: int) -> np.ndarray:
    """Return what the banker won; after a single deal the leader is still its banker."""
    rows = np.arange(len(outcome.states))
    return outcome.states.total[rows, outcome.states.leader].astype(float)


def banker_wins(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where the banker won the last trick."""
    return (outcome.states.holder == outcome.states.leader).astype(float)


def no_trick(outcome: Outcome, number: int) -> np.ndarray:
    """Return how many seats took no trick."""
    return (outcome.states.taken[:, : outcome.variant.players] == 0).sum(1).astype(float)


def somebody_without(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where some seat took no trick."""
    return (no_trick(outcome, number) > 0).astype(float)


def winner_has_most(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where who won the last trick has no fewer tricks than any other seat."""
    taken, rows = outcome.states.taken[:, : outcome.variant.players], np.arange(len(outcome.states))
    return (taken[rows, outcome.states.holder] == taken.max(1)).astype(float)


def endings(outcome: Outcome) -> Endings:
    """Return of how many tiles the last trick was."""
    names = ("a single tile", "two tiles", "three tiles", "four tiles")
    return {f"the last trick is of {name}": outcome.states.tiles == size for size, name in enumerate(names, 1)}


def tricks_of_seats(outcome: Outcome, number: int) -> np.ndarray:
    """Return the tricks of the seats in question."""
    return of_seats(outcome, outcome.states.taken.astype(float))


def last_size(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where the last trick had so many tiles."""
    return (outcome.states.tiles == number).astype(float)


def winner_tricks(outcome: Outcome, number: int) -> np.ndarray:
    """Return 1 where who won the last trick had so many tricks, with it."""
    rows = np.arange(len(outcome.states))
    return (outcome.states.taken[rows, outcome.states.holder] == number).astype(float)


class Turn(NamedTuple):
    """A seat's turn in a trick, and what was known and done then.

    Attributes:
        table: The fields of the state that say what may be played; the next turn changes them.
        hand: The seat's hand, a tile set.
        action: The combination that it played, or the first discard.
    """

    table: SimpleNamespace
    hand: int
    action: int


def turns_of(outcome: Outcome, row: int) -> Iterator[Turn]:
    """Yield the turns of a deal that is over, in order."""
    state, players = outcome.states[row], outcome.variant.players
    hands = (state.hands + state.played + state.discards).tolist()
    record, play = state.record[: state.plays].tolist(), 0
    table = SimpleNamespace(done=0, tiles=0, lead=NOBODY, best=NOBODY, to_discard=0, taken=[0] * players)
    table.to_act = holder = int(state.opener)
    turns = 0
    while play < len(record):
        seat, action = table.to_act, record[play]
        yield Turn(table, hands[seat], action)
        if action < DISCARD:
            holder, table.best = seat, action
            if turns == 0:
                table.lead, table.tiles = action, int(SIZE[action])
        end = play + (1 if action < DISCARD else table.tiles)
        hands[seat] -= sum(int(TILES[kind]) for kind in record[play:end])
        play, turns, table.to_act = end, turns + 1, (seat + 1) % players
        if turns == players:
            table.taken[holder] += table.tiles
            table.done, table.tiles, table.lead, table.best = table.done + table.tiles, 0, NOBODY, NOBODY
            turns, table.to_act = 0, holder


def sets_led(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], the tiles led in sets once so many tricks or more were over, and all tiles led then."""
    sums = np.zeros((len(outcome.states), 2))
    for row in range(len(sums)):
        for table, _, action in turns_of(outcome, row):
            if table.tiles == 0 and table.done >= number:
                size = int(SIZE[action])
                sums[row] += (size * (size > 1), size)
    return sums


def given_up(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], how often a seat discarded although it could beat what lay, and how often it could."""
    rules, sums = outcome.variant.as_rules(), np.zeros((len(outcome.states), 2))
    for row in range(len(sums)):
        for table, hand, action in turns_of(outcome, row):
            if table.tiles > 0 and plays_of(rules, table, hand):
                sums[row] += (action >= DISCARD, 1)
    return sums


def supreme_led_after(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], where the supreme pair was led once so many tricks or more were over, and where it was led."""
    record = outcome.states.record
    led = ((record == SUPREME) & (np.arange(PLAYS) < outcome.states.plays[:, None])).any(1)
    late = np.zeros(len(led))
    for row in np.flatnonzero(led).tolist():
        late[row] = next(table.done for table, _, action in turns_of(outcome, row) if action == SUPREME) >= number
    return np.stack([late, led.astype(float)], 1)


CLAIMS = Vocabulary(
    positions={
        "lead": PositionFeature("one is to lead", lead),
        "held": PositionFeature("tiles in your hand", held),
        "tricks": PositionFeature("tricks that one has", tricks),
        "could_beat": PositionFeature("one follows and may beat what lies", could_beat),
        "holds_supreme": PositionFeature("one may lead the supreme pair", holds_supreme),
    },
    actions={
        "leads_size": ActionFeature("so many tiles are led", leads_size, True),
        "leads_set": ActionFeature("two tiles or more are led", leads_set),
        "leads_supreme": ActionFeature("the supreme pair is led", leads_supreme),
        "gives_up": of_moves("a tile is discarded", lambda move, _: move.discards),
        "beats": ActionFeature("what lies is beaten", beats),
    },
    metrics={
        "banker_gain": Metric("chips that the banker wins", CHIPS, banker_gain),
        "banker_wins": Metric("the banker wins the last trick", SHARE, banker_wins),
        "no_trick": Metric("seats without a trick", "seats", no_trick),
        "somebody_without": Metric("some seat takes no trick", SHARE, somebody_without),
        "winner_has_most": Metric("nobody has more tricks than who wins the last one", SHARE, winner_has_most),
        "tricks": Metric("tricks of the seats in question", "tricks", tricks_of_seats),
        "last_size": Metric("the last trick has so many tiles", SHARE, last_size, True),
        "winner_tricks": Metric("who wins the last trick has so many tricks", SHARE, winner_tricks, True),
        "sets_led": Metric(
            "share of tiles led in sets once so many tricks are over", "share", sets_led, True, statistic=ratio
        ),
        "given_up": Metric("discards where what lies may be beaten", "share of such turns", given_up, statistic=ratio),
        "supreme_after": Metric(
            "supreme pairs led once so many tricks are over", "share of them", supreme_led_after, True, statistic=ratio
        ),
    },
    endings=endings,
)
