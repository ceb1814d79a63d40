"""The answer to a question: tables of figures with their intervals, of which the terminal, pages and JSON are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from gupai_agents.evaluation.ablation import LEVEL
from gupai_agents.evaluation.atlas.study import Study
from gupai_agents.evaluation.claims.verdicts import p_value
from gupai_agents.evaluation.statistics import Estimate, holm
from gupai_env.core.rng import in_json
from gupai_env.messages import messages_in, with_messages

# Units of columns.
CHIPS, SHARE, SHARES, NUMBER, EXACT, WORDS = "chips", "share", "shares", "number", "exact", "words"
Cell = Estimate | Sequence[Estimate] | float | str


class Table(NamedTuple):
    """Figures with their intervals.

    title: What they are of.
    heads: Of the columns.
    units: What each column holds: CHIPS, a SHARE, several SHARES, a NUMBER, a number without an interval, EXACT, or
        WORDS.
    rows: A cell for each column, or a text of it.
    note: A sentence about them, "" for none.
    drawn: A position that they are about, as text, "" for none.
    """

    title: str
    heads: Sequence[str]
    units: Sequence[str]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    drawn: str = ""

    @classmethod
    def of(cls, content: Mapping[str, Any]) -> "Table":
        """Return a table from what JSON holds of it."""
        return cls(**{**content, "rows": [[_read(cell) for cell in row] for row in content["rows"]]})

    def columns(self) -> dict[str, dict[str, Any]]:
        """Return the cells of each column but the first, by its head and by the first cell of their row."""
        names = [str(row[0]) for row in self.rows]
        cells = list(zip(*self.rows, strict=True)) or [()] * len(self.heads)
        return {head: dict(zip(names, cells[place], strict=True)) for place, head in enumerate(self.heads) if place}

    def as_numbers(self) -> dict[str, Any]:
        """Return the table as JSON holds it."""
        parts = {**self._asdict(), "rows": [[_written(cell) for cell in row] for row in self.rows]}
        return parts if self.drawn else {name: part for name, part in parts.items() if name != "drawn"}


def _written(cell: Any) -> Any:
    if isinstance(cell, Estimate):
        return cell.as_numbers()
    return list(map(_written, cell)) if isinstance(cell, tuple) else cell


def _read(cell: Any) -> Any:
    if isinstance(cell, dict):
        return Estimate.of(cell)
    return tuple(map(_read, cell)) if isinstance(cell, list) else cell


@dataclass(frozen=True)
class Answer:
    """The answer to a question about a variant.

    Attributes:
        question: Its name in QUESTIONS, or the hand that was asked about.
        study: What it was asked about, and how.
        tables: The figures.
    """

    question: str
    study: Study
    tables: Sequence[Table]

    def as_numbers(self) -> dict[str, Any]:
        """Return the answer as JSON holds it; `tables_in` reads its tables again."""
        study, tables = self.study, [table.as_numbers() for table in self.tables]
        return {
            "game": study.game.id,
            "version": study.game.version,
            "variant": study.variant.changed(),
            "question": self.question,
            "players": study.names,
            "deals": study.deals,
            "seed": in_json(study.seed),
            "tables": tables,
            "messages": messages_in(tables),
        }


def tables_in(content: Mapping[str, Any]) -> list[Table]:
    """Return the tables of an answer from its JSON, whose texts are messages again."""
    return [*map(Table.of, with_messages(content["tables"], content["messages"]))]


def verdicts(estimates: Sequence[Estimate]) -> list[str]:
    """Return of figures that are looked at together whether each is other than 0 beyond chance."""
    return ["beyond chance" if p < LEVEL else "may be chance" for p in holm([p_value(one) for one in estimates])]
