"""What commands print for people: options with what they allow, tables in which no player's name is lost."""

import re

import numpy as np
import pytest

from gupai_agents.evaluation.tournament import schedule
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
    plan = schedule(game, players, 3, seed=1)
    found = plan.empty()
    found.chips[:] = np.arange(found.chips.size).reshape(found.chips.shape)
    report.tournament(found, 2.0)
    shown = capsys.readouterr().out
    joined = "".join(shown.split())
    for seed, name in enumerate(RUNS, 1):
        assert f"…entropy-{seed}is{name}." in joined
        assert shown.count(f"…entropy-{seed}") >= 3  # in both tables and below them
    assert max(map(len, shown.splitlines())) <= 80
