"""How a person does: chips, what they are without the luck of the tiles, and the loss per decision."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from gupai_agents.evaluation.intervals import figure
from gupai_agents.evaluation.pages import chart
from gupai_agents.evaluation.records.games import GameRecord, game_of_line
from gupai_agents.evaluation.statistics import Estimate, estimate, ratio_of_means
from gupai_app.kept.store import Kept, Store
from gupai_app.play.seats import near_of
from gupai_app.review.analysis import Decision, judged, luck
from gupai_env.messages import say, word

PERIODS = {"all": 0, "year": 4, "month": 7, "day": 10}  # how many characters of a day name the period
MOST_POINTS = 60  # of a curve
RECENT = 20  # games over which skill is averaged
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


def note_review(store: Store, record: GameRecord) -> list[Decision]:
    """Keep what a review finds in a game that is kept; return the decisions of the person.

    Raises:
        OSError: As `Store`. ValueError too.
    """
    seat = near_of(record)
    losses: dict[str, list[float]] = {}
    own = [turn for turn in judged(record).decisions if turn.seat == seat]
    for turn in own:
        number, lost = losses.get(turn.kind, (0, 0.0))
        losses[turn.kind] = [number + 1, lost + (turn.played.loss if turn.sure else 0.0)]
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
        ratio_of_means(np.array([_lost(entry) for entry, _, _ in reviewed]).reshape(-1, 2)),
        [(kind, int(number), float(lost / number)) for kind, (number, lost) in sorted(kinds.items())],
    )


def mean_text(mean: Estimate, *, signed: bool = True) -> str:
    """Return a mean with half of its interval, "" if there is none; of fewer than FEWEST games the mean alone."""
    half = mean.half_width if mean.samples >= FEWEST else 0.0
    return figure(mean.mean, half, signed=signed) if mean.occurred else ""


def over_time(games: Sequence[Kept]) -> list[Markup]:
    """Draw, the oldest game first, the mean chips per deal after each game, also those without luck where it is known,
    and the loss per decision of the last RECENT games that were reviewed; nothing of fewer than three.
    """
    reviewed = [entry for entry in games if entry.luck is not None]
    adjusted = np.array([(entry.chips - (entry.luck or 0.0)) / entry.deals for entry in reviewed])
    chips = {"chips per deal": np.array([entry.chips / entry.deals for entry in games]), "luck-adjusted": adjusted}
    results = {
        word(name): [_point(count, estimate(values[:count])) for count in _counts(values)]
        for name, values in chips.items()
        if len(values) > 2
    }
    lost = np.array([_lost(entry) for entry in reviewed]).reshape(-1, 2)
    recent = [_point(count, ratio_of_means(lost[max(count - RECENT, 0) : count])) for count in _counts(lost)]
    skill = {word(say("loss per decision, last {number} games", number=RECENT)): recent} if len(recent) > 1 else {}
    return [chart.curves(drawn, word("games"), word("chips")) for drawn in (results, skill) if drawn]


def _lost(game: Kept) -> np.ndarray:
    """Return the chips that the decisions of a game lost, and how many they were, float64 [2]."""
    return np.sum([*json.loads(game.losses or "{}").values(), (0, 0.0)], 0)[::-1]


def _counts(values: np.ndarray) -> list[int]:
    """Return after how many games a curve has its points."""
    return sorted({round(count) for count in np.linspace(2, len(values), min(len(values), MOST_POINTS))})


def _point(count: int, mean: Estimate) -> chart.Point:
    """Return a mean after so many games; that of fewer than FEWEST has no interval, which would say nothing."""
    alone = chart.Point(count, mean.mean, mean.mean, mean.mean)
    return chart.Point.of(count, mean) if min(count, mean.samples) >= FEWEST else alone
