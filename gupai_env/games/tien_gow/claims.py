"""What claims can name of Tien Gow."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import compress, product
from math import comb, prod
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from gupai_env.core.episode import NOBODY
from gupai_env.core.tiles import KINDS, tiles_in
from gupai_env.games.claims import (
    CHIPS,
    SHARE,
    ActionFeature,
    Endings,
    ExactQuestion,
    Facts,
    HandFeature,
    Metric,
    Outcome,
    PlayerChange,
    PositionFeature,
    Positions,
    Vocabulary,
    counts_of,
    explained,
    leader_chips,
    of_moves,
    of_seats,
    ratio,
    with_products,
)
from gupai_env.games.tien_gow.combinations import (
    BEATEN_BY,
    CLASS_NAMES,
    COMBINATIONS,
    KIND_STRENGTH,
    SIZE,
    SUPREME,
    Combination,
    beatable_by,
)
from gupai_env.games.tien_gow.rules import (
    DECK_SETS,
    DISCARD,
    GROWING,
    HAND,
    MULTIPLIED,
    PLAYS,
    SEATS,
    SINGLE,
    TILES,
    TienGow,
    plays_of,
)
from gupai_env.games.tien_gow.settlement import payoffs

HIGH = KIND_STRENGTH > 0.5  # tiles of the upper half of their suit, 16 of the 32
LOW = np.append(~HIGH, np.zeros(DISCARD - KINDS, bool))  # [combinations], single ones of the lower half
# [KINDS, KINDS]: whether a tile beats another. The first combinations are the single tiles, by kind.
BEATS = (BEATEN_BY[0, :KINDS] >> np.arange(KINDS)[:, None] & 1).astype(bool)


def before_discarded(positions: Positions, number: int) -> np.ndarray:
    """Return where the seat before has discarded to the trick on the table."""
    states = positions.states
    return (states.tiles > 0) & (states.record[positions.rows, states.plays - 1] >= DISCARD)


def leads(positions: Positions, combinations: np.ndarray) -> np.ndarray:
    """Return which actions lead one of some combinations, bool [N or none, combinations]."""
    actions = np.zeros_like(positions.masks)
    actions[:, : combinations.shape[-1]] = combinations
    return actions & (positions.states.tiles == 0)[:, None]


def doubted(others: np.ndarray, face_down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the single tiles that win when they are led, and those of them that seem not to, bool [N, KINDS].

    Args:
        others: Tiles in the other hands, tile sets [N].
        face_down: Tiles that lie face down before others, which might as well be in their hands.
    """
    threats, seeming = ((counts_of(tiles) > 0) @ BEATS for tiles in (others, face_down))
    return ~threats, ~threats & seeming


def leads_doubted(positions: Positions, number: int) -> np.ndarray:
    """Return which actions lead a single tile that nobody can beat, though one that lies face down would."""
    states, actor = positions.states, (positions.rows, positions.states.to_act)
    others, face_down = (tiles.sum(1) - tiles[actor] for tiles in (states.hands, states.discards))
    return leads(positions, doubted(others, face_down)[1])


def no_trick(outcome: Outcome, number: int) -> np.ndarray:
    """Return how many seats took no trick."""
    return (outcome.states.taken[:, : outcome.variant.players] == 0).sum(1)


def winner_tricks(outcome: Outcome) -> np.ndarray:
    """Return how many tricks who won the last one has, with it."""
    return outcome.states.taken[np.arange(len(outcome.states)), outcome.states.holder]


def endings(outcome: Outcome) -> Endings:
    """Return of how many tiles the last trick was."""
    names = ("a single tile", "two tiles", "three tiles", "four tiles")
    return {f"the last trick is of {name}": outcome.states.tiles == size for size, name in enumerate(names, 1)}


def last_won(outcome: Outcome, number: int) -> np.ndarray:
    """Return where the seat in question won the last trick."""
    return outcome.states.holder == outcome.seats[:, 0]


def low_shuts_out(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], 1 where such a tile won the last trick and some seat took none, and where such a tile won it."""
    low = LOW[outcome.states.best]
    return np.stack([low & (no_trick(outcome, number) > 0), low], 1)


def last_after(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], 1 where a seat won the last trick that had so many tricks before it, and how many had."""
    states, rows = outcome.states, np.arange(len(outcome.states))
    before = states.taken[:, : outcome.variant.players].copy()
    before[rows, states.holder] -= states.tiles
    return np.stack([before[rows, states.holder] == number, (before == number).sum(1)], 1)


def strengths(outcome: Outcome) -> np.ndarray:
    """Return the strength of every hand as dealt, float64 [N, players]: the place of each tile in its suit, 0 to 1."""
    states = outcome.states
    hands = (states.hands + states.played + states.discards)[:, : outcome.variant.players]
    return (counts_of(hands.reshape(-1)) @ KIND_STRENGTH).reshape(hands.shape)


def strongest_wins(outcome: Outcome, number: int) -> np.ndarray:
    """Return the share of a last trick that strongest hands won: 1, or less where several are the strongest."""
    strength, rows = strengths(outcome), np.arange(len(outcome.states))
    strongest = np.isclose(strength, strength.max(1, keepdims=True))
    return strongest[rows, outcome.states.holder] / strongest.sum(1)


def paid(outcome: Outcome, streak: int) -> np.ndarray:
    """Return the chips that every seat would win had the banker been it for so many deals in a row, [N, players]."""
    states, rules = outcome.states.copy(), outcome.variant.as_rules()
    states.streak = streak
    won = np.zeros((len(states), outcome.variant.players))
    for state, chips in zip(states, won, strict=True):
        payoffs(rules, state, chips)
    return won


def banker_gain_after(outcome: Outcome, number: int) -> np.ndarray:
    """Return what the banker wins in its deal of that number in a row."""
    return paid(outcome, number)[np.arange(len(outcome.states)), outcome.states.leader]


class Turn(NamedTuple):
    """A seat's turn in a trick, and what was known and done then.

    Attributes:
        table: The fields of the state that say what may be played, and all hands and discards; the next turn changes
            them.
        hand: The seat's hand, a tile set.
        action: The combination that it played, or the first discard.
    """

    table: SimpleNamespace
    hand: int
    action: int

    def leads_after(self, number: int) -> bool:
        """Return whether it leads to a trick, once so many or more are over."""
        return bool(self.table.tiles == 0 and self.table.done >= number)


def turns_of(outcome: Outcome, row: int) -> Iterator[Turn]:
    """Yield the turns of a deal that is over, in order."""
    state, players = outcome.states[row], outcome.variant.players
    hands, discards = (state.hands + state.played + state.discards).tolist(), [0] * players
    record, play = state.record[: state.plays].tolist(), 0
    table = SimpleNamespace(done=0, tiles=0, lead=NOBODY, best=NOBODY, to_discard=0, taken=[0] * players)
    table.hands, table.discards = hands, discards
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
        gone = sum(int(TILES[kind]) for kind in record[play:end])
        hands[seat] -= gone
        if action >= DISCARD:
            discards[seat] += gone
        play, turns, table.to_act = end, turns + 1, (seat + 1) % players
        if turns == players:
            table.taken[holder] += table.tiles
            table.done, table.tiles, table.lead, table.best = table.done + table.tiles, 0, NOBODY, NOBODY
            turns, table.to_act = 0, holder


def over_turns(outcome: Outcome, figures: Callable[[Turn], Sequence[int]]) -> np.ndarray:
    """Return the sums of two figures of every turn of each deal, [N, 2]."""
    rows = range(len(outcome.states))
    return np.array([np.sum([figures(turn) for turn in turns_of(outcome, row)], 0) for row in rows]).reshape(-1, 2)


def sets_led(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], the tiles led in sets once so many tricks or more were over, and all tiles led then."""

    def figures(turn: Turn) -> tuple[int, int]:
        size = int(SIZE[turn.action]) if turn.leads_after(number) else 0
        return size * (size > 1), size

    return over_turns(outcome, figures)


def given_up(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], how often a seat discarded although it could beat what lay, and how often it could."""
    rules = outcome.variant.as_rules()

    def figures(turn: Turn) -> tuple[bool, bool]:
        could = turn.table.tiles > 0 and bool(plays_of(rules, turn.table, turn.hand))
        return could and turn.action >= DISCARD, could

    return over_turns(outcome, figures)


def sure_doubted(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], the kinds of tiles of seats that led that nobody could beat, though one that lay face down would,
    and all that nobody could beat, once so many tricks or more were over.
    """

    def figures(turn: Turn) -> tuple[int, int]:
        if not turn.leads_after(number):
            return 0, 0
        face_down = sum(turn.table.discards) - turn.table.discards[turn.table.to_act]
        sure, seeming = doubted(np.array([sum(turn.table.hands) - turn.hand]), np.array([face_down]))
        held = counts_of(np.array([turn.hand])) > 0
        return (seeming & held).sum(), (sure & held).sum()

    return over_turns(outcome, figures)


def supreme_led_after(outcome: Outcome, number: int) -> np.ndarray:
    """Return, [N, 2], where the supreme pair was led once so many tricks or more were over, and where it was led."""
    record = outcome.states.record
    led = ((record == SUPREME) & (np.arange(PLAYS) < outcome.states.plays[:, None])).any(1)
    late = np.zeros(len(led))
    for row in np.flatnonzero(led).tolist():
        late[row] = next(turn for turn in turns_of(outcome, row) if turn.action == SUPREME).table.done >= number
    return np.stack([late, led], 1)


def chance_of_none(own: Combination, rivals: list[Combination], hands: int) -> float:
    """Return the chance that none of some other hands, as dealt, holds one of several combinations.

    Args:
        own: A combination that none of them can have a tile of.
        rivals: Combinations of one class: those of one order have no tile in common with those of another.
        hands: So many of the other hands.
    """
    deck = Counter(tiles_in(DECK_SETS[0])) - Counter(own.kinds)
    ways, free = Counter({(0,) * hands: 1}), deck.total()  # by the tiles that each hand has of those of some orders
    for order in {rival.order for rival in rivals}:
        sets = [Counter(rival.kinds) for rival in rivals if rival.order == order]
        tiles = [kind for kind in deck.elements() if any(kind in kinds for kinds in sets)]
        before, ways = ways, Counter()
        for holders in product(range(hands + 1), repeat=len(tiles)):  # the last one is none of these hands
            dealt = [Counter(compress(tiles, np.equal(holders, hand))) for hand in range(hands)]
            if not any(kinds <= hand for kinds in sets for hand in dealt):
                for sizes, number in before.items():
                    ways[tuple(size + hand.total() for size, hand in zip(sizes, dealt, strict=True))] += number
        free -= len(tiles)
    none = 0
    for sizes, number in ways.items():
        missing = [HAND - size for size in sizes]
        if min(missing) >= 0:
            none += number * prod(comb(max(0, free - sum(missing[:hand])), missing[hand]) for hand in range(hands))
    return none / prod(comb(deck.total() - HAND * hand, HAND) for hand in range(hands))


def led_and_followed() -> Facts:
    """Return by class, as means over its combinations, how likely no other hand of the first trick holds what beats one
    that is led; and how likely the hand that leads holds one that it beats, without which it cannot win by following.
    """
    facts: Facts = {}
    for class_number, name in enumerate(CLASS_NAMES):
        same = [combination for combination in COMBINATIONS if combination.class_number == class_number]
        led, followed = [], []
        for one in same:
            led.append(chance_of_none(one, [other for other in same if other.order > one.order], SEATS - 1))
            followed.append(1 - chance_of_none(one, [other for other in same if other.order < one.order], 1))
        facts[f"{name}, led"], facts[f"{name}, followed"] = float(np.mean(led)), float(np.mean(followed))
    return facts


def winner_may_pay() -> Facts:
    """Return the smallest multiplier, up to 20, with which who wins the last trick may lose chips by it.

    It depends on what a losing banker is owed for more than four tricks, and on early death.
    """
    facts: Facts = {}
    # Seat 0 wins it. The banker is the same seat, or seat 1: which of the others makes no difference.
    taken = [tricks for tricks in product(range(HAND + 1), repeat=SEATS) if sum(tricks) == HAND and tricks[0]]
    end = SimpleNamespace(holder=0, first=0, done=HAND, tiles=1, lead=NOBODY, best=0, bonus=[0] * SEATS)
    for over, early in product((SINGLE, MULTIPLIED), (True, False)):
        rules, losing = TienGow(banker=GROWING, banker_over=over).as_rules(), []
        for end.streak, end.leader, end.taken in product(range(1, 20), (0, 1), taken):
            won = [0] * SEATS
            payoffs(rules, end, won)
            # With early death nobody wins a last trick of single tiles as the only one.
            if won[0] < 0 and not (early and end.taken[0] == 1):
                losing.append(1 + end.streak)
        facts[f"{over}, {'with' if early else 'without'} early death"] = min(losing, default="never")
    return facts


def forget(views: np.recarray, value: str) -> None:
    """Show that nothing was played yet: every tile that one does not hold may be in another hand."""
    views.unseen = DECK_SETS[0] - views.hand
    views.discards = views.played = views.gave_up = views.record = 0
    for view in views:
        view.beatable = beatable_by(int(view.civil_supreme), int(view.unseen))


CLAIMS = Vocabulary(
    hand={"high": HandFeature("tiles of the upper half of their suit", lambda _: HIGH.astype(int))},
    positions={
        "lead": PositionFeature("one is to lead", lambda positions, _: positions.states.tiles == 0),
        "held": PositionFeature("tiles in your hand", lambda positions, _: counts_of(positions.hands).sum(1)),
        "tricks": PositionFeature(
            "tricks that one has", lambda positions, _: positions.states.taken[positions.rows, positions.states.to_act]
        ),
        "could_beat": PositionFeature(
            "one follows and may beat what lies",
            lambda positions, _: (positions.states.tiles > 0) & positions.masks[:, :DISCARD].any(1),
        ),
        "before_discarded": PositionFeature("the seat before has discarded to this trick", before_discarded),
        "holds_supreme": PositionFeature(
            "one may lead the supreme pair",
            lambda positions, _: (positions.states.tiles == 0) & positions.masks[:, SUPREME],
        ),
    },
    actions={
        "leads_size": ActionFeature(
            "so many tiles are led", lambda positions, size: leads(positions, np.equal(SIZE, size)), True
        ),
        "leads_set": ActionFeature("two tiles or more are led", lambda positions, _: leads(positions, SIZE > 1)),
        "leads_supreme": ActionFeature(
            "the supreme pair is led", lambda positions, _: leads(positions, np.arange(DISCARD) == SUPREME)
        ),
        "leads_doubted": ActionFeature(
            "a single tile is led that nobody can beat, though one that lies face down would", leads_doubted
        ),
        "gives_up": of_moves("a tile is discarded", lambda move, _: move.discards),
        "beats": ActionFeature(
            "what lies is beaten",
            lambda positions, _: (
                (np.arange(positions.masks.shape[1]) < DISCARD) & (positions.states.tiles > 0)[:, None]
            ),
        ),
    },
    metrics={
        "banker_gain": Metric("chips that the banker wins", CHIPS, leader_chips),
        "banker_wins": Metric(
            "the banker wins the last trick", SHARE, lambda outcome, _: outcome.states.holder == outcome.states.leader
        ),
        "no_trick": Metric("seats without a trick", "seats", no_trick),
        "somebody_without": Metric("some seat takes no trick", SHARE, lambda outcome, _: no_trick(outcome, 0) > 0),
        "winner_has_most": Metric(
            "nobody has more tricks than who wins the last one",
            SHARE,
            lambda outcome, _: winner_tricks(outcome) == outcome.states.taken.max(1),
        ),
        "tricks": Metric(
            "tricks of the seats in question", "tricks", lambda outcome, _: of_seats(outcome, outcome.states.taken)
        ),
        "last_size": Metric(
            "the last trick has so many tiles", SHARE, lambda outcome, size: outcome.states.tiles == size, True
        ),
        "winner_tricks": Metric(
            "who wins the last trick has so many tricks",
            SHARE,
            lambda outcome, number: winner_tricks(outcome) == number,
            True,
        ),
        "last_won": Metric("the seat in question wins the last trick", SHARE, last_won),
        "low_last": Metric(
            "it wins the last trick with a single tile of the lower half of its suit",
            SHARE,
            lambda outcome, _: last_won(outcome, 0) & LOW[outcome.states.best],
        ),
        "low_shuts_out": Metric(
            "some seat has no trick where a single tile of the lower half of its suit wins the last one",
            "share of such deals",
            low_shuts_out,
            statistic=ratio,
        ),
        "last_after_none": Metric(
            "last tricks won by seats without a trick", "share of such seats", last_after, statistic=ratio
        ),
        "last_after": Metric(
            "last tricks won by seats with so many tricks", "share of such seats", last_after, True, statistic=ratio
        ),
        "strongest_wins": Metric("the strongest hand wins the last trick", SHARE, strongest_wins),
        "strength_share": Metric(
            "share of the variance of chips that the strength of the hand explains",
            "share",
            lambda outcome, _: with_products(outcome.chips, strengths(outcome)),
            statistic=explained,
        ),
        "spread": Metric(
            "variance of a seat's chips in the banker's deal of that number in a row",
            "chips squared",
            lambda outcome, streak: (paid(outcome, streak) ** 2).mean(1),
            True,
        ),
        "banker_gain_after": Metric(
            "chips that the banker wins in its deal of that number in a row", CHIPS, banker_gain_after, True
        ),
        "sure_doubted": Metric(
            "kinds of tiles of a leader that nobody can beat, but one that lies face down would, after so many tricks",
            "share of those that nobody can beat",
            sure_doubted,
            True,
            statistic=ratio,
        ),
        "sets_led": Metric(
            "share of tiles led in sets once so many tricks are over", "share", sets_led, True, statistic=ratio
        ),
        "given_up": Metric("discards where what lies may be beaten", "share of such turns", given_up, statistic=ratio),
        "supreme_after": Metric(
            "supreme pairs led once so many tricks are over", "share of them", supreme_led_after, True, statistic=ratio
        ),
    },
    questions={
        "led_and_followed": ExactQuestion(
            "chance that nothing beats a combination led to the first trick; and that who leads has one that it beats",
            led_and_followed,
        ),
        "winner_may_pay": ExactQuestion(
            "smallest multiplier of a banker with which who wins the last trick may lose chips", winner_may_pay
        ),
    },
    changes={"counts": PlayerChange(lambda _: "without counting", shown=forget)},
    endings=endings,
)
