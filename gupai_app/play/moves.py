"""The moves of a person: legal actions grouped for a list, and their values by a search."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.card import card_agent, rule_in_words
from gupai_agents.search import SearchAgent
from gupai_env.core.game import Game
from gupai_env.core.hints import Hints
from gupai_env.core.move import Move
from gupai_env.core.tiles import PIPS
from gupai_env.core.variant import Variant
from gupai_env.words.messages import say

ADVISER = "search:playouts=200"  # the agent that values moves
WIDE = 1.96  # standard errors to either side are a 95% interval


class Entry(NamedTuple):
    """A line of the list of moves: legal actions that do the same with the same tiles, turned differently."""

    move: Move
    actions: list[int]


def digits(kinds: Iterable[int]) -> str:
    """Return tiles as a person types them, "6442"."""
    return "".join(f"{high}{low}" for high, low in PIPS[list(kinds)])


class TileValue(NamedTuple):
    """The value of a move: mean chips and half the width of their 95% interval, of the better of its actions where
    tiles can be turned two ways.
    """

    action: int
    mean: float
    half: float


def entries_of(hints: Hints, view: np.record, mask: np.ndarray) -> list[Entry]:
    """Return the legal actions as a list, those of one verb together, its best or heaviest ones first."""
    actions_of: dict[Move, list[int]] = {}
    for action in map(int, np.flatnonzero(mask)):
        actions_of.setdefault(hints.game.move(action, view).unturned, []).append(action)
    first: dict[str, int] = {}  # action of a verb
    for move, actions in actions_of.items():
        first.setdefault(move.verb, actions[0])
    entries = [Entry(move, actions) for move, actions in actions_of.items()]
    entries.sort(key=lambda entry: entry.move.named, reverse=True)
    return sorted(entries, key=lambda entry: (first[entry.move.verb], -hints.value(view, entry.actions)))


def headed(hints: Hints, entries: Sequence[Entry]) -> dict[str, list[tuple[int, Entry]]]:
    """Return the entries with their numbers, from 1, under the headings that stand over them."""
    verbs = list(dict.fromkeys(entry.move.verb for entry in entries))
    lists: dict[str, list[tuple[int, Entry]]] = {}
    for number, entry in enumerate(entries, 1):
        lists.setdefault(hints.heading(entry.move.verb, verbs), []).append((number, entry))
    return lists


def scores(adviser: SearchAgent, turn: DecisionBatch, entries: Sequence[Entry]) -> tuple[list[TileValue], str]:
    """Return the values of the moves of one decision, and a sentence that says how they were found."""
    values = adviser.values(turn)
    means, errors = values.means[0], values.errors[0]
    best = [max(entry.actions, key=lambda action: means[action]) for entry in entries]
    how_found = say(
        "Chips that each move brings on average in up to {deals} deals that you may be in, played out by a rule-based "
        "player in all seats, with 95% intervals",
        deals=values.deals.max(),
    )
    return [TileValue(action, float(means[action]), WIDE * float(errors[action])) for action in best], how_found


def by_card(game: Game, variant: Variant, turn: DecisionBatch, action: int) -> str:
    """Return in a sentence what the card of a game says of a move; "" where it has no card or every move is alike."""
    if (card := card_agent(game, variant)) is None:
        return ""
    removed_by = card.removed_by(turn)[0]
    index, choice = int(removed_by[action]), int((removed_by == len(card.rules)).argmax())
    template = "The card would choose {move}, by its rule {number}: {rule}"
    if index == len(card.rules):
        index, choice = int(removed_by[removed_by < index].max()), action
        template = "The card agrees with {move}, by its rule {number}: {rule}"
    if index < 0:  # no move was removed
        return ""
    move = game.action_name(choice, turn.views[0])
    return say(template, move=move, number=index + 1, rule=rule_in_words(game, card.rules[index]))
