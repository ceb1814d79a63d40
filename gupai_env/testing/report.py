"""What a check says: an error with its place, and the report that lists them all."""

from dataclasses import dataclass
from typing import Literal


class ConformanceError(AssertionError):
    """One check's finding.

    Attributes:
        check: name of the check.
        seed: seed of the game, None if no game was under way.
        move: how many moves had been made, None likewise.
        seat: the agent concerned, None if the whole table is.
        what: one sentence that says what differs.
    """

    check: str
    seed: int | None
    move: int | None
    seat: str | None
    what: str

    def __init__(self, check: str, seed: int | None, move: int | None, seat: str | None, what: str) -> None:
        """Hold what was found and where.

        Args:
            check: The name of the check.
            seed: Of the game, None where it is in no game.
            move: Actions that were played before, None where it is in no game.
            seat: Whom it concerns, None for nobody.
            what: The finding, in one line.
        """
        self.check, self.seed, self.move, self.seat, self.what = check, seed, move, seat, what
        super().__init__(check, seed, move, seat, what)

    @property
    def place(self) -> str:
        """Where it was seen, such as "seed 3, move 5, player_1"."""
        parts = [
            None if self.seed is None else f"seed {self.seed}",
            None if self.move is None else f"move {self.move}",
            self.seat,
        ]
        return ", ".join(part for part in parts if part)

    @property
    def finding(self) -> str:
        """What differs, after its place."""
        return f"{self.place}: {self.what}" if self.place else self.what

    def __str__(self) -> str:
        return f"{self.check}: {self.finding}"


class NotRun(Exception):  # noqa: N818, it is not an error
    """Raised by a check that cannot judge this environment; its text says why."""


@dataclass(frozen=True)
class Result:
    """The verdict of one check; `reason` says why it was not run, `notes` what it left out."""

    check: str
    status: Literal["passed", "failed", "not run"]
    error: ConformanceError | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [self.error.finding] if self.error else []
        parts += [self.reason] if self.reason else []
        return f"{self.status:<8} {self.check:<22} {'; '.join([*parts, *self.notes])}".rstrip()


@dataclass(frozen=True)
class Report:
    """The verdicts of all checks on one environment, in the order in which they ran."""

    env: str
    results: tuple[Result, ...]
    left_out: str = ""  # of what `check_env` was asked for, what its budget did not allow

    def named(self, status: str) -> list[str]:
        """Names of the checks with this status: "passed", "failed" or "not run"."""
        return [result.check for result in self.results if result.status == status]

    @property
    def passed(self) -> list[str]:
        return self.named("passed")

    @property
    def failed(self) -> list[str]:
        return self.named("failed")

    @property
    def not_run(self) -> dict[str, str]:
        """The checks that were not run, and why."""
        return {result.check: result.reason for result in self.results if result.status == "not run"}

    def __getitem__(self, check: str) -> Result:
        for result in self.results:
            if result.check == check:
                return result
        raise KeyError(check)

    def raise_for_failures(self) -> None:
        """Raise the first failure, a ConformanceError; its sentence names the other checks that failed."""
        errors = [result.error for result in self.results if result.error]
        if not errors:
            return
        first, others = errors[0], self.failed[1:]
        if not others:
            raise first
        summary = f"{first.what} (also failed: {', '.join(others)})"
        raise ConformanceError(first.check, first.seed, first.move, first.seat, summary) from first

    def __str__(self) -> str:
        counts = ", ".join(f"{len(self.named(status))} {status}" for status in ("passed", "failed", "not run"))
        order = {"failed": 0, "not run": 1, "passed": 2}
        lines = sorted(self.results, key=lambda result: order[result.status])
        limit = f" (within the budget: {self.left_out})" if self.left_out else ""
        return "\n".join([f"Conformance of {self.env}: {counts}{limit}", *map(str, lines)])
