"""All deals of a variant with few tiles, with their probabilities, for exact computations.

A deal is an order of the deck and a leader. Orders that lead to the same state, such as those within a hand, are one
deal with their probabilities added.
"""

import functools
from collections import Counter
from collections.abc import Callable
from math import factorial, prod
from typing import Any, NamedTuple, Unpack

import numpy as np

from gupai_env.core.compiling import compiled
from gupai_env.core.game import Game
from gupai_env.core.variant import RANDOM_LEADER
from gupai_env.games import get_game
from gupai_env.options import Options

MOST_ORDERS = 2_000_000
CHUNK = 1 << 16  # orders that are dealt at a time


class Deals(NamedTuple):
    """Different deals: states, a record array [D] of their beginning, and probabilities, float64 [D]."""

    states: np.recarray
    probabilities: np.ndarray


def all_deals(game: str | Game, /, **variant: Unpack[Options]) -> Deals:
    """Return all deals of a variant, its leaders included.

    Raises:
        ValueError: For a match of several deals, or a deck of more than MOST_ORDERS orders.
    """
    game = get_game(game)
    options = game.variant.make(**variant)
    if options.deals > 1:
        raise ValueError(f"deals={options.deals} is not allowed in exact work; a match is too long, take deals=1")
    rules = options.as_rules()
    deck = np.asarray(game.deck(rules))
    count = factorial(len(deck)) // prod(map(factorial, Counter(deck.tolist()).values()))
    if count > MOST_ORDERS:
        raise ValueError(
            f"{game.id}: {len(deck)} tiles lie in {count:.1e} orders, too many for exact work; "
            'deck="tiny" should have about eight'
        )
    orders = orders_of(deck)
    leaders = range(options.players) if rules.leader == RANDOM_LEADER else [rules.leader]
    counts: Counter[bytes] = Counter()
    for leader in leaders:
        for first in range(0, count, CHUNK):
            some = orders[first : first + CHUNK]
            states = game.new_states(len(some))
            states.leader = leader
            laying_out(game)(rules, states, some)
            counts.update(states.view(f"V{states.itemsize}").tolist())
    different = np.frombuffer(bytearray().join(counts), game.state)
    return Deals(different.view(np.recarray), np.array(list(counts.values())) / counts.total())


def orders_of(deck: np.ndarray) -> np.ndarray:
    """Return all different orders of the tiles of a deck, int8 [orders, tiles]."""
    kinds, copies = np.unique(deck, return_counts=True)
    orders, remaining = np.zeros((1, 0), np.int8), copies[None]
    for _ in deck:
        row, next_kind = np.nonzero(remaining)
        orders = np.column_stack([orders[row], kinds[next_kind].astype(np.int8)])
        remaining = remaining[row] - (np.arange(len(kinds)) == next_kind[:, None])
    return orders


@functools.cache
def laying_out(game: Game) -> Callable[..., Any]:
    """Return the compiled loop that deals a row of `orders` in each of `states`."""
    module = game.module

    def lay_out(rules, states, orders):
        for lane in range(len(states)):
            module.deal_from(rules, states[lane], orders[lane])

    return compiled(lay_out, game)
