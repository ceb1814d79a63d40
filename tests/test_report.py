"""What commands print for people: options with what they allow, tables in which no player's name is lost."""

import json
import re

import numpy as np
import pytest

from gupai_agents.evaluation import build_tree
from gupai_agents.evaluation.tournament import Standings
from gupai_app import report
from gupai_env import GAMES, get_game

RUNS = [f"checkpoint:/home/someone/experiments/runs/ding-niu-long-entropy-{seed}" for seed in (1, 2)]


@pytest.mark.parametrize("game", GAMES)
def test_the_option_that_the_rules_suggest_is_one_that_the_game_allows(game, capsys):
    report.rules(GAMES[game])
    (suggested,) = re.findall(rf"gupai play {game} -o (\S+)", capsys.readouterr().out)
    assert GAMES[game].variant.parse([suggested]).changed()
    with pytest.raises(ValueError, match=f"for instance {suggested}"):
        GAMES[game].variant.parse(["players"])


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_say_how_many_deals_and_players_are_allowed(game, capsys):
    report.rules(GAMES[game])
    shown = capsys.readouterr().out
    variant = GAMES[game].variant
    assert re.search(r"deals +1 +1 to 1000 ", shown)
    assert variant(deals=1000)
    with pytest.raises(ValueError, match="deals=1001 is not allowed"):
        variant(deals=1001)
    for players in map(int, variant.allowed("players").partition(";")[0].split(", ")):
        assert variant(players=players)


def test_bounded_options_say_their_bounds():
    assert get_game("ding-niu").variant.allowed("players") == "4; with the tiny deck 2"
    assert get_game("ding-niu").variant.allowed("smothered_numbers") == "different numbers from 1 to 6"
    assert get_game("da-ling").variant.allowed("casino_fee") == "a whole number from 0"
    assert get_game("jie-long").variant.allowed("leader") == "random or a seat, from 0"
    assert get_game("jie-long").variant.allowed("stake") == "a number from 0.01"
    assert get_game("jie-long").variant.allowed("forced_play") == "true, false"


def test_long_names_keep_the_ends_that_tell_them_apart():
    assert report.short_names(["random", "variety"]) == ["random", "variety"]
    short = report.short_names(["greedy", *RUNS])
    assert short == ["greedy", "…entropy-1", "…entropy-2"]
    ends = ["checkpoint:/runs/one/averaged.safetensors", "checkpoint:/runs/two/averaged.safetensors"]
    short = report.short_names(ends)
    assert len(set(short)) == 2
    assert all(name.endswith(each[1:]) for name, each in zip(ends, short, strict=True))
    assert report.short_names(ends[:1] * 2) == ["…fetensors"] * 2  # the same player twice


def test_a_tournament_at_80_columns_names_every_player_in_full(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    game, players = get_game("jie-long"), ("greedy", "variety", *RUNS)
    chips = np.arange(4 * 4 * 3 * 4, dtype=float).reshape(4, 4, 3, 4)
    report.standings(game, game.variant(), Standings(players, chips, 1), 2.0)
    shown = capsys.readouterr().out
    joined = "".join(shown.split())
    for seed, name in enumerate(RUNS, 1):
        assert f"…entropy-{seed}is{name}." in joined
        assert shown.count(f"…entropy-{seed}") >= 3  # in both tables and below them
    assert max(map(len, shown.splitlines())) <= 80


def test_the_standings_say_who_won_what_from_whom_the_best_first(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    game, players = get_game("tiu-u"), ("exactlyten", "b", "c")
    chips = np.zeros((3, 3, 4, 2))
    chips[0, 1], chips[0, 2], chips[1, 0], chips[1, 2], chips[2, 0], chips[2, 1] = 1, 3, 20, 40, 5, 7
    chips[1, :, :, 1] += 8  # b wins more at seat 1
    chips[1, 1] = 0
    result = Standings(players, chips, 1)
    report.standings(game, game.variant(), result, 2.0)
    rows = [
        [words[0], *(float(word) for word in words[1:] if not word.startswith("±"))]
        for words in map(str.split, capsys.readouterr().out.splitlines())
        if words and words[0] in players
    ]
    assert rows == [
        ["b", 24, 44, 34],
        ["c", 5, 7, 6],
        ["exactlyten", 1, 3, 2],
        ["b", 30, 38],
        ["c", 6, 6],
        ["exactlyten", 2, 2],
    ]
    report.standings_json(game, game.variant(), result, 2.0)
    said = json.loads(capsys.readouterr().out)
    assert {(each["hero"], each["villain"]): each["mean"] for each in said["duels"]} == {
        (0, 1): 1,
        (0, 2): 3,
        (1, 0): 24,
        (1, 2): 44,
        (2, 0): 5,
        (2, 1): 7,
    }
    assert [each["mean"] for each in said["totals"]] == [2, 34, 6]


def test_an_interval_that_is_none_is_null_in_json(capsys):
    game = get_game("tiu-u")
    report.standings_json(game, game.variant(), Standings(("a", "b"), np.zeros((2, 2, 1, 2)), 1), 2.0)
    said = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert {each["half_width"] for each in said["duels"] + said["totals"] + said["seats"]} == {None}


def test_exploits_are_told_as_values_and_gains(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    tree = build_tree("jie-long", deck="tiny", players=2)
    policy = tree.uniform()
    report.exploits(tree, {"random": policy}, 1.0)
    values, gains = tree.values(policy), tree.gains(policy)
    (row,) = (line.split() for line in capsys.readouterr().out.splitlines() if line.split()[:1] == ["random"])
    assert [float(word) for word in row[1:]] == pytest.approx([*values, *gains, gains.mean()], abs=5.1e-5)
