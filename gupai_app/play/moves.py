"""The moves of a person: legal actions grouped for a list, and their values by a search."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import DecisionBatch
from gupai_agents.evaluation.intervals import figure, figures, places_of
from gupai_agents.players.card import card_agent
from gupai_agents.players.search import DOUBT, STEADY, SearchAgent, Values
from gupai_agents.registry import heuristic_agent
from gupai_agents.shipped import best_heuristic
from gupai_app.play.reasons import reason
from gupai_env.core.game import Game
from gupai_env.core.hints import Hints
from gupai_env.core.move import Move
from gupai_env.core.tiles import PIPS, tile_name
from gupai_env.core.variant import Variant
from gupai_env.games.guide import Guide, guide_of
from gupai_env.messages import joined, say

ADVISER = "search:playouts=200"  # the agent that values moves
WIDE = 1.96  # standard errors to either side are a 95% interval


class Entry(NamedTuple):
    """A line of the list of moves: legal actions that do the same with the same tiles, turned differently."""

    move: Move
    actions: list[int]


def digits(kinds: Iterable[int]) -> str:
    """Return tiles as a person types them, "6442"."""
    return "".join(f"{PIPS[kind, 0]}{PIPS[kind, 1]}" for kind in kinds)


def discard_actions(game: Game) -> dict[int, int]:
    """Return by kind the action that discards a tile, legal now or not, of a game in which it is one for each."""
    return {move.tiles[0]: action for action, move in enumerate(game.moves) if move.discards}


def in_words(move: Move) -> str:
    """Return a move as a sentence names it, with the number that stays open."""
    if not move.leaves:
        return move.name
    return say("{tile} (leaving {number} open)", tile=move.unturned.name, number=move.leaves)


class MoveValue(NamedTuple):
    """What a move brings, by the better of its actions where tiles can be turned two ways.

    mean: chips. loss: how many fewer than the best action of all, over the same deals; half: of the 95% interval of
    that. shared: half of the 95% interval of the mean of the best, which all means share. deals: in how many it was
    tried. dropped: whether these are fewer than the best was tried in, because it was worse beyond doubt.
    """

    action: int
    mean: float
    loss: float
    half: float
    shared: float
    deals: int
    dropped: bool

    @property
    def most(self) -> float:
        """What it brings at most, beyond doubt."""
        return self.mean + self.half * DOUBT / WIDE

    @property
    def as_good(self) -> bool:
        """Whether it may be as good as the best: what it loses is within the noise."""
        return not self.dropped and self.loss <= self.half

    def equals(self, other: "MoveValue") -> bool:
        """Whether both have brought the same in every deal."""
        return (self.loss, self.half, self.deals) == (other.loss, other.half, other.deals)

    @property
    def alike(self) -> bool:
        """Whether the search, too, would not leave it for the best."""
        return not self.dropped and self.loss <= STEADY * self.half / WIDE

    @property
    def rank(self) -> tuple[bool, float]:
        """By which moves are sorted, the best first."""
        return self.dropped, -(self.most if self.dropped else self.mean)


def entries_of(hints: Hints, view: np.record, mask: np.ndarray) -> list[Entry]:
    """Return the legal actions as a list, those of one verb together, its best or heaviest ones first.

    What takes tiles comes before what only lays one.

    Args:
        hints: Of the game.
        view: What the person knows.
        mask: What is legal, bool [num_actions].
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


def move_values(values: Values, row: int, moves: Iterable[Sequence[int]]) -> list[MoveValue]:
    """Return the values of moves in a decision, from those of actions: every place that speaks of them takes these.

    Args:
        values: As `SearchAgent.compare` returns them.
        moves: The actions of each.
    """
    deals, best = values.deals[row], values.usual[row]
    most, shared, full = float(values.means[row, best]), WIDE * float(values.errors[row, best]), int(deals[best])

    def value_of(action: int) -> MoveValue:
        loss, half = -float(values.gains[row, action]), WIDE * float(values.gain_errors[row, action])
        tried = int(deals[action])
        return MoveValue(action, most - loss, loss, half, shared, tried, tried < full)

    return [min(map(value_of, actions), key=lambda value: value.rank) for actions in moves]


def value_texts(values: Sequence[MoveValue]) -> list[str]:
    """Return in words what moves bring: chips and half of the interval of the difference from the best, or a bound."""
    full = [value for value in values if not value.dropped]
    texts = dict(zip(full, figures([value.mean for value in full], [value.half for value in full]), strict=True))
    return [texts.get(value) or bound_text(value) for value in values]


def bound_text(value: MoveValue) -> str:
    """Return in words how much a move brings at most that was left out early."""
    unit = 10 ** places_of(value.half)
    chips = f"{math.ceil(value.most * unit) / unit:+z.{places_of(value.half)}f}"
    return say("at most {chips} (dropped after {deals} deals)", chips=chips, deals=value.deals)


HOW_FOUND = (
    "Chips that each move brings on average in {deals} deals that you may be in, played out by a rule-based player in "
    "all seats; ± is half of the 95% interval of the difference from the best move"
)


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


MOST_RIVALS = 3  # with which a move is compared in words
STEPS = 2  # the most hints before the values of the moves


class Advice(NamedTuple):
    """The hints for a decision, which are given one step after another.

    steps: sentences that come before the values, without full stops: which tiles to think about, and why. tiles: their
    kinds. entry: the move that they speak of. values: those of the entries, in their order, [] while there are none.
    verdict: how that move compares with the best or the next one, or who would choose it. how_found: how the values
    were found.
    """

    steps: list[str]
    tiles: tuple[int, ...]
    entry: Entry
    values: list[MoveValue]
    verdict: str = ""
    how_found: str = ""


def advise(
    adviser: SearchAgent,
    game: Game,
    variant: Variant,
    turn: DecisionBatch,
    entries: Sequence[Entry],
    before: Entry | None = None,
) -> Advice:
    """Return the hints for one decision, of which the entries are the moves.

    They speak of the best move, or of one that may be as good: of that which they spoke of before, or of one of the
    card.

    Args:
        before: The move of the hints that were given without a search.
    """
    search = adviser.compare(turn)
    values = move_values(search, 0, [entry.actions for entry in entries])
    ranked = sorted(range(len(entries)), key=lambda index: values[index].rank)
    of_card = card_keeps(game, variant, turn)
    confirmed = [index for index in ranked if entries[index] == before and values[index].as_good]
    own = [index for index in ranked if of_card[values[index].action] and values[index].alike]
    index = next(iter(confirmed or own), ranked[0])
    changed = before is not None and not confirmed
    others = [other for other in ranked if other != index and not values[index].equals(values[other])]
    if changed:
        others.sort(key=lambda other: entries[other] != before)
    rivals = [values[other].action for other in others]
    steps: list[str] = []
    tiles: tuple[int, ...] = ()  # for there is nothing to think about where every move brings the same
    if others:
        steps = _steps(guide_of(game, variant), turn.views[0], entries, entries[index], values[index].action, rivals)
        tiles = tiles_in_question(entries, entries[index])
    if changed:
        prefer = "The values of the moves, which are there now, speak for another move"
        steps = [joined(". ", [prefer, steps[0]]) if steps else say(prefer), *steps[1:]]
    best = index if values[index].loss <= 0 else ranked[0]
    verdict = _verdict(game, turn, values, index, best, others[0] if others else None)
    how_found = say(HOW_FOUND, deals=int(max(search.deals[0])))
    return Advice(steps, tiles, entries[index], values, verdict, how_found)


def advise_plainly(game: Game, variant: Variant, turn: DecisionBatch, entries: Sequence[Entry]) -> Advice:
    """Return the hints for one decision without values: nothing is compiled for them.

    They speak of the first move in the list of those that the card keeps, or of what a rule-based player would do.

    Args:
        game, variant: What is played.
        turn: The decision, a batch of one.
        entries: The moves as they are listed.
    """
    of_card, template = card_keeps(game, variant, turn), "The card would choose {move}"
    player = best_heuristic(game)
    if not any(of_card):
        template = "{player} would choose: {move}"
        of_card[int(heuristic_agent(player, game, variant).act(turn)[0])] = True
    actions = [action for entry in entries for action in entry.actions]
    action = next(action for action in actions if of_card[action])
    rivals = [action for action in actions if not of_card[action]]
    entry = next(entry for entry in entries if action in entry.actions)
    steps = _steps(guide_of(game, variant), turn.views[0], entries, entry, action, rivals)
    words = say(template, player=player, move=in_words(game.move(action, turn.views[0])))
    return Advice(steps, tiles_in_question(entries, entry), entry, [], words)


def card_keeps(game: Game, variant: Variant, turn: DecisionBatch) -> list[bool]:
    """Return which actions the card of a game leaves in a decision, by action; none without a card.

    Args:
        game, variant: What is played.
        turn: The decision, a batch of one.
    """
    if (card := card_agent(game, variant)) is None:
        return [False] * game.num_actions
    return [bool(rule == len(card.rules)) for rule in card.removed_by(turn, plain=True)[0]]


def _steps(
    guide: Guide, view: np.record, entries: Sequence[Entry], entry: Entry, action: int, rivals: Sequence[int]
) -> list[str]:
    """Return the hints that come before the values: which tiles to think about, and why.

    Args:
        rivals: Actions rather than which the move is to be played, the nearest first; of the first few the first is
            named than which anything speaks for the move.
    """
    why = next(filter(None, (reason(guide, view, action, rival) for rival in rivals[:MOST_RIVALS])), "")
    return [step for step in (think_about(entry, tiles_in_question(entries, entry)), why) if step]


def _verdict(
    game: Game, turn: DecisionBatch, values: Sequence[MoveValue], index: int, best: int, rival: int | None
) -> str:
    """Return in a sentence how the move of the hints compares with the best one, or that with the next one."""

    def named(index: int) -> str:
        return in_words(game.move(values[index].action, turn.views[0]))

    if index != best:
        template, rival, other = "{move} is as good as the best, {other} (difference {figure})", index, best
    elif rival is None:
        return say("Every move brings the same") if len(values) > 1 else ""
    else:
        template = "{move} is the best move: it brings {figure} chips more than {other}"
        if values[rival].as_good:
            template = "{move} is the best move, and {other} may be as good (difference {figure})"
        other = rival
    difference = figure(values[rival].loss, values[rival].half, signed=False)
    return say(template, move=named(index), other=named(other), figure=difference)
