"""From measurements to a table: medians, the verdict on each row, the ranking."""

import statistics
import textwrap
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmarks.peers.protocol import MODES

OURS = "gupai"
MOST_IDLE = 0.95  # share of steps that may change nothing; of Triple Triad's random moves 80% are illegal
FEWEST_OBSERVATIONS = 4
WIDTH = 118  # of the text between the tables


class Line(NamedTuple):
    """One row of figures over all rounds."""

    peer: str
    version: str
    game: str
    mode: str
    counted: str
    rates: list[float]  # steps per second of processor time, one a round
    ready: float  # seconds from nothing to the first step, imports aside; compiling is in it
    check: dict
    flaw: str  # why it is not ranked; empty if it is

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


def flaw(check: dict) -> str:
    """Return what is wrong with an environment whose steps were watched, or nothing."""
    if check["steps"] == 0:
        return "no step was watched"
    if check["idle"] > MOST_IDLE:
        return f"{check['idle']:.0%} of the steps changed nothing"
    if check["distinct"] < FEWEST_OBSERVATIONS:
        return f"only {check['distinct']} different observations were seen"
    if check["episodes"] == 0:
        return "no episode ended"
    return ""


def lines(measurements: Iterable[dict]) -> list[Line]:
    """Gather the measurements of all rounds, fastest first."""
    rows: dict[tuple, list[dict]] = {}
    for measurement in measurements:
        rows.setdefault((measurement["peer"], measurement["game"], measurement["mode"]), []).append(measurement)
    peer_lines = [
        Line(
            *(rounds[0][key] for key in ("peer", "version", "game", "mode", "counted")),
            rates=[measurement["steps"] / measurement["seconds"] for measurement in rounds],
            ready=rounds[0]["ready"],
            check=rounds[0]["check"],
            flaw=flaw(rounds[0]["check"]),
        )
        for rounds in rows.values()
    ]
    return sorted(peer_lines, key=lambda line: -line.rate)


def slowest_of_ours(ranked: Sequence[Line], mode: str) -> Line | None:
    """Return our slowest game of a mode."""
    return next((line for line in reversed(ranked) if line.peer == OURS and line.mode == mode), None)


def markdown(peer_lines: Sequence[Line], failures: dict[str, str]) -> str:
    """Return a table for each mode, then what is not ranked and what did not run, and what was counted.

    Args:
        failures: Why a library, by its name, did not run.
    """
    ranked = [line for line in peer_lines if not line.flaw]
    parts = []
    for mode in MODES:
        if not any(line.mode == mode for line in ranked):
            continue
        parts += [f"### Mode: {mode}", _ranking(ranked, mode)]
    if flawed := [line for line in peer_lines if line.flaw]:
        parts += [
            "### Not ranked",
            _table(("library", "game", "mode", "steps per second", "why"), map(_reject, flawed)),
        ]
    if failures:
        parts += ["### Not run", _list(failures)]
    counted = {f"{line.peer} {line.version}": line.counted for line in peer_lines}
    parts += ["### What a step is", _list(dict(sorted(counted.items())))]
    return "\n\n".join(parts)


def _ranking(ranked: Sequence[Line], mode: str) -> str:
    slowest = slowest_of_ours(ranked, mode)
    head = ["library", "game", "steps per second", "lowest to highest round", "idle", "ready after"]
    if slowest:
        head.append(f"our slowest ÷ this ({slowest.game}, {slowest.mode})")
    return _table(
        head,
        (
            [
                f"**{line.peer}**" if line.peer == OURS else line.peer,
                line.game,
                _rounded(line.rate),
                f"{_rounded(min(line.rates))} to {_rounded(max(line.rates))}",
                f"{line.check['idle']:.0%}",
                f"{line.ready:.1f} s",
                *(["" if line.peer == OURS else _times(slowest.rate / line.rate)] if slowest else []),
            ]
            for line in ranked
            if line.mode == mode
        ),
    )


def _rounded(rate: float) -> str:
    """Write a rate with three digits that count."""
    return f"{float(f'{rate:.3g}'):,.0f}"


def _times(ratio: float) -> str:
    return f"{float(f'{ratio:.2g}'):,g}x"


def _reject(line: Line) -> list[str]:
    return [line.peer, line.game, line.mode, _rounded(line.rate), line.flaw]


def _list(items: dict[str, str]) -> str:
    return "\n".join(textwrap.fill(f"- {name}: {text}", WIDTH, subsequent_indent="  ") for name, text in items.items())


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    ruled = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in ruled)
