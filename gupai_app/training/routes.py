"""Training runs on pages: the list of runs, how each went, and a link to play against its player."""

import contextlib
import functools
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import APIRouter, Response
from markupsafe import Markup

from gupai_agents.checkpoint import AGENT_FILE
from gupai_agents.evaluation.folder import csv_text
from gupai_agents.stored import DamagedError, read_stored, small_file
from gupai_app.play.address import query_of, words_of_rules
from gupai_app.server.pages import Asked, file_of, page, saved_as, svg_of
from gupai_app.server.players import ODD, RUN, folder_called, folders, made_for, wrong_with
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games.phrases import title
from gupai_env.words.messages import word
from gupai_training.config import CONFIG_FILE, METRICS_FILE, REPORT_FILE, RESULTS_FILE, read
from gupai_training.curves import CHARTS, Results, baselines_of, evaluations_of

MOST_RUNS = 200
MOST_BYTES = 1 << 22  # of a file that is shown
PROGRESS = ("seconds", "targets", "decisions")  # how far a run was at an evaluation
MAX_EVALUATIONS = 500  # the last ones, that are shown

router = APIRouter()


class Run(NamedTuple):
    """A run as pages show it. damaged: what of it cannot be read, "" if all can."""

    name: str
    folder: Path
    game: Game | None
    variant: Variant | None
    evaluations: list[dict[str, Any]]
    damaged: str

    @property
    def head(self) -> str:
        return self.name if self.game is None or self.variant is None else title(self.game, self.variant)

    @property
    def finished(self) -> bool:
        return (self.folder / REPORT_FILE).is_file()

    @property
    def table(self) -> str:
        """The address of a table against the player of this run, "" if there is none."""
        if self.game is None or self.variant is None:
            return ""
        return f"/table?{query_of({**words_of_rules(self.game, self.variant), 'with': RUN + self.name})}"

    @property
    def baselines(self) -> list[str]:
        return baselines_of(self.evaluations)

    @property
    def last(self) -> dict[str, Any]:
        return self.evaluations[-1] if self.evaluations else {}


def run_of(name: str, folder: Path) -> Run:
    """Return a run; what cannot be read of it is said and left out."""
    wrong: list[str] = []
    evaluations: list[dict[str, Any]] = []
    try:
        evaluations = _evaluations(folder)
    except ODD as error:
        what = wrong_with(error, METRICS_FILE).removeprefix(METRICS_FILE).lstrip(":, ")
        wrong.append(word("{0} is damaged ({1})").format(METRICS_FILE, what))
    try:
        read(_small(folder / CONFIG_FILE))
    except ODD:
        wrong.append(word("{0} cannot be read").format(CONFIG_FILE))
    found = made_for(folder / AGENT_FILE)
    if found is None:
        wrong.append(word("there is no player yet, or not of this version"))
    game, variant = found or (None, None)
    return Run(name, folder, game, variant, evaluations, word("; ").join(wrong))


def _small(file: Path) -> Path:
    return small_file(file, MOST_BYTES) if file.exists() else file


def _evaluations(folder: Path) -> list[dict[str, Any]]:
    """Return the evaluations of a run. Raises: DamagedError, OSError."""
    file = folder / METRICS_FILE
    if not file.exists():
        return []
    found = _small(file).stat()
    return _evaluations_at(folder, (found.st_ino, found.st_size, found.st_mtime_ns))


@functools.lru_cache(maxsize=MOST_RUNS)
def _evaluations_at(folder: Path, _: tuple[int, ...]) -> list[dict[str, Any]]:
    return evaluations_of(folder)


def final_table(folder: Path) -> list[tuple[str, str, str]]:
    """Return the rows of the final table of a finished run, its heads first; none if it is not there."""
    try:
        rows = read_stored(folder / RESULTS_FILE, Results, MOST_BYTES).table
        return [(word(player), word(against), word(chips)) for player, against, chips in rows]
    except (OSError, DamagedError):
        return []


@router.get("/runs")
def listed(server: Asked) -> Response:
    folder = server.players.runs
    found = list(folders(folder).items())
    return page(
        "runs.html",
        head="Runs",
        folder="" if folder is None else folder.name,
        runs=[run_of(*each) for each in found[:MOST_RUNS]],
        more=max(0, len(found) - MOST_RUNS),
    )


@router.get("/run/{name}")
def run(name: str, server: Asked) -> Response:
    found = run_of(name, folder_called(server.players.runs, name))
    config = ""
    with contextlib.suppress(OSError, ValueError):
        config = _small(found.folder / CONFIG_FILE).read_text(encoding="utf-8")
    return page(
        "run.html",
        head=found.name,
        run=found,
        evaluations=found.evaluations[-MAX_EVALUATIONS:],
        charts={each: chart for each, draw in CHARTS.items() if (chart := draw(found.evaluations))},
        final=final_table(found.folder),
        config=config,
    )


@router.get("/run/{name}/{chart}.svg")
def chart_file(name: str, chart: str, server: Asked) -> Response:
    found = run_of(name, folder_called(server.players.runs, name))
    draw = CHARTS.get(chart)
    return svg_of(f"{name}-{chart}", draw(found.evaluations) if draw else Markup())


@router.get("/run/{name}/evaluations.csv")
def evaluations_file(name: str, server: Asked) -> Response:
    found = run_of(name, folder_called(server.players.runs, name))
    ends = ("mean", "low", "high")
    heads = [*PROGRESS, *(f"{baseline} {end}" for baseline in found.baselines for end in ends)]
    rows = (
        [*(row[each] for each in PROGRESS), *(row[each][end] for each in found.baselines for end in ends)]
        for row in found.evaluations
    )
    return saved_as(f"{name}-evaluations.csv", csv_text([heads, *rows]))


@router.get("/run/{name}/{file}")
def file(name: str, file: str, server: Asked) -> Response:
    return file_of(folder_called(server.players.runs, name), file)
