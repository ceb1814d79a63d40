"""The record of a game: whose seats play together, and the weights that its heuristics take."""

import numpy as np
import pytest

from gupai_env import GAMES, get_game

DEER = get_game("deer-hunt")
SIDES = [0, 1, 0, 1]


def test_partners_sit_opposite_and_others_play_alone():
    assert DEER.sides(4).tolist() == SIDES
    for game in GAMES.values():
        if game is not DEER:
            assert game.sides(3).tolist() == [0, 1, 2]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_seats_moved_on_by_one_are_the_same_teams(game):
    """As rotations of a duplicate match move them."""
    seats = game.variant().players
    sides = game.sides(seats)
    together, moved = (each[:, None] == each for each in (sides, np.roll(sides, 1)))
    np.testing.assert_array_equal(together, moved)


@pytest.mark.parametrize(
    "heuristic",
    [{"double": 10**400}, {"double": True}, {"double": "1"}, {"double": 1j}, {"double": None}, {"x" * 999: 1}],
    ids=["digits", "truth", "text", "complex", "nothing", "long"],
)
def test_invalid_weights_are_reported_in_one_line(heuristic):
    with pytest.raises(ValueError, match=r"must be a number, not|is not a feature") as caught:
        get_game("jie-long").heuristic(heuristic)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "heuristic", [None, 5, [1.0], np.ones(3), {1: 2}, {None: 1}, {(1, 2): 1}, "no such", ""], ids=str
)
def test_invalid_heuristic_is_reported_in_one_line(heuristic):
    refused = r"weights are a mapping|is not a feature|is not a heuristic of jie-long"
    with pytest.raises(ValueError, match=refused) as caught:
        get_game("jie-long").heuristic(heuristic)
    assert "\n" not in str(caught.value)
