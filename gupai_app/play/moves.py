"""The moves of a person: legal actions grouped for a list, and their values by a search."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.card import CardAgent, card_agent, rule_in_words
from gupai_agents.search import SearchAgent
from gupai_env.core.game import Game
from gupai_env.core.hints import Hints
from gupai_env.core.move import Move
from gupai_env.core.tiles import PIPS, tile_name
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


def in_words(move: Move) -> str:
    """Return a move as a sentence names it, with the number that stays open."""
    if not move.leaves:
        return move.name
    return say("{tile} (leaving {number} open)", tile=move.unturned.name, number=move.leaves)


class TileValue(NamedTuple):
    """The value of a move: mean chips and half the width of their 95% interval, of the better of its actions where
    tiles can be turned two ways.
    """

    action: int
    mean: float
    half: float


def entries_of(hints: Hints, view: np.record, mask: np.ndarray) -> list[Entry]:
    """Return the legal actions as a list, those of one verb together, its best or heaviest ones first.

    What takes tiles comes before what only lays one.
    """
    actions_of: dict[Move, list[int]] = {}
    for action in map(int, np.flatnonzero(mask)):
        actions_of.setdefault(hints.game.move(action, view).unturned, []).append(action)
    first: dict[str, int] = {}  # action of a verb
    for move, actions in actions_of.items():
        first.setdefault(move.verb, actions[0])
    entries = [Entry(move, actions) for move, actions in actions_of.items()]
    entries.sort(key=lambda entry: entry.move.named, reverse=True)
    return sorted(
        entries, key=lambda entry: (not entry.move.takes, first[entry.move.verb], -hints.value(view, entry.actions))
    )


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


def loss_of(means: np.ndarray, errors: np.ndarray, action: int) -> tuple[int, float, float]:
    """Return the best action, what another loses compared with it, and half of the 95% interval of that, in chips.

    Args:
        means: By action, NaN where it is not legal.
        errors: Their standard errors.
    """
    best = int(np.nanargmax(means))
    half = WIDE * float(np.hypot(errors[best], errors[action])) if best != action else 0.0
    return best, float(means[best] - means[action]), half


def by_card(card: CardAgent, removed_by: np.ndarray, best: int) -> str:
    """Return in a sentence what a card says of the best move, which it does not name; "" if all are alike to it.

    Args:
        removed_by: By action, as `CardAgent.removed_by` says it of this decision.
    """
    index, template = int(removed_by[best]), "The best move is an exception to rule {number} of the card: {rule}"
    if index == len(card.rules):
        index = int(removed_by[removed_by < index].max())
        template = "The best move follows from rule {number} of the card: {rule}"
    if index < 0:  # no move was removed
        return ""
    return say(template, number=index + 1, rule=rule_in_words(card.game, card.rules[index]))


def tiles_in_question(entries: Sequence[Entry], entry: Entry) -> tuple[int, ...]:
    """Return the kinds of the tiles that a person should think about to find one of their moves.

    They are () where all moves are made with the same tiles. Of a split it is one: a whole group would be the answer.
    """
    if len({candidate.move.groups[:1] or candidate.move.tiles for candidate in entries}) == 1:
        return ()
    return entry.move.groups[0][:1] if entry.move.groups else entry.move.tiles


def think_about(entry: Entry, tiles: Sequence[int]) -> str:
    """Return in a sentence which tiles to think about, "" if there are none."""
    template = "Think about where {tiles} should go" if entry.move.groups else "Think about {tiles}"
    return say(template, tiles="".join(map(tile_name, tiles))) if tiles else ""


STEPS = 2  # the most hints before the values of the moves


class Advice(NamedTuple):
    """The hints for a decision, which are given one step after another.

    steps: sentences that come before the values, without full stops: which tiles to think about, and why. tiles: their
    kinds. values: those of the entries, in their order. how_found: how the values were found.
    """

    steps: list[str]
    tiles: tuple[int, ...]
    values: list[TileValue]
    how_found: str


def advise(adviser: SearchAgent, game: Game, variant: Variant, turn: DecisionBatch, entries: Sequence[Entry]) -> Advice:
    """Return the hints for one decision, of which the entries are the moves."""
    values, how_found = scores(adviser, turn, entries)
    best, reason = max(range(len(entries)), key=lambda index: values[index].mean), ""
    if (card := card_agent(game, variant)) is not None:  # the move explained is one of the card where one is as good
        removed_by, top = card.removed_by(turn)[0], values[best]
        alike = [
            index
            for index, (action, mean, half) in enumerate(values)
            if removed_by[action] == len(card.rules) and top.mean - mean <= np.hypot(top.half, half)
        ]
        best = max(alike, key=lambda index: values[index].mean, default=best)
        reason = by_card(card, removed_by, values[best].action)
    tiles = tiles_in_question(entries, entries[best])
    steps = [step for step in (think_about(entries[best], tiles), reason) if step]
    return Advice(steps, tiles, values, how_found)
