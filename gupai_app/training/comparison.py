"""Training runs set side by side on a page, as `gupai compare-runs` does: how each recipe ends, and its curves."""

import functools
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request, Response
from markupsafe import Markup
from starlette.exceptions import HTTPException

from gupai_agents.checkpoint import AGENT_FILE
from gupai_agents.evaluation.html import standalone
from gupai_agents.stored import small_file
from gupai_app.server.pages import Asked, once, page, saved_as, svg_of
from gupai_app.server.players import folder_called
from gupai_app.shell.packages import needing
from gupai_app.training.compare_runs import PIXELS, ends_of
from gupai_app.training.routes import MOST_BYTES
from gupai_env.words.checks import refused
from gupai_env.words.messages import say
from gupai_training.comparison import COLUMNS, Comparison
from gupai_training.config import CONFIG_FILE, METRICS_FILE, REPORT_FILE
from gupai_training.trained import as_csv, load_run

MOST_COMPARED = 20  # runs
READ = METRICS_FILE, REPORT_FILE, AGENT_FILE  # of a run, besides its configuration
CSV = "curves.csv"

router = APIRouter()


class Compared(NamedTuple):
    """What a page compares.

    rows: all curves. names: of the runs. against: the player in the charts. unfinished: whether unfinished runs are
    compared too.
    """

    found: Comparison
    rows: list[dict[str, Any]]
    names: tuple[str, ...]
    against: str
    unfinished: bool

    def chart(self, measured: str, axis: str) -> Markup:
        """Return the curves of a player or a loss as SVG."""
        return self.found.chart(self.rows, measured, axis)


async def asked(request: Request, server: Asked) -> Compared:
    """Return the runs that a query names. Raises: ValueError, HTTPException, OSError."""
    query = once(request.query_params.multi_items(), "run")
    names, unfinished = tuple(query.get("run", "").split(";")), query.get("unfinished") == "yes"
    if not 2 <= len(names) <= MOST_COMPARED:
        raise ValueError(f"choose 2 to {MOST_COMPARED} runs to compare")
    folders = [folder_called(server.players.runs, name) for name in names]
    stamps = tuple(_stamp(each / file) for each in folders for file in (CONFIG_FILE, *READ))
    found, rows = _compared(tuple(folders), stamps, unfinished)
    against = query.get("against", found.baselines[-1])
    if against not in found.baselines:
        raise refused(
            "against", against, say("the runs were compared with {baselines}", baselines=", ".join(found.baselines))
        )
    return Compared(found, rows, names, against, unfinished)


def _stamp(file: Path) -> tuple[int, ...]:
    """Return a key that changes with a file of a run, empty for one of READ that does not exist yet."""
    if file.name in READ and not file.exists():
        return ()
    found = small_file(file, MOST_BYTES).stat() if file.name != AGENT_FILE else file.stat()
    return found.st_ino, found.st_size, found.st_mtime_ns


@functools.lru_cache(maxsize=16)
def _compared(folders: tuple[Path, ...], _: tuple[tuple[int, ...], ...], unfinished: bool) -> tuple[Comparison, list]:
    found = Comparison([load_run(folder) for folder in folders], unfinished=unfinished)
    return found, found.rows([*found.baselines, *found.losses])


@router.get("/compare")
def compared(asked: Annotated[Compared, Depends(asked)]) -> Response:
    found, _, names, against, unfinished = asked
    return page(
        "compare.html",
        head="Runs compared",
        names=names,
        found=found,
        unfinished=unfinished,
        notes=[(note.sentence, note.folder.name, getattr(note.more, "name", note.more)) for note in found.notes],
        against=against,
        ends=ends_of(found),
        charts=[(name, axis, asked.chart(name, axis)) for name in (against, *found.losses) for axis in found.axes()],
        query="&".join([*(f"run={name}" for name in names), f"against={against}", *["unfinished=yes"] * unfinished]),
    )


@router.get(f"/compare/{CSV}")
def curves_file(asked: Annotated[Compared, Depends(asked)]) -> Response:
    return saved_as(CSV, as_csv(COLUMNS, asked.rows))


@router.get("/compare/{measured}-{axis}.{kind}")
def chart_file(measured: str, axis: str, kind: str, asked: Annotated[Compared, Depends(asked)]) -> Response:
    found = asked.found
    if measured not in ("strength", *found.losses) or axis not in found.axes() or kind not in ("svg", "png"):
        raise HTTPException(404)
    drawn = asked.chart(asked.against if measured == "strength" else measured, axis)
    if kind == "svg":
        return svg_of(f"{measured}-{axis}", drawn)
    with needing("render", "PNG"):
        from gupai_env.render.image import as_png
    saved = {"Content-Disposition": f'attachment; filename="{measured}-{axis}.png"'}
    return Response(as_png(standalone(drawn), width=PIXELS), media_type="image/png", headers=saved)
