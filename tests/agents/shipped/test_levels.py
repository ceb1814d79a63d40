"""Levels: players of every game from easy to master, by their measured strength."""

import itertools
from pathlib import Path

import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation.matches.match import duel
from gupai_agents.shipped import LEVELS, heuristic_names, levels, player_of
from gupai_env.games import GAMES, get_game

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_levels_are_complete_and_none_is_weaker_than_the_one_below(game):
    found = levels(get_game(game))
    assert [level.name for level in found] == list(LEVELS)
    for lower, upper in itertools.pairwise(found):
        assert upper.high >= lower.low
    easy, medium, *_ = found
    assert easy.high < 0 and medium.player == medium.against and medium.mean == 0
    for level in found:
        agent = make_agent(level.name, game)
        assert agent.name == level.name
        assert make_agent(level.player, game).name != level.name  # the player keeps its own name


def test_level_has_its_stated_strength():
    """400 deals of Jie Long: easy is measured to lose 11.5 chips per deal."""
    easy = levels(get_game("jie-long"))[0]
    found = duel("jie-long", make_agent("easy", "jie-long"), make_agent(easy.against, "jie-long"), 400, seed=3).mean(0)
    assert abs(found.mean - easy.mean) < found.half_width + (easy.high - easy.low) / 2


def test_variant_without_a_network_gets_the_best_heuristic():
    game = get_game("jie-long")
    assert player_of("master", game, game.variant()) == "best"
    assert player_of("master", game, game.variant.make(open_ends=2)) == heuristic_names(game)[-1]
    assert make_agent("master", "jie-long", open_ends=2).name == "master"


def test_outside_game_has_no_levels(monkeypatch):
    game = get_game("jie-long")
    monkeypatch.setattr("gupai_agents.shipped.LEVELS_FILE", Path("none.yaml"))
    assert levels(game) == []
    with pytest.raises(ValueError, match=r"^jie-long has no levels; choose one of greedy, variety"):
        player_of("easy", game, game.variant())
