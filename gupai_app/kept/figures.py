"""How a person does: chips, what they are without the luck of the tiles, and the loss per decision."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.records.games import GameRecord, game_of_line
from gupai_agents.evaluation.statistics import Estimate, estimate, ratio_of_means
from gupai_app.kept.store import Kept, Store
from gupai_app.review.analysis import Decision, decisions, luck
from gupai_app.review.page import near_of
from gupai_app.server.players import strongest
from gupai_env.messages import word

PERIODS = {"all": 0, "year": 4, "month": 7, "day": 10}  # how many characters of a day name the period
MOST_POINTS = 60  # of a curve
FEWEST = 10  # games whose mean has an interval: that of two reaches thousands of chips


class Figures(NamedTuple):
    """What a person comes to in the games of one kind against one level in one period.

    chips, adjusted: per deal, every game counting once; the second without the luck of the tiles, over the games that
    were reviewed. loss: chips per decision by the search, over the same games. kinds: the same by kind of action, with
    the number of decisions.
    """

    game: str
    level: str
    period: str
    games: int
    reviewed: int
    chips: Estimate
    adjusted: Estimate
    loss: Estimate
    kinds: list[tuple[str, int, float]]


def note_review(store: Store, record: GameRecord, agent: Any = None) -> list[Decision]:
    """Keep what a review finds in a game that is kept; return the decisions of the person.

    Args:
        agent: With whose policy it was reviewed, if with any.

    Raises:
        OSError: As `Store`. ValueError too.
    """
    seat = near_of(record)
    losses: dict[str, list[float]] = {}
    player: Any = agent or strongest(record.game, record.variant)
    own = [turn for turn in decisions(record, player) if turn.seat == seat]
    for turn in own:
        number, lost = losses.get(turn.kind, (0, 0.0))
        losses[turn.kind] = [number + 1, lost + (turn.loss if turn.sure else 0.0)]
    store.note(record, luck(record)[seat].value.mean, json.dumps(losses))
    return own


def review_all(store: Store, games: Sequence[Kept]) -> Iterator[int]:
    """Review games that were not, which takes half a second each; yield the number of every one that is done."""
    for game in games:
        note_review(store, game_of_line(game.line.encode()))
        yield game.number


def figures(games: Sequence[Kept], by: str = "all") -> list[Figures]:
    """Return figures by game, level and period. Raises: KeyError for a period that is not in PERIODS."""
    groups: dict[tuple[str, str, str], list[Kept]] = {}
    for game in games:
        groups.setdefault((game.game, game.level, game.day[: PERIODS[by]]), []).append(game)
    return [_figures(*key, groups[key]) for key in sorted(groups)]


def _figures(game: str, level: str, period: str, games: Sequence[Kept]) -> Figures:
    reviewed = [(entry, entry.luck, json.loads(entry.losses or "{}")) for entry in games if entry.luck is not None]
    totals = [np.sum([*losses.values(), (0, 0.0)], 0)[::-1] for _, _, losses in reviewed]
    kinds: dict[str, np.ndarray] = {}
    for _, _, losses in reviewed:
        for kind, counts in losses.items():
            kinds[kind] = kinds.get(kind, np.zeros(2)) + counts
    return Figures(
        game,
        level,
        period,
        len(games),
        len(reviewed),
        estimate(np.array([entry.chips / entry.deals for entry in games])),
        estimate(np.array([(entry.chips - value) / entry.deals for entry, value, _ in reviewed])),
        ratio_of_means(np.array(totals).reshape(-1, 2)),
        [(kind, int(number), float(lost / number)) for kind, (number, lost) in sorted(kinds.items())],
    )


def mean_text(mean: Estimate, *, signed: bool = True) -> str:
    """Return a mean with half of its interval, "" if there is none; of fewer than FEWEST games the mean alone."""
    half = mean.half_width if mean.samples >= FEWEST else 0.0
    return figure(mean.mean, half, signed=signed) if mean.occurred else ""


def over_time(games: Sequence[Kept]) -> Markup:
    """Draw the mean chips per deal after each game, the oldest first, and those without luck where it is known."""
    adjusted = [(entry.chips - entry.luck) / entry.deals for entry in games if entry.luck is not None]
    curves = {"chips per deal": [entry.chips / entry.deals for entry in games], "luck-adjusted": adjusted}
    points = {word(name): _means(values) for name, values in curves.items() if len(values) > 2}
    return chart.curves(points, word("games"), word("chips")) if points else Markup()


def _means(values: Sequence[float]) -> list[chart.Point]:
    counts = sorted({round(count) for count in np.linspace(2, len(values), min(len(values), MOST_POINTS))})
    return [chart.Point.of(count, estimate(np.array(values[:count]))) for count in counts]
