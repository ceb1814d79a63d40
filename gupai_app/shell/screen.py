"""The results that commands print: tables for people, JSON for programs."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from gupai_app.shell.streams import printable, worded
from gupai_env.storage.files import json_text

NARROWEST = 20  # columns; a narrower terminal breaks lines itself
WIDEST = 10_000  # columns of a table in a file, more than any needs


class FoldedTable(Table):
    """A table that breaks what is too long rather than cut it."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        super().add_row(*cells, **options)
        for column in self.columns:
            column.overflow = "fold"


def table_of(*columns: str, title: str = "", rows: Iterable[Iterable[str]] = (), **options: Any) -> Table:
    """Return a table whose title and heads are in the language that was chosen, with some rows."""
    heads = map(worded, columns)
    table = FoldedTable(*heads, title=worded(title) or None, box=box.SIMPLE, title_justify="left", **options)
    for row in rows:
        table.add_row(*row)
    return table


class Screen(Console):
    """A console of any width that prints texts as they are, but messages in the language that was chosen.

    Control characters are written out.
    """

    def __init__(self, **how: Any) -> None:
        super().__init__(markup=False, emoji=False, **how)
        self.width = max(self.width, NARROWEST)

    def render_str(self, text: str, **how: Any) -> Text:
        """Return a text as it is shown; tables ask this of their cells too."""
        return super().render_str(printable(text if type(text) is str else worded(text)), **how)


def put(*parts: Any, content: dict[str, Any] | None = None) -> None:
    """Print texts, in the language that was chosen, and tables; or `content` in their place, as one JSON object.

    A table that goes to a file, and not to a terminal, is as wide as it needs to be.
    """
    if content is not None:
        return put_json(content)
    console, free = Screen(highlight=False), Screen(highlight=False, width=WIDEST)
    for part in parts:
        if isinstance(part, Table):
            keep_numbers_whole(part)
            if not console.is_terminal and "COLUMNS" not in os.environ:
                free.print(part)
                continue
        console.print(worded(part) if isinstance(part, str) else part)
    return None


def keep_numbers_whole(table: Table) -> None:
    """Let columns be no narrower than their heads and numbers: where there is too little room, other words are broken
    instead."""
    for column in table.columns:
        words = [word for cell in column.cells for word in str(cell).split() if word.lstrip("+±-")[:1].isdecimal()]
        column.min_width = max(map(cell_len, [*words, *str(column.header).split()]), default=None)


def put_json(content: dict[str, Any]) -> None:
    """Print one JSON object."""
    print(json_text(content, 2))


@contextmanager
def _bar(*columns: ProgressColumn) -> Iterator[Progress]:
    """Show a bar on standard error, if that is a terminal, while the block runs."""
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar


@contextmanager
def progress(unit: str, total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, if that is a terminal, while the block calls `done(number)`; None: nobody knows of
    how many."""
    template = "{done} {unit}" if total is None else "{done} of {total} {unit}"
    so_far = worded(template, done="{task.completed:,}", total="{task.total:,}", unit=worded(unit))
    with _bar(BarColumn(), TextColumn(so_far), TimeRemainingColumn()) as bar:
        task = bar.add_task(unit, total=total)
        yield lambda number: bar.advance(task, number)


@contextmanager
def waiting(label: str) -> Iterator[None]:
    """Show on standard error, if that is a terminal, what is being done and for how long, while the block runs."""
    with _bar(SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn()) as bar:
        bar.add_task(worded(label), total=None)
        yield


@contextmanager
def shares() -> Iterator[Callable[[float, str], None]]:
    """Show a bar on standard error, if that is a terminal, while the block calls `notify(share, what it does)`."""
    label = TextColumn("{task.description}", markup=False)
    with _bar(BarColumn(), TaskProgressColumn(), TimeRemainingColumn(), label) as bar:
        task = bar.add_task("", total=1.0)
        yield lambda share, label: bar.update(task, completed=share, description=worded(label))
