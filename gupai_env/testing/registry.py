"""The list of checks: a function named `mask_soundness(trial)` is the check "mask-soundness"."""

from collections.abc import Callable
from dataclasses import dataclass

from gupai_env.testing.trial import Trial


@dataclass(frozen=True)
class Check:
    """One check.

    Attributes:
        name: its kebab-case name.
        run: judges a trial; raises ConformanceError, or NotRun if it cannot judge. Its docstring is the
            promise.
        needs: the hooks without which it is not run.
        rests_on: checks that it takes for granted; where one of them failed, it would only repeat that.
    """

    name: str
    run: Callable[[Trial], None]
    needs: tuple[str, ...]
    rests_on: tuple[str, ...]


Run = Callable[[Trial], None]
CHECKS: dict[str, Check] = {}


def check(*, needs: tuple[str, ...] = (), rests_on: tuple[str, ...] = ("no-crash",)) -> Callable[[Run], Run]:
    """Register a function as a check under its own name; by default it takes for granted that nothing crashes."""

    def register(run: Run) -> Run:
        name = run.__name__.replace("_", "-")
        CHECKS[name] = Check(name, run, needs, rests_on)
        return run

    return register
