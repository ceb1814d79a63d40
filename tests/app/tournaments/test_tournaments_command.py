"""Commands in which agents play: figures that one can recompute."""

import json

import pytest

from commands import answer
from gupai_agents import make_agent
from gupai_agents.evaluation.tournaments.tournament import round_robin
from trees import tiny_tree


def test_two_seat_tournament_is_zero_sum():
    agents = ("greedy", "variety", "random")
    options = ("--deals", "40", "--seed", "3", "-o", "players=2", "--json")
    result = json.loads(answer("tournament", "jie-long", *agents, *options))
    won = {(duel["hero"], duel["villain"]): duel["mean"] for duel in result["duels"]}
    assert len(won) == 6
    for hero, villain in won:
        assert won[hero, villain] == pytest.approx(-won[villain, hero])
    for total in result["totals"]:
        hero = total["hero"]
        seats = [seat["mean"] for seat in result["seats"] if seat["hero"] == hero]
        assert total["mean"] == pytest.approx(sum(seats) / 2)
        assert total["mean"] == pytest.approx(sum(won[hero, v] for v in range(3) if v != hero) / 2)
    assert (result["game"], result["deals"], result["seed"], result["variant"]["players"]) == ("jie-long", 40, 3, 2)


def test_tournament_table_equals_its_duels():
    shown = answer("tournament", "ce-deng", "greedy", "variety", "--deals", "30", "--seed", "1")
    standings = round_robin("ce-deng", [make_agent(name, "ce-deng") for name in ("greedy", "variety")], 30, seed=1)
    for hero, villain in ((0, 1), (1, 0)):
        assert f"{standings.against(hero, villain)}" in shown
        for seat in range(4):
            assert f"{standings.at_seat(hero, seat)}" in shown
    assert "ce-deng v0, default options; 30 deals per duel, seed 1;" in shown


def test_exploitability_prints_the_gain_of_a_best_response():
    words = ("exploitability", "jie-long", "greedy", "--solve", "--rounds", "50", "-o", "forced_play=true")
    result = json.loads(answer(*words, "--json"))
    tree = tiny_tree("jie-long", forced_play=True)
    assert (result["nodes"], result["deals"], result["information_sets"]) == (tree.nodes, tree.deals, tree.sets)
    random, greedy, solved = result["policies"]
    assert [random["name"], greedy["name"], solved["name"]] == ["random", "greedy", "CFR+"]
    assert random["exploitability"] == pytest.approx(tree.exploitability(tree.uniform()))
    assert solved["exploitability"] < random["exploitability"] / 20
    shown = answer(*words)
    for policy in result["policies"]:
        assert f"{policy['exploitability']:.4f}" in shown
    assert f"{tree.nodes:,} nodes, {tree.deals:,} deals, {tree.sets:,} information sets" in " ".join(shown.split())
