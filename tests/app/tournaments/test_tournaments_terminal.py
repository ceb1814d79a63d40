"""What tournaments, gates and best responses print: tables in which no name is lost."""

import numpy as np

from gupai_agents.evaluation.matches.gating import Gate
from gupai_agents.evaluation.statistics import Estimate, Sequential
from gupai_agents.evaluation.tournaments.tournament import schedule
from gupai_app.tournaments import terminal
from gupai_env import get_game

JIE_LONG = get_game("jie-long")
RUNS = [f"checkpoint:/home/someone/experiments/runs/ding-niu-long-entropy-{seed}" for seed in (1, 2)]


def test_long_names_keep_their_distinguishing_ends():
    assert terminal.short_names(["random", "variety"]) == ["random", "variety"]
    short = terminal.short_names(["greedy", *RUNS])
    assert short == ["greedy", "…entropy-1", "…entropy-2"]
    ends = ["checkpoint:/runs/one/averaged.safetensors", "checkpoint:/runs/two/averaged.safetensors"]
    short = terminal.short_names(ends)
    assert len(set(short)) == 2
    assert all(name.endswith(each[1:]) for name, each in zip(ends, short, strict=True))
    assert terminal.short_names(ends[:1] * 2) == ["…fetensors"] * 2  # the same player twice


def test_tournament_at_80_columns_names_every_player_in_full(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    game, players = get_game("jie-long"), ("greedy", "variety", *RUNS)
    plan = schedule(game, players, 3, seed=1)
    found = plan.empty()
    found.chips[:] = np.arange(found.chips.size).reshape(found.chips.shape)
    terminal.tournament(found, 2.0)
    shown = capsys.readouterr().out
    joined = "".join(shown.split())
    for seed, name in enumerate(RUNS, 1):
        assert f"…entropy-{seed}is{name}." in joined
        assert shown.count(f"…entropy-{seed}") >= 3  # in both tables and below them
    assert max(map(len, shown.splitlines())) <= 80


def gated(verdict):
    return Gate(verdict, Sequential(1, 1234, 2.5), Estimate.symmetric(1.25, 0.5, 1234))


def test_agents_place_is_a_mean_counted_from_1(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    found = schedule("jie-long", ["first", "last"], 4, seed=1).empty()
    found.chips[:] = np.random.default_rng(1).normal(size=found.chips.shape) * 0.01
    found.chips[0, :, :, 0] += 5  # of two line-ups, in the first agent 0 is alone
    found.chips[1, :, :, 0] -= 5
    assert [form.places for form in found.performances] == [(1, 0, 0, 0), (0, 0, 0, 1)]
    terminal.tournament(found, 1.0)
    shown = capsys.readouterr().out
    rows = [line.split() for line in shown[shown.index("Every agent") :].splitlines()]
    places = {row[0]: row for row in rows if row[:1] in (["first"], ["last"]) and "%" in " ".join(row)}
    assert (places["first"][4:6], places["last"][4:6]) == (["100.0%", "1.00"], ["0.0%", "4.00"])
