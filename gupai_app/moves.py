"""The moves of a person: legal actions grouped for a list, and their values by a search."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.search import SearchAgent
from gupai_env.core.hints import Hints, tiles_named, unturned, verb_of

ADVISER = "search:playouts=200"  # the agent that values moves
WIDE = 1.96  # standard errors to either side are a 95% interval


class Move(NamedTuple):
    """A line of the list of moves: legal actions that do the same with the same tiles, turned differently."""

    name: str
    actions: list[int]

    @property
    def verb(self) -> str:
        return verb_of(self.name)

    @property
    def tiles(self) -> tuple[tuple[int, int], ...]:
        return tiles_named(self.name)


class TileValue(NamedTuple):
    """The value of a move: mean chips and half the width of their 95% interval, of the better of its actions where
    tiles can be turned two ways.
    """

    action: int
    mean: float
    half: float


def moves_of(hints: Hints, view: np.record, mask: np.ndarray) -> list[Move]:
    """Return the legal actions as moves, those of one verb together, its best or heaviest ones first."""
    found: dict[str, list[int]] = {}
    for action in map(int, np.flatnonzero(mask)):
        found.setdefault(unturned(hints.game.action_name(action, view)), []).append(action)
    moves = [Move(name, actions) for name, actions in found.items()]
    first = {move.verb: min(each.actions[0] for each in moves if each.verb == move.verb) for move in moves}
    moves.sort(key=lambda move: move.tiles, reverse=True)
    return sorted(moves, key=lambda move: (first[move.verb], -hints.value(view, move.actions)))


def headed(hints: Hints, moves: Sequence[Move]) -> dict[str, list[tuple[int, Move]]]:
    """Return the moves with their numbers, from 1, under the headings that stand over them."""
    verbs = list(dict.fromkeys(move.verb for move in moves))
    found: dict[str, list[tuple[int, Move]]] = {}
    for number, move in enumerate(moves, 1):
        found.setdefault(hints.heading(move.verb, verbs), []).append((number, move))
    return found


def scores(adviser: SearchAgent, turn: DecisionBatch, moves: Sequence[Move]) -> tuple[list[TileValue], str]:
    """Return the values of the moves of one decision, and a sentence that says how they were found."""
    values = adviser.values(turn)
    means, errors = values.means[0], values.errors[0]
    best = [max(move.actions, key=lambda each: means[each]) for move in moves]
    how_found = (
        f"Chips that each move brings on average in up to {values.deals.max()} deals that you may be in, "
        "played out by a rule-based player in all seats, with 95% intervals"
    )
    return [TileValue(action, float(means[action]), WIDE * float(errors[action])) for action in best], how_found
