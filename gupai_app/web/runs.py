"""Training runs on pages: which there are, how each went, and playing against what it trained."""

import contextlib
import functools
import re
import threading
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import FastAPI, Response
from starlette.exceptions import HTTPException

from gupai_agents.checkpoint import AGENT_FILE
from gupai_agents.stored import small_file
from gupai_app.web.address import query_of, words_of_rules
from gupai_app.web.pages import Pages
from gupai_app.web.players import ODD, RUN, folder_called, folders, made_for, wrong_with
from gupai_env.core.game import Game
from gupai_env.core.phrases import title
from gupai_env.core.variant import Variant
from gupai_training.config import CONFIG_FILE, METRICS_FILE, REPORT_FILE, read
from gupai_training.curves import baselines_of, exploitability, looks_of, strength

MOST_RUNS = 200
MOST_BYTES = 1 << 22  # of a file that is shown
MOST_LOOKS = 500  # that are shown, the last ones
PICTURES = {"strength": strength, "exploitability": exploitability}
# A picture is shown as an image, where nothing of it can run; it has styles of its own.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_drawing = threading.Lock()  # matplotlib draws one picture at a time


class Run(NamedTuple):
    """A run as pages show it. damaged: what of it cannot be read, "" if all can."""

    name: str
    folder: Path
    game: Game | None
    variant: Variant | None
    looks: list[dict[str, Any]]
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
        return baselines_of(self.looks)

    @property
    def pictures(self) -> list[str]:
        """The names of pictures for which there is something to draw."""
        there = {"strength": self.baselines, "exploitability": "exploitability" in self.last}
        return [name for name in PICTURES if there[name]]

    @property
    def last(self) -> dict[str, Any]:
        return self.looks[-1] if self.looks else {}


def run_of(name: str, folder: Path) -> Run:
    """Return a run; what cannot be read of it is said and left out."""
    wrong: list[str] = []
    looks: list[dict[str, Any]] = []
    try:
        looks = _looks(folder)
    except ODD as error:
        what = wrong_with(error, METRICS_FILE).removeprefix(METRICS_FILE).lstrip(":, ")
        wrong.append(f"{METRICS_FILE} is damaged ({what})")
    try:
        read(_small(folder / CONFIG_FILE))
    except ODD:
        wrong.append(f"{CONFIG_FILE} cannot be read")
    found = made_for(folder / AGENT_FILE)
    if found is None:
        wrong.append("there is no player yet, or not of this version")
    game, variant = found or (None, None)
    return Run(name, folder, game, variant, looks, "; ".join(wrong))


def _small(file: Path) -> Path:
    return small_file(file, MOST_BYTES) if file.exists() else file


def _looks(folder: Path) -> list[dict[str, Any]]:
    """Return the looks of a run. Raises: DamagedError, OSError."""
    file = folder / METRICS_FILE
    if not file.exists():
        return []
    found = _small(file).stat()
    return _looks_at(folder, (found.st_ino, found.st_size, found.st_mtime_ns))


@functools.lru_cache(maxsize=MOST_RUNS)
def _looks_at(folder: Path, _: tuple[int, ...]) -> list[dict[str, Any]]:
    return looks_of(folder)


def final_table(folder: Path) -> list[list[str]]:
    """Return the rows of the final table, which the report of a finished run holds; none if it is not there."""
    try:
        text = _small(folder / REPORT_FILE).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return []
    found = re.search(r"<table>(.*?)</table>", text, re.DOTALL)
    rows = re.findall(r"<tr>(.*?)</tr>", found[1], re.DOTALL) if found else []
    return [[unescape(cell) for cell in re.findall(r"<t[hd]>([^<]*)</t[hd]>", row)] for row in rows]


@functools.lru_cache(maxsize=16)
def _picture(which: str, folder: Path, _: int) -> str:
    """Return a picture of a run; its time tells an older one from a newer."""
    from gupai_agents.evaluation.html import svg_of

    with _drawing:
        return svg_of(functools.partial(PICTURES[which], _looks(folder)))


def can_draw() -> bool:
    """True if matplotlib is there."""
    try:
        import gupai_agents.evaluation.html  # noqa: F401
    except ImportError:
        return False
    return True


def add_runs(app: FastAPI, pages: Pages, runs: Path | None) -> None:
    """Let a server answer for the pages of runs."""

    def run_called(name: str) -> Run:
        return run_of(name, folder_called(runs, name))

    @app.get("/runs")
    def listed() -> Response:
        found = list(folders(runs).items())
        return pages(
            "runs.html",
            head="Runs",
            folder="" if runs is None else runs.name,
            runs=[run_of(*each) for each in found[:MOST_RUNS]],
            more=max(0, len(found) - MOST_RUNS),
        )

    @app.get("/run/{name}")
    def run(name: str) -> Response:
        found = run_called(name)
        config = ""
        with contextlib.suppress(OSError, ValueError):
            config = _small(found.folder / CONFIG_FILE).read_text(encoding="utf-8")
        return pages(
            "run.html",
            head=found.name,
            run=found,
            looks=found.looks[-MOST_LOOKS:],
            pictures=found.pictures if len(found.looks) > 1 and can_draw() else [],
            can_draw=can_draw(),
            final=final_table(found.folder),
            config=config,
        )

    @app.get("/run/{name}/{which}.svg")
    def picture(name: str, which: str) -> Response:
        found = run_called(name)
        if which not in found.pictures or not can_draw():
            raise HTTPException(404)
        svg = _picture(which, found.folder, (found.folder / METRICS_FILE).stat().st_mtime_ns)
        return Response(svg, media_type="image/svg+xml", headers={"Content-Security-Policy": PICTURE_POLICY})
