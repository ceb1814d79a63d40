"""Deals in which hands meet conditions, drawn from their exact conditional distribution: none is thrown away.

The conditions look at sums over the tiles of a hand (tiles with a 2, doubles, pips), so tiles that are alike in all of
them form a class. How many tiles of each class a hand holds follows the multivariate hypergeometric distribution; all
numbers that meet the conditions are listed with their exact weights, one of them is drawn, then a random order of the
deck says which tiles of each class they are. All of it is a function of the deal's key.
"""

import functools
import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import comb, prod
from typing import Any

import numpy as np

from gupai_agents.evaluation.claims.features import check_feature, hand_features_of
from gupai_agents.evaluation.claims.schema import Condition, Population
from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.kernels import BYTE, LONG
from gupai_env.core.keys import derive_each
from gupai_env.core.memory import scratch
from gupai_env.core.rng import derive, draw
from gupai_env.core.streams import ASKED_STREAM, CLAIM_STREAM, COUNTS_STREAM, ORDER_STREAM
from gupai_env.core.tiles import KINDS, MOST_TILES, shuffle_deck, tiles_in
from gupai_env.core.variant import Variant
from gupai_env.deals import laying_out
from gupai_env.messages.checks import counted
from gupai_env.vector import VectorEnv

MOST_CASES = 200_000  # numbers of tiles by class
MOST_WEIGHT = 1 << 62
MOST_ROLES = 2  # a seat and its partner
MOST_NEEDS = MOST_ROLES * KINDS


@functools.cache
def hands_in(game: Game, variant: Variant) -> tuple[int, int]:
    """Return where in the order of the deck the first hand begins, and how many tiles each seat is dealt.

    A hand is dealt in one piece, the seats one after the other; what somebody draws then is not counted.

    Raises:
        ValueError: If the game deals hands in another way, so that none can be dealt to order.
    """
    rules, states = variant.as_rules(), game.new_states(1)
    order = np.sort(game.deck(rules)).astype(np.int8)
    laying_out(game)(rules, states, order[None])
    hands = [Counter(tiles_in(int(hand))) for hand in states.hands[0, : variant.players]]
    size = min(hand.total() for hand in hands)
    for first in range(len(order) - size * len(hands) + 1):
        dealt = order[first : first + size * len(hands)].reshape(len(hands), size).tolist()
        if all(Counter(tiles) <= hand for tiles, hand in zip(dealt, hands, strict=True)):
            return first, size
    raise ValueError(f"{game.id} does not deal whole hands, so conditions on hands cannot be sampled")


def stream_of(seed: int, number: int) -> int:
    """Return the key of a stream of deals to test claims on."""
    return derive(derive(derive(seed, CLAIM_STREAM), 0), number)


class Sampler:
    """Draws the deals of a population; those of one key are the same however many are drawn at a time.

    probability: Fraction, how often a seat's hand (with its partner's) meets the conditions in an ordinary deal.
    """

    game: Game
    variant: Variant

    def __init__(self, game: Game, variant: Variant, population: Population) -> None:
        """List the hands that meet the conditions of a population.

        Args:
            game, variant: What is dealt.
            population: The conditions on hands and partners.

        Raises:
            ValueError: For conditions that no hand meets, and for those with too many cases to list.
        """
        self.game, self.variant = game, variant
        self.rules: Any = variant.as_rules()
        self.deck: np.ndarray = np.asarray(game.deck(self.rules))
        partner = population.partner
        self.away: tuple[int, ...] = (0, partner.away) if partner else (0,)
        if partner and partner.away >= variant.players:
            raise ValueError(
                f"a partner {counted(partner.away, 'seat')} away does not exist with {variant.players} players"
            )
        self.conditional: bool = bool(population.hand or (partner and (partner.hand or partner.together)))
        self.probability: Fraction = Fraction(1)
        if self.conditional:
            self._list_cases(population)

    def _list_cases(self, population: Population) -> None:
        partner = population.partner
        own, theirs = population.hand, partner.hand if partner else []
        together = partner.together if partner else []
        # A partner without conditions of its own is dealt like anybody.
        roles = 2 if theirs or together else 1
        known, conditions = hand_features_of(self.game), (*own, *theirs, *together)
        for condition in conditions:
            check_feature(condition, known, "a hand")
        values = np.array([known[condition.feature].adds(condition.number or 0) for condition in conditions])
        kinds = np.unique(self.deck)
        features, classes = np.unique(values[:, kinds], axis=1, return_inverse=True)
        self._class_of = np.zeros(int(kinds.max()) + 1, np.int64)
        self._class_of[kinds] = classes.reshape(-1)
        self._sizes = np.bincount(self._class_of[self.deck])
        self._first, self._hand = hands_in(self.game, self.variant)
        first, second = len(own), len(own) + len(theirs)
        cases, weights = [], []
        for case in _hands(self._sizes.tolist(), self._hand):
            if not _meets(own, features[:first] @ case):
                continue
            ways = prod(map(comb, self._sizes.tolist(), case))
            remaining = [size - held for size, held in zip(self._sizes.tolist(), case, strict=True)]
            for other in _hands(remaining, self._hand) if roles == 2 else [[0] * len(case)]:
                both = [held + more for held, more in zip(case, other, strict=True)]
                if _meets(theirs, features[first:second] @ other) and _meets(together, features[second:] @ both):
                    cases.append([case, other][:roles])
                    weights.append(ways * prod(map(comb, remaining, other)))
            if len(cases) > MOST_CASES:
                raise ValueError(f"these conditions have more than {MOST_CASES:,} cases")
        if not cases:
            met = ", ".join(map(str, conditions))
            raise ValueError(f"no hand of {self._hand} tiles meets {met}")
        all_ways = prod(comb(len(self.deck) - role * self._hand, self._hand) for role in range(roles))
        if sum(weights) >= MOST_WEIGHT:
            raise ValueError("hands that meet these conditions are too many to count exactly")
        self.probability = Fraction(sum(weights), all_ways)
        self._cases = np.array(cases, np.int64)
        self._sums = np.array(list(itertools.accumulate(weights)), np.int64)
        self.roles = roles

    def deal(self, envs: VectorEnv, stream: int, first: int) -> np.ndarray:
        """Deal in all lanes; return the seat in question of each, int64 [N].

        Args:
            envs: Lanes of the game and variant.
            stream: A key, of which that of a deal is derived by its number.
            first: The number of the deal in lane 0.
        """
        rng_keys = derive_each(stream, first, first + envs.num_envs)
        envs.reset(seeds=rng_keys)
        players = self.variant.players
        seats = np.array([draw(derive(int(key), ASKED_STREAM), 0, players) for key in rng_keys], np.int64)
        orders = self.orders(rng_keys, seats)
        if orders is not None:
            laying_out(self.game)(self.rules, envs.states, orders)
            envs.refresh()
        return seats

    def orders(self, rng_keys: np.ndarray, seats: np.ndarray) -> np.ndarray | None:
        """Return the tiles in the order in which they are dealt, int8 [N, tiles]; None: as the keys shuffle."""
        if not self.conditional:
            return None
        orders = np.empty((len(rng_keys), len(self.deck)), np.int8)
        seating = (seats[:, None] + np.array(self.away[: self.roles])) % self.variant.players
        deal_cases(
            rng_keys, self.deck, self._class_of, self._cases, self._sums, seating, self._first, self._hand, orders
        )
        return orders


def _hands(sizes: Sequence[int], tiles: int) -> Iterator[list[int]]:
    """Yield how many tiles of each class there may be in a hand of so many."""
    if len(sizes) == 1:
        if tiles <= sizes[0]:
            yield [tiles]
        return
    for held in range(min(sizes[0], tiles) + 1):
        for rest in _hands(sizes[1:], tiles - held):
            yield [held, *rest]


def _meets(conditions: Sequence[Condition], sums: np.ndarray) -> bool:
    return all(
        condition.least <= value <= condition.most for condition, value in zip(conditions, sums.tolist(), strict=True)
    )


def _deal_cases(rng_keys, deck, class_of, cases, sums, seating, offset, hand, orders):
    roles, classes = cases.shape[1], cases.shape[2]
    needs, place, shuffled = scratch(MOST_NEEDS, LONG), scratch(MOST_ROLES, LONG), scratch(MOST_TILES, BYTE)
    for deal in range(len(rng_keys)):
        tiles = shuffle_deck(deck, derive(rng_keys[deal], ORDER_STREAM), shuffled)
        drawn = derive(rng_keys[deal], COUNTS_STREAM) % sums[len(sums) - 1]
        case = np.searchsorted(sums, drawn, side="right")
        orders[deal, :] = -1
        for role in range(roles):
            place[role] = offset + seating[deal, role] * hand
            for class_index in range(classes):
                needs[role * classes + class_index] = cases[case, role, class_index]
        # The first tiles of each class that come up are the hands'; the others lie as they come.
        waiting = 0
        for index in range(tiles):
            kind = shuffled[index]
            for role in range(roles):
                if needs[role * classes + class_of[kind]] > 0:
                    needs[role * classes + class_of[kind]] -= 1
                    orders[deal, place[role]] = kind
                    place[role] += 1
                    break
            else:
                shuffled[waiting] = kind
                waiting += 1
        next_one = 0
        for index in range(tiles):
            if orders[deal, index] < 0:
                orders[deal, index] = shuffled[next_one]
                next_one += 1


deal_cases: Callable[..., Any] = compiled(_deal_cases)
