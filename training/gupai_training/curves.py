"""How a training run went, from its files: evaluations, their charts, the final table; for pages, without torch."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

from markupsafe import Markup
from pydantic import ConfigDict, Field

from gupai_agents.evaluation.pages.chart import Point, curves
from gupai_agents.evaluation.statistics import Estimate, Interval
from gupai_env.messages import say
from gupai_env.storage.models import Count, DamagedError, Number, Stored, Text, parse_stored
from gupai_training.config import METRICS_FILE, SEARCH_STAGE, SELF_PLAY

# In an evaluation, besides the baselines:
COUNTS = ("targets", "decisions", "updates", "seconds", "exploitability", "losses")
LOSSES = ("policy_loss", "value_loss")  # of the last update before an evaluation
MOST_BASELINES = 32


class Exploitability(Stored):
    """What best responses win, chips per deal."""

    best: Number
    drawn: Number


class Evaluation(Stored):
    """A row of a run's file of metrics: how far the run was, and a comparison with each baseline by its name."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Interval] = Field(init=False)

    targets: Count
    decisions: Count
    updates: Count
    seconds: float = Field(ge=0, le=1e12)
    exploitability: Exploitability | None = None
    losses: dict[Literal["policy_loss", "value_loss"], Number] | None = None


class Result(Stored):
    """A row of the final table."""

    player: Text
    against: Text
    chips_per_deal: Interval


class Results(Stored):
    """What a finished run keeps of its final table."""

    results: list[Result]

    @property
    def table(self) -> list[tuple[str, str, str]]:
        """The rows of the table, its heads first."""
        rows = [(result.player, result.against, str(result.chips_per_deal.estimate)) for result in self.results]
        return [("player", "against", "chips per deal"), *rows]


def evaluations_of(folder: Path) -> list[dict[str, Any]]:
    """Return the evaluations of a run, in order.

    A run that was killed and resumed from an older save evaluated twice: of two evaluations at the same point the last
    one counts.

    Raises:
        DamagedError: A row is not an evaluation, or has other baselines than the first one.
        OSError: The file cannot be read.
    """
    by_place: dict[tuple[int, int], Evaluation] = {}
    file = folder / METRICS_FILE
    for number, line in enumerate(file.read_bytes().splitlines() if file.exists() else [], 1):
        row = parse_stored(line, Evaluation, f"{METRICS_FILE}, line {number}")
        by_place[row.targets, row.decisions] = row
    evaluations = [by_place[place].model_dump(exclude_unset=True) for place in sorted(by_place)]
    names = set(baselines_of(evaluations))
    if len(names) > MOST_BASELINES or any(set(baselines_of([row])) != names for row in evaluations):
        raise DamagedError(METRICS_FILE, f"all evaluations must name the same players, at most {MOST_BASELINES}")
    return evaluations


def baselines_of(evaluations: Sequence[dict[str, Any]]) -> list[str]:
    """Return the players that evaluations compare with."""
    return [name for name in (evaluations[0] if evaluations else ()) if name not in COUNTS]


def strength(evaluations: Sequence[dict[str, Any]], over: Literal["seconds", "thousand targets"] = "seconds") -> Markup:
    """Draw the evaluations against each baseline, without `random`, which is far below; stages are separate.

    Returns the chart as SVG, "" where there are fewer than two evaluations to draw, or no baseline.
    """
    baselines = baselines_of(evaluations)
    if len(evaluations) < 2 or not baselines:
        return Markup()
    places = [row["seconds"] if over == "seconds" else row["targets"] / 1000 for row in evaluations]
    drawn: dict[str, list[Point]] = {
        say("against {player}", player=name): [
            Point.of(place, Estimate.of(row[name])) for place, row in zip(places, evaluations, strict=True)
        ]
        for name in [name for name in baselines if name != "random"] or baselines
    }
    by_search = [place for place, row in zip(places, evaluations, strict=True) if not row["decisions"]]
    parted = (by_search[-1], SEARCH_STAGE, SELF_PLAY) if by_search and len(by_search) < len(evaluations) else None
    return curves(drawn, over, "chips per deal", parted)


def exploitability(evaluations: Sequence[dict[str, Any]]) -> Markup:
    """Draw the exploitability in the evaluations that have it; return the chart as SVG, "" if none does."""
    rows = [row for row in evaluations if row.get("exploitability")]
    if not rows:
        return Markup()
    drawn = {
        words: [Point(row["seconds"], *[row["exploitability"][how]] * 3) for row in rows]
        for how, words in (("best", "its best actions"), ("drawn", "drawing from its policy"))
    }
    return curves(drawn, "seconds", "chips per deal")


def losses(evaluations: Sequence[dict[str, Any]]) -> Markup:
    """Draw the losses of the last update before each evaluation; return the chart as SVG, "" if none is known."""
    drawn = {
        name.replace("_", " "): [Point(row["seconds"], *[row["losses"][name]] * 3) for row in rows]
        for name in LOSSES
        if len(rows := [row for row in evaluations if name in (row.get("losses") or ())]) > 1
    }
    return curves(drawn, "seconds", "loss") if drawn else Markup()


CHARTS: dict[str, Callable[..., Markup]] = {"strength": strength, "exploitability": exploitability, "losses": losses}
