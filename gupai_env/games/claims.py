"""What a game offers to claims about strategy: the names that claim files can use, and the functions behind them.

The package of a game may have a module `claims` whose CLAIMS is a `Vocabulary`. What every game has, such as chips and
the tiles of a hand, is not repeated there. All functions take many states at once, a record array [N].
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from gupai_env.core.game import Game
from gupai_env.core.move import Move
from gupai_env.core.tiles import HIGHEST, KINDS, PIPS, tile_set
from gupai_env.core.variant import Variant

SHARE, CHIPS = "share of deals", "chips"  # units
PLAYER, BANKER = 0, 1  # the roles of a seat in a game where each player settles with the banker
Facts = dict[str, float | str]
Endings = dict[str, np.ndarray]


class Outcome(NamedTuple):
    """Deals that are over.

    Attributes:
        variant: The rules.
        states: Their states at the end, record array [N].
        seats: The seats in question, int64 [N, roles].
        seating: Where players are drawn for the seats, the number of the one at each seat, int [N, seats].
        acted: How often each seat took each type of action, int [N, seats, types], if that was counted.
    """

    variant: Variant
    states: np.recarray
    seats: np.ndarray
    seating: np.ndarray | None = None
    acted: np.ndarray | None = None

    @property
    def chips(self) -> np.ndarray:
        """What every seat won, float64 [N, players]."""
        return self.states.total[:, : self.variant.players].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of a variant.

    Attributes:
        game, variant: What is played.
        states: At some seat's turn, a record array [N].
        masks: What is legal there, bool [N, num_actions].
    """

    game: Game
    variant: Variant
    states: np.recarray
    masks: np.ndarray

    @cached_property
    def rows(self) -> np.ndarray:
        """The numbers of the positions, int64 [N]."""
        return np.arange(len(self.states))

    @property
    def hands(self) -> np.ndarray:
        """The hands of the seats to act, tile sets, int64 [N]."""
        return self.states.hands[self.rows, self.states.to_act]

    @cached_property
    def deck(self) -> int:
        """All tiles of the variant, a tile set."""
        return tile_set(self.game.deck(self.variant.as_rules()).tolist())


@dataclass(frozen=True)
class HandFeature:
    """A sum over the tiles of a hand.

    Attributes:
        what: Its meaning.
        adds: Returns what a tile of each kind adds, int [KINDS], for the feature's number, 0 without one.
        number: Whether it takes a number.
    """

    what: str
    adds: Callable[[int], np.ndarray]
    number: bool = False


@dataclass(frozen=True)
class PositionFeature:
    """A whole number that describes a position.

    Attributes:
        what: Its meaning.
        values: Returns the values, int or bool [N], for positions and the feature's number, 0 without one.
        number: Whether it takes a number.
    """

    what: str
    values: Callable[[Positions, int], np.ndarray]
    number: bool = False


@dataclass(frozen=True)
class ActionFeature:
    """Something that an action is or is not.

    Attributes:
        what: Its meaning.
        has: Returns which actions have it, bool [N or 1, num_actions], for positions and its number, 0 without one.
        number: Whether it takes a number; None if it may.
    """

    what: str
    has: Callable[[Positions, int], np.ndarray]
    number: bool | None = False


@dataclass(frozen=True)
class Metric:
    """A figure of deals that are over.

    Attributes:
        what: Its meaning.
        unit: Its unit.
        values: Returns one value per deal, [N], or several, [N, k], numbers or bool, for deals and its number, 0
            without one.
        number: Whether it takes a number.
        statistic: Of several values per deal, the figure that follows from their means over all deals.
        drawn: Whether it uses which player was drawn for each seat.
        acted: Whether it uses the actions of each seat.
    """

    what: str
    unit: str
    values: Callable[[Outcome, int], np.ndarray]
    number: bool = False
    statistic: Callable[[np.ndarray], float] | None = None
    drawn: bool = False
    acted: bool = False

    def of(self, outcome: Outcome, number: int | None = None) -> np.ndarray:
        """Return its values of deals, float64 [N] or [N, k]."""
        return self.values(outcome, number or 0).astype(np.float64)

    @property
    def is_share(self) -> bool:
        """Whether it is a share of cases: of deals, each of which counts from 0 to 1; or a `ratio` of hits to cases."""
        return self.statistic is ratio if self.statistic else self.unit == SHARE


class Chances(NamedTuple):
    """What the splits of all hands come to against a seat that splits each of its hands in one way.

    hands: One hand of each worth, sorted kinds, int8 [H, size].
    times: How often hands of its worth are dealt, int64 [H].
    won, lost: The share of all deals in which a hand of its worth is dealt and this split of it wins, or loses, by the
        role of the seat that splits it, float64 [roles, H, splits].
    """

    hands: np.ndarray
    times: np.ndarray
    won: np.ndarray
    lost: np.ndarray


@dataclass(frozen=True)
class ExactQuestion:
    """A question that is answered by enumeration.

    Attributes:
        what: Its meaning.
        facts: Returns facts by name. With `ends_of` it is given the number of deals, and the states at all their ends;
            with `against` the `Chances` against that seat.
        ends_of: Options of a variant with few tiles, all of whose deals are played in every way.
        against: Returns how a seat splits hands, int8 [H, size] to int [H], in a game with a module `hands`.
    """

    what: str
    facts: Callable[..., Facts]
    ends_of: Mapping[str, Any] | None = None
    against: Callable[[np.ndarray], np.ndarray] | None = None


@dataclass(frozen=True)
class PlayerChange:
    """A change of a player that no weight expresses.

    Attributes:
        label: Returns for the value in the file what is added to the player's name.
        drawn: bool [num_actions]; where the player takes one of these actions, one of those that are legal is drawn.
        barred: bool [num_actions]; the player takes these actions only where no other one is legal.
        shown: Changes, in place, views that the player is shown; it is given the value in the file.
    """

    label: Callable[[Any], str]
    drawn: np.ndarray | None = None
    barred: np.ndarray | None = None
    shown: Callable[[np.recarray, Any], None] | None = None


@dataclass(frozen=True)
class Vocabulary:
    """What claims can name of one game.

    Attributes:
        hand: Features of a hand as dealt.
        positions: Features of a position.
        actions: Features of an action.
        metrics: Figures of deals that are over.
        questions: What is enumerated.
        changes: Changes of players, by the key that they have in a file.
        endings: Returns for deals that are over how they ended, bool [N] by kind; every deal is of one kind.
    """

    hand: Mapping[str, HandFeature] = field(default_factory=dict)
    positions: Mapping[str, PositionFeature] = field(default_factory=dict)
    actions: Mapping[str, ActionFeature] = field(default_factory=dict)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    questions: Mapping[str, ExactQuestion] = field(default_factory=dict)
    changes: Mapping[str, PlayerChange] = field(default_factory=dict)
    endings: Callable[[Outcome], Endings] = lambda outcome: {}


def vocabulary_of(game: Game) -> Vocabulary:
    """Return what claims can name of a game in addition to what every game has."""
    return Vocabulary() if game.claims is None else game.claims.CLAIMS


# --- for the functions of several games -----------------------------------------------------------


def counts_of(tiles: np.ndarray) -> np.ndarray:
    """Return the copies of each kind in tile sets, int64 [N] to [N, KINDS]."""
    return tiles[:, None] >> (3 * np.arange(KINDS)) & 7


def carrying(number: int) -> np.ndarray:
    """Return for every kind whether a number is on it, int [KINDS]."""
    return np.equal(PIPS, number).any(1).astype(int)


def of_moves(meaning: str, holds: Callable[[Move, int], bool], number: bool | None = False) -> ActionFeature:
    """Return the feature of an action whose move `holds` it, given the feature's number, 0 without one.

    Args:
        meaning: In words.
        holds: Is given the move, and the feature's number, 0 without one.
        number: Whether the feature takes a number; None: it may.
    """

    @cache
    def rows(game: Game, number: int) -> np.ndarray:
        return np.array([[holds(move, number) for move in game.moves]])

    return ActionFeature(meaning, lambda positions, condition: rows(positions.game, condition), number)


def carries(tiles: Sequence[int], number: int) -> bool:
    """Return whether a number is on one of some tiles, given by kind."""
    return bool((PIPS[list(tiles)] == number).any())


def plays_double(move: Move, number: int) -> bool:
    """Return whether a move plays a double, that of the number if it is not 0."""
    return any(high == low and number in (0, high) for high, low in PIPS[list(move.tiles)])


def of_seats(outcome: Outcome, values: np.ndarray) -> np.ndarray:
    """Return the sum over the seats in question of values by seat, [N, seats] to [N]."""
    return np.take_along_axis(values, outcome.seats, 1).sum(1)


def chips(outcome: Outcome, number: int = 0) -> np.ndarray:
    """Return what the seats in question won."""
    return of_seats(outcome, outcome.chips)


def leader_chips(outcome: Outcome, number: int = 0) -> np.ndarray:
    """Return what the seat that leads won."""
    return outcome.chips[np.arange(len(outcome.states)), outcome.states.leader]


def house_income(outcome: Outcome, number: int = 0) -> np.ndarray:
    """Return chips that no seat has: what the house took."""
    return -outcome.states.total[:, : outcome.variant.players].sum(1)


LEADER = {"leader_chips": Metric("chips of the seat that leads", CHIPS, leader_chips)}


def points(outcome: Outcome) -> np.ndarray:
    """Return the points of every seat, int [N, players], of games whose state has them."""
    return outcome.states.points[:, : outcome.variant.players].astype(int)


def ratio(means: np.ndarray) -> float:
    """Return the first mean over the second; NaN over nothing."""
    return float(means[0] / means[1]) if means[1] else float("nan")


def per_case(means: np.ndarray) -> float:
    """Return the mean of a figure over its cases, which is no share of them: as `ratio`."""
    return ratio(means)


def with_products(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return what `explained` needs of two figures of every deal, [N] each or means over [N, k] cases, [N, 5]."""
    values = np.stack([one, other, one * other, one * one, other * other], -1).astype(float)
    return values if one.ndim == 1 else values.mean(1)


def explained(means: np.ndarray) -> float:
    """Return which share of the variance of one figure another explains: their squared correlation, NaN of a constant.

    Args:
        means: Of `with_products`.
    """
    one, other, product, squares, other_squares = means
    variances = (squares - one * one) * (other_squares - other * other)
    return float((product - one * other) ** 2 / variances) if variances else float("nan")


def hands_of(deck: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the different hands of a deck, sorted kinds, int8 [H, size], and how often each is dealt, int64 [H]."""
    digits = KINDS ** np.arange(size)[::-1]  # numbers are sorted in a tenth of the time that rows take
    dealt = np.fromiter(chain.from_iterable(combinations(np.sort(deck).tolist(), size)), np.int64).reshape(-1, size)
    numbers, times = np.unique(dealt @ digits, return_counts=True)
    return (numbers[:, None] // digits % KINDS).astype(np.int8), times


def tiles_by_number(kinds: Sequence[int] | Iterable[int]) -> Facts:
    """Return how many of some tiles carry each number, which numbers have fewest, and which come next."""
    faces = PIPS[list(kinds)]
    counts = {n: int(np.equal(faces, n).any(1).sum()) for n in range(1, HIGHEST + 1)}
    ranks = sorted(set(counts.values()))
    facts: Facts = {str(n): count for n, count in counts.items()}
    for name, rank in zip(("fewest", "next fewest"), ranks, strict=False):
        facts[name] = " ".join(str(n) for n, count in counts.items() if count == rank)
    return facts
