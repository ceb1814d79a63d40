"""`gupai compare-runs`: training runs over their seeds, as a table, and as files in a folder."""

import functools
from pathlib import Path
from typing import Any

from gupai_agents.evaluation.pages.html import standalone
from gupai_app.shell.screen import put, table_of
from gupai_env.messages import say
from gupai_env.messages.checks import counted, refused
from gupai_env.storage.files import check_target, make_folder, write_file
from gupai_training.comparison import COLUMNS, PIXELS, Comparison
from gupai_training.trained import METRICS, as_csv, load_run

EVENTS = "tensorboard"  # the folder of TensorBoard's files


def show(comparison: Comparison, *, as_json: bool = False) -> None:
    """Print how the runs of every recipe ended, against each player, and how likely one recipe ends above the first."""
    heads = ("recipe", "against", "runs", "mean", "IQM", "ends above the first")[
        : 6 if len(comparison.recipes) > 1 else 5
    ]
    rows = (
        (
            end.recipe,
            end.against,
            str(end.mean.samples),
            *(mean.text(noun="runs") for mean in (end.mean, end.middle)),
            end.better,
        )[: len(heads)]
        for end in comparison.ends()
    )
    put(
        table_of(*heads, rows=rows),
        "Chips per deal at the last evaluation of each run, with 95% intervals over runs.",
        *(say("{text}.", text=str(note)) for note in comparison.notes),
        content=_content(comparison) if as_json else None,
    )


def _content(comparison: Comparison) -> dict[str, Any]:
    """Return what is printed as JSON."""
    ends = [
        {
            **{"recipe": end.recipe, "against": end.against},
            **end.mean.as_numbers(),
            "iqm": end.middle.as_numbers(),
            **({} if end.above is None else {"above_first": end.above.as_numbers()}),
        }
        for end in comparison.ends()
    ]
    runs = {recipe: [str(run.folder) for run in group] for recipe, group in comparison.recipes.items()}
    return {"runs": runs, "notes": list(map(str, comparison.notes)), "unit": "chips per deal", "ends": ends}


def write(comparison: Comparison, out: str, against: str, *, force: bool = False) -> list[str]:
    """Write the comparison into a folder: two tables, pictures against one player, files for TensorBoard.

    Args:
        comparison: Of the runs.
        out: The folder; it is made if there is none.
        against: The opponent in the pictures.
        force: Whether existing files may be replaced.

    Returns:
        What was written, and what could not be.
    """
    folder = make_folder(out)
    rows = comparison.rows()
    metrics = [row for runs in comparison.recipes.values() for run in runs for row in run.metrics()]
    files: dict[str, bytes | str] = {"curves.csv": as_csv(COLUMNS, rows), "metrics.csv": as_csv(METRICS, metrics)}
    notes: list[str] = []
    for axis in comparison.axes():
        picture = standalone(comparison.chart(rows, against, axis))
        files[f"strength-{axis}.svg"] = picture
        try:
            from gupai_env.render.image import as_png

            files[f"strength-{axis}.png"] = as_png(picture, width=PIXELS)
        except ImportError as error:
            notes = [say("without PNG: {problem}", problem=str(error))]
    for name in files:
        check_target(folder / name, force=force)  # all before any is written
    if not force and (folder / EVENTS).exists():
        raise ValueError(f"{folder / EVENTS} exists already; choose another folder, or replace it with --force")
    for name, content in files.items():
        write_file(folder / name, content, force=force)
    saved = f"{folder}: {', '.join(files)}"
    try:
        _write_events(folder / EVENTS, rows)
        saved += f"; tensorboard --logdir {folder / EVENTS}"
    except ImportError as error:
        notes.append(say("without TensorBoard: {problem}", problem=str(error)))
    return [saved, *notes]


def _write_events(folder: Path, rows: list[dict[str, Any]]) -> None:
    """Write all curves for TensorBoard, a folder for each recipe; older files of it there are replaced."""
    import shutil

    from torch.utils.tensorboard import SummaryWriter

    shutil.rmtree(folder, ignore_errors=True)

    @functools.cache
    def writer(recipe: str) -> SummaryWriter:
        clean = "".join(letter if letter.isalnum() or letter in ".,=- " else "_" for letter in recipe)
        return SummaryWriter(str(folder / clean[:200]))

    recipes = dict.fromkeys(row["recipe"] for row in rows)
    for row in rows:
        for key in COLUMNS[4:-1]:
            if row[key] is not None:
                tag = f"{row['over']}/against_{row['against']}_{key}".replace(" ", "_")
                writer(row["recipe"]).add_scalar(tag, row[key], round(row["at"]))
    for recipe in recipes:
        writer(recipe).close()


def compare(
    runs: list[str], out: str | None, against: str | None, *, as_json: bool, force: bool, unfinished: bool = False
) -> None:
    """Compare runs, print how they ended, and write the rest into a folder.

    Args:
        runs: Folders of runs of one game.
        out: The folder for tables and pictures, None for none.
        against: The opponent in the pictures, None for the strongest.
        as_json: Whether to print JSON.
        force: Whether existing files may be replaced.
        unfinished: Whether unfinished runs are compared too.

    Raises:
        ValueError: For anything that is not a run, or not comparable; in one line.
    """
    comparison = Comparison([load_run(folder) for folder in runs], unfinished=unfinished)
    if against is not None and against not in comparison.baselines:
        baselines = ", ".join(comparison.baselines)
        raise refused("--against", against, say("the runs were compared with {baselines}", baselines=baselines))
    written = write(comparison, out, against or comparison.baselines[-1], force=force) if out else []
    show(comparison, as_json=as_json)
    if not as_json:
        total = sum(map(len, comparison.recipes.values()))
        recipes = counted(len(comparison.recipes), "recipe")
        put(say("{runs} of {recipes}.", runs=counted(total, "run"), recipes=recipes), *written)
