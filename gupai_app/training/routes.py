"""Training runs on pages: the list of them, how each went, its player, and several side by side."""

import contextlib
import functools
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Response
from markupsafe import Markup

from gupai_agents.evaluation.pages.html import standalone
from gupai_agents.evaluation.tournaments.folder import csv_text
from gupai_agents.networks.checkpoint import AGENT_FILE
from gupai_app.play.address import query_of, words_of_rules
from gupai_app.server.pages import Asked, Query, file_of, page, saved_as, svg_of
from gupai_app.server.players import ODD, RUN, NoPageError, folder_called, folders, made_for, wrong_with
from gupai_app.shell.packages import require_package
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games.phrases import title
from gupai_env.messages import say, word
from gupai_env.messages.checks import refused
from gupai_env.storage.models import DamagedError, read_stored, small_file
from gupai_training.comparison import COLUMNS, PIXELS, Comparison
from gupai_training.config import CONFIG_FILE, METRICS_FILE, REPORT_FILE, RESULTS_FILE, read
from gupai_training.curves import CHARTS, Results, baselines_of, evaluations_of
from gupai_training.trained import as_csv, load_run

MOST_COMPARED = 20  # runs
READ = METRICS_FILE, REPORT_FILE, AGENT_FILE  # of a run, besides its configuration
CSV = "curves.csv"

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
        evaluations = _evaluations(folder, _stamp(folder / METRICS_FILE))
    except ODD as error:
        wrong.append(word(wrong_with(error, METRICS_FILE)))
    try:
        read(_small(folder / CONFIG_FILE))
    except ODD:
        wrong.append(word("{0} cannot be read").format(CONFIG_FILE))
    rules = made_for(folder / AGENT_FILE)
    if rules is None:
        wrong.append(word("there is no player yet, or not of this version"))
    game, variant = rules or (None, None)
    return Run(name, folder, game, variant, evaluations, word("; ").join(wrong))


def _small(file: Path) -> Path:
    return small_file(file, MOST_BYTES) if file.exists() else file


@functools.lru_cache(maxsize=MOST_RUNS)
def _evaluations(folder: Path, _: tuple[int, ...]) -> list[dict[str, Any]]:
    return evaluations_of(folder)


def _stamp(file: Path) -> tuple[int, ...]:
    """Return a key that changes with a file of a run, empty for one of READ that does not exist yet."""
    if file.name in READ and not file.exists():
        return ()
    status = small_file(file, MOST_BYTES).stat() if file.name != AGENT_FILE else file.stat()
    return status.st_ino, status.st_size, status.st_mtime_ns


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
    entries = list(folders(folder).items())
    return page(
        "runs.html",
        head="Runs",
        folder="" if folder is None else folder.name,
        runs=[run_of(*entry) for entry in entries[:MOST_RUNS]],
        more=max(0, len(entries) - MOST_RUNS),
    )


@router.get("/run/{name}")
def run(name: str, server: Asked) -> Response:
    trained = run_of(name, folder_called(server.players.runs, name))
    config = ""
    with contextlib.suppress(OSError, ValueError):
        config = _small(trained.folder / CONFIG_FILE).read_text(encoding="utf-8")
    return page(
        "run.html",
        head=trained.name,
        run=trained,
        evaluations=trained.evaluations[-MAX_EVALUATIONS:],
        charts={name_of_chart: chart for name_of_chart, draw in CHARTS.items() if (chart := draw(trained.evaluations))},
        final=final_table(trained.folder),
        config=config,
    )


@router.get("/run/{name}/{chart}.svg")
def chart_file(name: str, chart: str, server: Asked) -> Response:
    trained = run_of(name, folder_called(server.players.runs, name))
    draw = CHARTS.get(chart)
    return svg_of(f"{name}-{chart}", draw(trained.evaluations) if draw else Markup())


@router.get("/run/{name}/evaluations.csv")
def evaluations_file(name: str, server: Asked) -> Response:
    trained = run_of(name, folder_called(server.players.runs, name))
    ends = ("mean", "low", "high")
    heads = [*PROGRESS, *(f"{baseline} {end}" for baseline in trained.baselines for end in ends)]
    rows = (
        [*(row[column] for column in PROGRESS), *(row[column][end] for column in trained.baselines for end in ends)]
        for row in trained.evaluations
    )
    return saved_as(f"{name}-evaluations.csv", csv_text([heads, *rows]))


@router.get("/run/{name}/{file}")
def file(name: str, file: str, server: Asked) -> Response:
    return file_of(folder_called(server.players.runs, name), file)


class Compared(NamedTuple):
    """What a page compares.

    rows: all curves. names: of the runs. against: the player in the charts. unfinished: whether unfinished runs are
    compared too.
    """

    comparison: Comparison
    rows: list[dict[str, Any]]
    names: tuple[str, ...]
    against: str
    unfinished: bool

    def chart(self, measured: str, axis: str) -> Markup:
        """Return the curves of a player or a loss as SVG."""
        return self.comparison.chart(self.rows, measured, axis)


def compared_runs(query: Query, server: Asked) -> Compared:
    """Return the runs that a query names. Raises: ValueError, NoPageError, OSError."""
    names, unfinished = tuple(query.get("run", "").split(";")), query.get("unfinished") == "yes"
    if not 2 <= len(names) <= MOST_COMPARED:
        raise ValueError(say("choose {least} to {most} runs to compare", least=2, most=MOST_COMPARED))
    folders = [folder_called(server.players.runs, name) for name in names]
    stamps = tuple(_stamp(folder / file) for folder in folders for file in (CONFIG_FILE, *READ))
    comparison, rows = _compared(tuple(folders), stamps, unfinished)
    against = query.get("against", comparison.baselines[-1])
    if against not in comparison.baselines:
        raise refused(
            "against",
            against,
            say("the runs were compared with {baselines}", baselines=", ".join(comparison.baselines)),
        )
    return Compared(comparison, rows, names, against, unfinished)


@functools.lru_cache(maxsize=16)
def _compared(folders: tuple[Path, ...], _: tuple[tuple[int, ...], ...], unfinished: bool) -> tuple[Comparison, list]:
    comparison = Comparison([load_run(folder) for folder in folders], unfinished=unfinished)
    return comparison, comparison.rows([*comparison.baselines, *comparison.losses])


@router.get("/compare")
def compared(runs: Annotated[Compared, Depends(compared_runs)]) -> Response:
    comparison, _, names, against, unfinished = runs
    return page(
        "compare.html",
        head="Runs compared",
        names=names,
        comparison=comparison,
        unfinished=unfinished,
        notes=[note.message(whole=False) for note in comparison.notes],
        against=against,
        ends=comparison.ends(),
        charts=[
            (name, axis, runs.chart(name, axis)) for name in (against, *comparison.losses) for axis in comparison.axes()
        ],
        query="&".join([*(f"run={name}" for name in names), f"against={against}", *["unfinished=yes"] * unfinished]),
    )


@router.get(f"/compare/{CSV}")
def curves_file(runs: Annotated[Compared, Depends(compared_runs)]) -> Response:
    return saved_as(CSV, as_csv(COLUMNS, runs.rows))


@router.get("/compare/{measured}-{axis}.{kind}")
def compared_chart(measured: str, axis: str, kind: str, runs: Annotated[Compared, Depends(compared_runs)]) -> Response:
    comparison = runs.comparison
    if measured not in ("strength", *comparison.losses) or axis not in comparison.axes() or kind not in ("svg", "png"):
        raise NoPageError
    drawn = runs.chart(runs.against if measured == "strength" else measured, axis)
    if kind == "svg":
        return svg_of(f"{measured}-{axis}", drawn)
    with require_package("render", "PNG"):
        from gupai_env.render.image import as_png
    saved = {"Content-Disposition": f'attachment; filename="{measured}-{axis}.png"'}
    return Response(as_png(standalone(drawn), width=PIXELS), media_type="image/png", headers=saved)
