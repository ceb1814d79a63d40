"""What tournaments, gates and best responses print: tables in which no name is lost."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation import play_tournament
from gupai_agents.evaluation.best_response import TUNING, BestResponse, Effort
from gupai_agents.evaluation.gating import ACCEPTED, REJECTED, UNDECIDED, Gate
from gupai_agents.evaluation.statistics import Estimate, Sequential
from gupai_agents.evaluation.tournament import schedule
from gupai_app.tournaments import terminal
from gupai_env import get_game
from trees import tiny_tree

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


def test_tournament_report_sorts_wins_by_rival_and_seat(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "160")
    players = ("random", "greedy", "variety")
    found = play_tournament("jie-long", [make_agent(name) for name in players], 60, seed=1)
    terminal.tournament(found, 2.0)
    shown = capsys.readouterr().out
    assert "One agent sits among equal others, in every deal once at each seat, and counts alone.\n" in shown
    rows = [
        [words[0], *(float(word) for word in words[1:] if word[0] in "+-" and word != "-")]
        for words in map(str.split, shown.splitlines())
        if words and words[0] in players
    ]
    ranked = sorted(range(3), key=lambda hero: -found.performances[hero].chips.mean)
    assert [row[0] for row in rows[:3]] == [players[hero] for hero in ranked] != list(players)
    printed = [value for row in rows for value in row[1:]]
    for hero in ranked:
        for villain in set(range(3)) - {hero}:
            assert round(found.standings.against(hero, villain).mean, 2) in printed
        for seat in range(4):
            assert round(found.at_seat(hero, seat).mean, 2) in printed
    terminal.tournament(found, 2.0, as_json=True)
    said = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    for each in said["duels"]:
        assert each["mean"] == found.standings.against(each["hero"], each["villain"]).mean
    assert [each["mean"] for each in said["totals"]] == [performance.chips.mean for performance in found.performances]


def test_exploitability_is_reported_as_values_and_gains(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    tree = tiny_tree("jie-long")
    policy = tree.uniform()
    terminal.exploitability(tree, {"random": policy}, 1.0)
    values, gains = tree.values(policy), tree.gains(policy)
    (row,) = (line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["random"])
    assert [float(word) for word in row[1:]] == pytest.approx([*values, *gains, gains.mean()], abs=5.1e-5)


@pytest.mark.parametrize(("sides", "said"), [((0, 1), "both"), ((0, 1, 0, 1), "both sides"), ((0, 1, 2), "")])
def test_exploitability_is_explained_where_there_is_one(sides, said, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    zeros = np.zeros(len(sides))
    tree = SimpleNamespace(
        players=len(sides), sides=np.array(sides), game=get_game("jie-long"), variant="", nodes=1, deals=1, sets=1
    )
    tree.values = tree.gains = lambda policy: zeros
    tree.exploitability = lambda policy: 0.0
    terminal.exploitability(tree, {"random": zeros}, 1.0)
    end = f"; exploitability is the mean of {said}.\n" if said else " while the others keep to the policy.\n"
    assert capsys.readouterr().out.endswith(end)


def gated(verdict):
    return Gate(verdict, Sequential(1, 1234, 2.5), Estimate.symmetric(1.25, 0.5, 1234))


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        (ACCEPTED, "Accepted: new wins more than old."),
        (REJECTED, "Rejected: new does not win 1 chips per deal more than old."),
        (UNDECIDED, "Undecided: there were no more deals."),
    ],
)
def test_gate_names_candidate_and_champion(verdict, said, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "300")
    terminal.gate(gated(verdict), ["new", "old"], 1.0, 2.0)
    first, second = capsys.readouterr().out.splitlines()
    assert first == said
    assert second.startswith("One new among old: +1.25 ±0.50 chips per deal after 1,234 deals")
    terminal.gate(gated(verdict), ["new", "old"], 1.0, 2.0, as_json=True)
    printed = json.loads(capsys.readouterr().out)
    assert (printed["challenger"], printed["champion"], printed["verdict"]) == ("new", "old", verdict)
    assert (printed["mean"], printed["low"], printed["high"], printed["n"]) == (1.25, 0.75, 1.75, 1234)
    assert (printed["gain"], printed["log_likelihood_ratio"], printed["seconds"]) == (1.0, 2.5, 2.0)


@pytest.mark.parametrize(
    ("gain", "said"),
    [
        (Estimate.symmetric(2.0, 0.5, 70), "at least 1.50 chips per deal from me"),
        (Estimate.symmetric(2.0, 2.0, 70), "Nothing was found"),
    ],
)
def test_best_response_claims_no_more_than_its_interval(gain, said, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "400")
    effort = Effort(TUNING, 7, 8, 90, 5, 70)
    terminal.best_response(BestResponse(JIE_LONG, JIE_LONG.variant(), "me", "heuristic:pips=1", gain, effort, 3), 1.0)
    shown = capsys.readouterr().out
    assert said in shown and "\nBest response: heuristic:pips=1\n" in shown  # to be copied
    assert "tuning: 7 generations of 8 heuristics in 90 deals each; measured in 70 other deals" in shown


@pytest.mark.parametrize(("p", "said"), [(0.5, "0.500"), (0.001, "0.001"), (0.00099, "<0.001"), (0.0, "<0.001")])
def test_small_p_is_not_printed_as_zero(p, said):
    assert terminal._p(p) == said


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
