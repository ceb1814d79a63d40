"""Speeds: what is measured, how, and in which units it is told."""

import json
import sys

from benchmarks import speed as bench
from benchmarks.speed import COUNTED, RUNS, Figure, machine, show


def test_rate_is_decisions_per_second_and_speedup_of_all_threads(monkeypatch):
    clock, calls = iter([5.0, 5.0, 5.125, 5.25]), []
    assert bench.rate(lambda call: calls.append(call) or 10 * call, lambda: next(clock)) == 120
    assert calls == [1, 2]  # call 0 is that which compiles
    rates = {"one": 2.0, "all": 6.0}
    runs = {name: lambda call, name=name: calls.append(name) or 1 for name in rates}
    named = {run: rates[name] for name, run in runs.items()}
    monkeypatch.setattr(bench, "rate", lambda run, clock=None: named[run])
    assert bench.speedup(runs["one"], runs["all"]) == 3 and calls[2:] == ["one", "all"]
    del calls[:]
    assert bench.median_rate(runs["all"]) == 6 and calls == ["all"]  # which compiles


def test_bench_measures_every_interface_and_names_the_machine(monkeypatch, capsys):
    few = {"RUN_SECONDS": 0.001, "RUNS": 1, "FRESH_RUNS": 1, "STEPS": 2, "CALL": 256, "ENVS": (1, 64), "SHARED": (64,)}
    for name, value in few.items():
        monkeypatch.setattr(bench, name, value)
    bench.main(["--json"])
    result = json.loads(capsys.readouterr().out)
    assert len(result["figures"]) == 2 * 2 + 3 * 1 + 8 + sys.platform.startswith("linux")
    assert {"cpu", "cores", "python", "numba"} <= set(result["machine"])
    measured = {figure["what"]: figure["unit"] for figure in result["figures"]}
    assert measured["64 lanes, observation and mask"] == measured["AEC, agent_iter"] == "decisions/s"
    assert measured["memory of a lane"] == "bytes"
    assert all(figure["value"] > 0 for figure in result["figures"])


def test_speeds_have_units(capsys):
    figures = [
        Figure("tiu-u", "random play", 1234567.8, "decisions/s"),
        Figure("tiu-u", "two cores", 1.987, "x"),
        Figure("pai-gow", "import", 0.456, "s"),
        Figure("pai-gow", "memory", 65536, "bytes"),
    ]
    show(figures)
    shown = capsys.readouterr().out
    rows = [" ".join(line.split()) for line in shown.splitlines()]
    for row in ("random play 1,234,568", "two cores 1.99 x", "import 0.46 s", "memory 65,536 bytes"):
        assert any(line.endswith(row) for line in rows), row
    said = " ".join(shown.split())
    assert all(f"{what} {value}" in said for what, value in machine().items())
    assert f"Medians of {RUNS} runs. {COUNTED}" in said
