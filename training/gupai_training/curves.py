"""Pictures of how a training run went, from the looks that it kept; without torch, so that pages can show them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ConfigDict, Field

from gupai_agents.stored import Count, DamagedError, Number, Stored, parse_stored
from gupai_training.config import METRICS_FILE, SELF_PLAY, TEACHING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNTS = ("labels", "decisions", "updates", "seconds", "exploitability")  # in a look, beside the baselines
MOST_BASELINES = 32


class Compared(Stored):
    """A comparison with a baseline: chips per deal with the ends of their 95% interval."""

    mean: Number
    low: Number
    high: Number
    deals: Count = 0


class Exploitability(Stored):
    """What best responses win, chips per deal."""

    best: Number
    drawn: Number


class Look(Stored):
    """A row of a run's file of metrics: how far it was, and a comparison by the name of each baseline."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Compared] = Field(init=False)

    labels: Count
    decisions: Count
    updates: Count
    seconds: float = Field(ge=0, le=1e12)
    exploitability: Exploitability | None = None


def looks_of(folder: Path) -> list[dict[str, Any]]:
    """Return the looks at the baselines of a run, in order.

    A run that was killed and went on from an older save looked twice: of looks at the same place the last one counts.

    Raises:
        DamagedError: A row is no look, or not with the baselines of the first one.
        OSError: The file cannot be read.
    """
    found: dict[tuple[int, int], Look] = {}
    file = folder / METRICS_FILE
    for number, line in enumerate(file.read_bytes().splitlines() if file.exists() else [], 1):
        row = parse_stored(line, Look, f"{METRICS_FILE}, line {number}")
        found[row.labels, row.decisions] = row
    looks = [found[place].model_dump(exclude_unset=True) for place in sorted(found)]
    names = set(baselines_of(looks))
    if len(names) > MOST_BASELINES or any(set(baselines_of([row])) != names for row in looks):
        raise DamagedError(f"{METRICS_FILE}: looks are at the same {MOST_BASELINES} players or fewer")
    return looks


def baselines_of(looks: Sequence[dict[str, Any]]) -> list[str]:
    """Return the players that looks compare with."""
    return [name for name in (looks[0] if looks else ()) if name not in COUNTS]


def strength(looks: Sequence[dict[str, Any]], figure: "Figure") -> None:
    """Draw the looks at each baseline, but for `random`, which is far below, over seconds; stages stand apart."""
    figure.set_size_inches(7, 3.6)
    axes = figure.subplots()
    seconds = [row["seconds"] for row in looks]
    baselines = baselines_of(looks)
    for name in [name for name in baselines if name != "random"] or baselines:
        means = [row[name]["mean"] for row in looks]
        lines = axes.plot(seconds, means, marker="o", ms=3, label=f"against {name}")
        lows, highs = ([row[name][end] for row in looks] for end in ("low", "high"))
        axes.fill_between(seconds, lows, highs, color=lines[0].get_color(), alpha=0.12, lw=0)
    taught = [row["seconds"] for row in looks if not row["decisions"]]
    if taught and len(taught) < len(looks):
        axes.axvline(taught[-1], color="#33404d", lw=0.8, ls="--")
        for side, stage in (("right", TEACHING), ("left", SELF_PLAY)):
            at = (taught[-1], 1.0)
            axes.annotate(f" {stage} ", at, xycoords=("data", "axes fraction"), ha=side, va="top", fontsize=8)
    axes.axhline(0, color="#33404d", lw=0.8, ls=":")
    axes.set(xlabel="seconds", ylabel="chips a deal")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))


def exploitability(looks: Sequence[dict[str, Any]], figure: "Figure") -> None:
    """Draw what best responses win from it, in the looks that tell it."""
    figure.set_size_inches(7, 3)
    axes = figure.subplots()
    rows = [row for row in looks if "exploitability" in row]
    for how, words in (("best", "its best actions"), ("drawn", "drawing from its policy")):
        chips = [row["exploitability"][how] for row in rows]
        axes.plot([row["seconds"] for row in rows], chips, marker="o", ms=3, label=words)
    axes.set(xlabel="seconds", ylabel="chips a deal")
    axes.set_ylim(bottom=0)
    axes.legend(frameon=False)
