"""A training run on the screen: a progress bar, the evaluations, the table of results."""

from collections.abc import Iterable
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from gupai_app.shell.streams import note, worded
from gupai_app.training.seeds import evaluation_line
from gupai_env.core.variant import in_words
from gupai_env.messages import say
from gupai_env.storage.files import json_text
from gupai_training.config import training_text
from gupai_training.run import FINAL_SEED, Reporter, Row, Run


class MessageReporter(Reporter):
    """Prints messages about a run's folder on standard error."""

    def note(self, line: str) -> None:
        """Print the line."""
        note(line)


class ScreenReporter(MessageReporter):
    """Shows a bar on a terminal, and on any output a line for each evaluation against the baselines."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[rate]}"),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )

    def begin(self, stage: str, progress: float) -> None:
        """Start the bar of a stage."""
        self.task = self.progress.add_task(worded(stage), total=1.0, rate="")
        self.progress.update(self.task, completed=progress)
        self.progress.start()

    def moved(self, progress: float, number: int, unit: str, seconds: float) -> None:
        """Advance the bar."""
        speed = number / max(seconds, 1e-9) / 1000
        rate = worded("{number:.2f}M {unit}, {speed:.0f}k a second", number=number / 1e6, unit=say(unit), speed=speed)
        self.progress.update(self.task, completed=progress, rate=rate)

    def evaluated(self, row: dict[str, Any]) -> None:
        """Print a line: millions of decisions, or targets, and chips per deal against each baseline."""
        self.console.print(evaluation_line(row))

    def expect(self, deals: int) -> None:
        """Start the bar of the final table."""
        self.task = self.progress.add_task(worded("judging"), total=deals, rate="")
        self.progress.start()

    def dealt(self, deals: int) -> None:
        """Advance the bar."""
        self.progress.update(self.task, advance=deals)

    def close(self) -> None:
        """Remove the bars."""
        self.progress.stop()
        for task in self.progress.task_ids:
            self.progress.remove_task(task)


class JsonReporter(MessageReporter):
    """Prints every evaluation as a line of JSON."""

    def evaluated(self, row: dict[str, Any]) -> None:
        """Print the row."""
        print(json_text(row), flush=True)


def results_table(run: Run, rows: Iterable[Row], width: int = 80) -> Table:
    """Return the final table of a run: the trained player and the baselines, each against the other.

    Names are never cut; where `width` columns are too few, seats take two lines.
    """
    config = run.config
    options = in_words(config.variant, "the rulebook's defaults")
    table = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        title=worded(
            "{game}, {number} players, {options}", game=run.game.title, number=run.variant.players, options=options
        ),
        caption=worded(
            "Chips per deal of one player against equal others in all other seats, with its 95% interval. "
            "{deals:,} deals, each from every seat; deals from seed {final}, training from seed {seed}: {learned}.",
            **{"deals": config.evaluation.final_deals, "seed": config.seed, "final": config.seed + FINAL_SEED},
            learned=training_text(run.spent.targets, run.decisions),
        ),
    )
    seats = range(run.variant.players)
    cells = [
        [row.hero, row.villain, str(row.result.mean(0)), *(row.result.at_seat(0, seat).text(1) for seat in seats)]
        for row in rows
    ]
    heads = [
        *map(worded, ("player", "against", "chips per deal")),
        *(worded("seat {number}", number=seat) for seat in seats),
    ]
    widest = [max(map(cell_len, column)) + 1 for column in zip(heads, *cells, strict=True)]
    for number, head in enumerate(heads):
        if number < 2:
            table.add_column(head, overflow="fold")
        else:
            table.add_column(head, justify="right", no_wrap=True)
    for names_and_mean, at_seats in ((row[:3], row[3:]) for row in cells):
        if sum(widest) > width:  # the intervals below the means, so that names stay whole
            at_seats = [cell.replace(" ", "\n") for cell in at_seats]
        table.add_row(*names_and_mean[:2], Text(names_and_mean[2], style="bold"), *at_seats)
    return table
