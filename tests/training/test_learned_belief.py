"""Learning a belief: the network learns to recognise the true deal, and the file holds what it learned."""

import numpy as np
import pytest

from gupai_agents.belief import Belief, hidden
from gupai_env import get_game
from gupai_training import belief as learning
from gupai_training.belief import BeliefLearner, examples, learn_belief, players_of


def test_true_deal_is_found_likelier_than_others(monkeypatch):
    monkeypatch.setattr(learning, "DEALS", 100)
    game = get_game("tien-gow")
    learner = BeliefLearner(game, game.variant(), 1)
    losses = [learner.step(progress) for progress in (0.0, 0.1, 0.2, 0.3)]
    assert losses[-1] < losses[0]
    views, states = examples(game, game.variant(), 99, 20)
    counts = hidden(game, game.variant(), states.ravel(), views.seat.repeat(16)).reshape(*states.shape, -1)
    scores = np.einsum("ndt,nt->nd", counts, learner.belief().weights(views))
    found = (scores - np.log(np.exp(scores).sum(1, keepdims=True)))[:, 0]
    assert found.mean() > -np.log(16) + 0.4


def test_examples_show_the_true_deal_first_and_depend_on_their_number_alone():
    game = get_game("tiu-u")
    views, states = examples(game, game.variant(), 1, 20)
    again, other = (examples(game, game.variant(), key, 20) for key in (1, 2))
    np.testing.assert_array_equal(views, again[0])  # values: bytes between fields are no part of a view
    np.testing.assert_array_equal(states, again[1])
    assert not np.array_equal(views, other[0])
    seats = views["seat"].astype(int)
    np.testing.assert_array_equal(states["hands"][np.arange(len(views)), 0, seats], views["hand"])
    np.testing.assert_array_equal(states["to_act"][:, 0], seats)
    other = states["hands"][np.arange(len(views)), 1, 1 - seats]
    assert (other != states["hands"][np.arange(len(views)), 0, 1 - seats]).any()


def test_learned_belief_is_written_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(learning, "DEALS", 20)
    game, shares = get_game("tiu-u"), []
    file = tmp_path / "belief.safetensors"
    belief = learn_belief(game, file, minutes=0, progress=shares.append)
    read = Belief.load(file, game, game.variant())
    views = examples(game, game.variant(), 3, 5)[0]
    np.testing.assert_allclose(read.weights(views), belief.weights(views), atol=0.01)
    assert shares == [1.0] and np.abs(read.weights(views)).max() > 0
    with pytest.raises(ValueError, match=file.name):
        learn_belief(game, file, minutes=0)


def test_belief_is_about_the_players_that_ship():
    game = get_game("jie-long")
    assert players_of(game, game.variant()) == ["best", "card", "greedy", "tuned"]
    assert players_of(game, game.variant(open_ends=2)) == ["card", "greedy", "tuned"]
