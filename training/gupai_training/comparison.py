"""Runs of several seeds compared: strength against targets, decisions and seconds, over seeds, as tables and curves.

The independent unit is a run, never a deal. Besides the mean there is the interquartile mean (IQM), which a single
lucky seed moves less (Agarwal and others, "Deep Reinforcement Learning at the Edge of the Statistical Precipice",
2021).
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from gupai_agents.evaluation.intervals import number_or_none
from gupai_agents.evaluation.pages.chart import Point, curves
from gupai_agents.evaluation.statistics import Estimate, estimate, superiority, trimmed
from gupai_env.messages import say
from gupai_training.curves import LOSSES
from gupai_training.trained import TrainedRun

AXES = ("targets", "decisions", "seconds")
MOST_POINTS = 200  # of a curve
PIXELS = 1120  # of a PNG, two for each unit of the chart
OWN = ("seed", "name", "threads")  # settings in which the runs of one recipe may differ
COLUMNS = (*("recipe", "against", "over", "at"), *("mean", "low", "high", "iqm", "iqm_low", "iqm_high", "n"))


NOTHING_EVALUATED = "{run} is left out: nothing was evaluated there yet"
UNFINISHED = "{run} is left out: unfinished, {other}"
SAME_RUN = "{run} is the same run as {other}, by its seed and digest: they count once"
SAME_SEED = "{run} has the seed of {other}, but another digest: both count"


class Note(NamedTuple):
    """What a comparison does with a run: a template, the folder for its {run}, another or words for its {other}."""

    sentence: str
    folder: Path
    more: Path | str = ""

    def message(self, *, whole: bool = True) -> str:
        """Return the sentence. Args: whole: Whether it names the paths of folders, rather than their names alone."""
        run, other = (
            (str(place) if whole else place.name) if isinstance(place, Path) else say(place)
            for place in (self.folder, self.more)
        )
        return say(self.sentence, run=run, other=other)

    def __str__(self) -> str:
        return self.message()


class End(NamedTuple):
    """How the runs of a recipe ended against a player: chips per deal, and how likely one ends above the first recipe.

    above: None for the first recipe.
    """

    recipe: str
    against: str
    mean: Estimate
    middle: Estimate
    above: Estimate | None

    @property
    def better(self) -> str:
        """How likely a run ends above one of the first recipe, "" for that one."""
        if self.above is None:
            return ""
        ends = f" [{self.above.low:.0%}, {self.above.high:.0%}]" if self.above.has_interval else ""
        return f"{self.above.mean:.0%}{ends}"


class Comparison:
    """Runs by recipe: runs with the same settings but for seed, name and threads are of one recipe.

    Unfinished runs are left out or, with `unfinished`, compared where they stopped: those that stopped at one point
    are a recipe of their own. A run that is there twice counts once.

    Attributes:
        recipes: The runs of every recipe by its name: the settings in which it differs from the others.
        baselines: The players that all runs were compared with.
        losses: The losses that all runs noted at their evaluations.
        notes: Which runs are left out or counted once, and why.
    """

    def __init__(self, runs: Sequence[TrainedRun], *, unfinished: bool = False) -> None:
        """Read the evaluations of runs.

        Raises:
            ValueError: In one line unless the runs are of one game and variant and have evaluations in common.
        """
        if len({run.folder.resolve() for run in runs}) < len(runs):
            raise ValueError("the same run is named twice")
        for run in runs:
            if (run.game, run.variant) != (runs[0].game, runs[0].variant):
                raise ValueError(f"{run.folder}: its game or variant is not that of {runs[0].folder}")
        self.notes: list[Note] = []
        alike = self._alike(runs, unfinished)
        counted = [run for group in alike.values() for run in group]
        if not counted:
            stopped = ", ".join(f"{note.folder} ({note.more})" for note in self.notes if note.sentence == UNFINISHED)
            raise ValueError(
                f"none of these runs is finished: {stopped}; compare unfinished ones too, or finish one"
                if stopped
                else "nothing was evaluated yet in these runs"
            )
        self.baselines: list[str] = [
            name for name in counted[0].baselines if all(name in run.baselines for run in counted)
        ]
        if not self.baselines:
            raise ValueError("no player was compared with all of these runs")
        noted = [run.evaluations[-1].get("losses") or () for run in counted]
        self.losses: list[str] = [name for name in LOSSES if all(name in row for row in noted)]
        settings = {text: _settings(group[0]) for (text, _), group in alike.items()}
        names = dict(zip(settings, _names(list(settings.values())), strict=True))
        self.recipes: dict[str, list[TrainedRun]] = {
            ", ".join(filter(None, (names[text], stopped))): group for (text, stopped), group in alike.items()
        }

    def _alike(self, runs: Sequence[TrainedRun], unfinished: bool) -> dict[tuple[str, str], list[TrainedRun]]:
        """Return the runs that count, by their settings and where they stopped ("" at the end), finished ones first."""
        alike: dict[tuple[str, str], list[TrainedRun]] = {}
        known: dict[tuple[str, int], list[TrainedRun]] = {}
        for run in runs:
            if not run.evaluations:
                self.notes.append(Note(NOTHING_EVALUATED, run.folder))
                continue
            stopped = "" if run.finished else run.progress
            if stopped and not unfinished:
                self.notes.append(Note(UNFINISHED, run.folder, stopped))
                continue
            settings = _recipe(run)
            of_seed = known.setdefault((settings, run.config.seed), [])
            same = next((other for other in of_seed if other.digest == run.digest), None)
            if same is not None:
                self.notes.append(Note(SAME_RUN, run.folder, same.folder))
                continue
            if of_seed:
                self.notes.append(Note(SAME_SEED, run.folder, of_seed[0].folder))
            of_seed.append(run)
            alike.setdefault((settings, stopped), []).append(run)
        return dict(sorted(alike.items(), key=lambda entry: bool(entry[0][1])))

    def final(self, recipe: str, against: str) -> np.ndarray:
        """Return the mean of the last evaluation of each run, chips per deal, [runs]."""
        return np.array([run.evaluations[-1][against]["mean"] for run in self.recipes[recipe]])

    def ends(self) -> list[End]:
        """Return how the runs of every recipe ended, against each player."""
        first, *_ = self.recipes
        ends = []
        for against in self.baselines:
            for recipe in self.recipes:
                values = self.final(recipe, against)
                above = None if recipe == first else superiority(values, self.final(first, against))
                ends.append(End(recipe, against, estimate(values, runs=True), trimmed(values), above))
        return ends

    def curve(self, recipe: str, against: str, axis: str) -> tuple[np.ndarray, np.ndarray]:
        """Return points of an axis that all runs of a recipe reached, [P], and what each had there, [P, runs].

        Between two evaluations of a run a straight line is taken.

        Args:
            recipe: One of `recipes`.
            against: A player, or one of `losses`.
            axis: One of `axes`.
        """

        def value(row: Mapping[str, Any]) -> float | None:
            number: float | None = (
                (row.get("losses") or {}).get(against) if against in self.losses else row[against]["mean"]
            )
            return number

        measured = []
        for run in self.recipes[recipe]:
            # Of equal points the last one counts.
            by_step = {row[axis]: there for row in run.evaluations if (there := value(row)) is not None}
            measured.append((np.array(list(by_step), float), np.array(list(by_step.values()))))
        first, last = max(x[0] for x, _ in measured), min(x[-1] for x, _ in measured)
        points = np.unique(np.concatenate([x for x, _ in measured]))
        points = points[(points >= first) & (points <= last)]
        if len(points) > MOST_POINTS:
            points = points[np.linspace(0, len(points) - 1, MOST_POINTS).round().astype(int)]
        return points, np.array([np.interp(points, x, y) for x, y in measured]).T

    def axes(self) -> list[str]:
        """Return the axes along which the runs moved: a run without self-play has no decisions."""
        return [
            axis for axis in AXES if any(run.evaluations[-1][axis] for runs in self.recipes.values() for run in runs)
        ]

    def rows(self, measured: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """Return curves as tidy rows with the keys COLUMNS; an interval over a single run is None.

        Args:
            measured: Players or `losses`; None: all players.
        """
        rows = []
        for recipe in self.recipes:
            for against in self.baselines if measured is None else measured:
                for axis in self.axes():
                    for step, values in zip(*self.curve(recipe, against, axis), strict=True):
                        ends = (*estimate(values, runs=True)[:3], *trimmed(values)[:3])
                        cells = (recipe, against, axis, float(step), *map(number_or_none, ends), len(values))
                        rows.append(dict(zip(COLUMNS, cells, strict=True)))
        return rows

    def chart(self, rows: Sequence[Mapping[str, Any]], against: str, axis: str) -> Markup:
        """Return the curves of all recipes against one player along one axis as SVG, bands for 95% over runs.

        Args:
            rows: What `rows` returned.
            against: The player, or one of `losses`.
            axis: One of `axes`.
        """
        drawn: dict[str, list[Point]] = {}
        for row in rows:
            if (row["against"], row["over"]) == (against, axis):
                drawn.setdefault(row["recipe"], []).append(Point.of(row["at"], Estimate.of(row)))
        chips = say("chips per deal against {player}", player=against)
        return curves(drawn, axis, against.replace("_", " ") if against in self.losses else chips)


def _settings(run: TrainedRun) -> dict[str, Any]:
    """Return the settings of a run's recipe, flat: {"ppo.entropy": 0.01, ...}."""

    def flat(section: Mapping[str, Any], prefix: str) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in section.items():
            values |= flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {f"{prefix}{name}": value}
        return values

    return {name: value for name, value in flat(run.config.model_dump(), "").items() if name not in OWN}


def _recipe(run: TrainedRun) -> str:
    """Return the settings of a run's recipe as a text, in which 3 and 3.0 are one number."""
    return json.dumps(json.loads(json.dumps(_settings(run)), parse_int=float), sort_keys=True)


def _names(recipes: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return a name for each recipe: the settings in which they differ, the game's id where there is one alone."""
    if len(recipes) == 1:
        return [str(recipes[0]["game"])]
    keys = list(dict.fromkeys(key for recipe in recipes for key in recipe))
    differ = [key for key in keys if any(recipe.get(key) != recipes[0].get(key) for recipe in recipes)]
    return [", ".join(f"{key}={recipe.get(key)}" for key in differ) for recipe in recipes]
