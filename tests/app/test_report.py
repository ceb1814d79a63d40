"""What commands print for people: options with what they allow, tables in which no player's name is lost."""

import json
import re
from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation import play_tournament
from gupai_agents.evaluation.tournament import schedule
from gupai_app.play import terminal as play
from gupai_app.tournaments import terminal
from gupai_env import GAMES, get_game
from trees import tiny_tree

RUNS = [f"checkpoint:/home/someone/experiments/runs/ding-niu-long-entropy-{seed}" for seed in (1, 2)]


@pytest.mark.parametrize("game", GAMES)
def test_suggested_option_is_allowed_by_the_game(game, capsys):
    play.rules(GAMES[game])
    (suggested,) = re.findall(rf"gupai play {game} -o (\S+)", capsys.readouterr().out)
    assert GAMES[game].variant.parse([suggested]).changed()
    with pytest.raises(ValueError, match=f"for instance {suggested}"):
        GAMES[game].variant.parse(["players"])


@pytest.mark.parametrize("game", GAMES)
def test_rules_give_the_numbers_of_deals_and_players(game, capsys):
    play.rules(GAMES[game])
    shown = capsys.readouterr().out
    variant = GAMES[game].variant
    assert re.search(r"deals +1 +1 to 1000 ", shown)
    assert variant(deals=1000)
    with pytest.raises(ValueError, match="deals=1001 is not allowed"):
        variant(deals=1001)
    for players in map(int, variant.allowed("players").partition(";")[0].split(", ")):
        assert variant(players=players)


@pytest.mark.parametrize("width", ["40", "60"])
def test_names_are_not_broken_in_a_narrow_terminal(width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", width)
    for game in GAMES.values():
        play.rules(game)
        begins = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()}
        names = [field.name for field in fields(game.variant)] + [feature.name for feature in game.features]
        assert begins >= {*names, *game.heuristics}


def test_bounded_options_give_their_bounds():
    assert get_game("ding-niu").variant.allowed("players") == "4; with the tiny deck 2"
    assert get_game("ding-niu").variant.allowed("smothered_numbers") == "different numbers from 1 to 6"
    assert get_game("da-ling").variant.allowed("casino_fee") == "a whole number from 0"
    assert get_game("jie-long").variant.allowed("leader") == "random or a seat, from 0"
    assert get_game("jie-long").variant.allowed("stake") == "a number from 0.01"
    assert get_game("jie-long").variant.allowed("forced_play") == "true, false"


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
