"""Teaching by search: what is labelled, what is kept, what is learned."""

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import Turns
from gupai_agents.evaluation import duel
from gupai_env.core.rng import as_key, derive
from gupai_env.games import get_game
from gupai_env.vector import Lanes
from gupai_training.config import parse
from gupai_training.run import Run
from gupai_training.teaching import TEACHING_STREAM, Labels, Teacher, Window

GAME = get_game("jie-long")
LANES_SEED = derive(derive(as_key(1), TEACHING_STREAM), 0)  # of the first chunk of a run from seed 1
TINY = {"deck": "tiny", "players": 2}


def config(**teach):
    teach = {"labels": 1000, "tables": 64, "playouts": 3, **teach}
    return parse(
        {"game": "jie-long", "variant": {"forced_play": True}, "threads": 1, "decisions": 0, "teach": teach},
        "test",
    )


class Noting:
    """A player that remembers what it was asked, and answers as another."""

    name = "noting"

    def __init__(self, agent):
        self.agent, self.asked = agent, []

    def act(self, turns: Turns):
        self.asked.append(turns)
        return self.agent.act(turns)


@pytest.fixture(scope="module")
def greedy():
    return make_agent("greedy", "jie-long", forced_play=True)


def test_labels_are_chips_of_legal_actions_above_their_mean(greedy):
    labels = Teacher(config(), 1).labels(greedy, 0)
    legal = ~np.isnan(labels.values)
    assert (legal.sum(1) > 1).all()  # a position without a choice teaches nothing
    np.testing.assert_allclose(np.nansum(labels.values, 1), 0, atol=1e-3)
    assert labels.observations.dtype == np.int8 and len(labels.observations) == len(labels.means)
    assert np.nanstd(labels.values) > 1
    # What an action is worth is the mean over the same deals of all actions: thirds of whole chips for three playouts.
    chips = 3 * (labels.values + labels.means[:, None])[legal]
    np.testing.assert_allclose(chips, chips.round(), atol=1e-3)


def test_labels_of_a_number_and_a_player_are_always_the_same_and_of_another_number_others(greedy):
    teacher = Teacher(config(), 1)
    first, again, other = (
        Teacher(config(), 1).labels(greedy, 3),
        teacher.labels(greedy, 3),
        teacher.labels(greedy, 4),
    )
    for one, two in zip(first, again, strict=True):
        np.testing.assert_array_equal(one, two)
    assert len(other.means) != len(first.means) or (other.observations != first.observations).any()


def test_every_decision_of_whole_deals_is_labelled_once(greedy):
    player = Noting(greedy)
    labels = Teacher(config(random_moves=0), 1).labels(player, 0)
    asked = np.concatenate([turns.masks.sum(1) > 1 for turns in player.asked])
    assert len(player.asked[0].keys) == 64  # all tables begin together, and each plays one deal
    assert len(labels.means) == asked.sum()
    lanes = Lanes("jie-long", 64, seed=int(LANES_SEED), skip_forced=True, forced_play=True)
    decisions = 0
    while (first := lanes.episodes == 0).any():
        decisions += (lanes.masks[first].sum(1) > 1).sum()
        views, keys = lanes.views()
        lanes.step(greedy.act(Turns(views, lanes.masks.copy(), keys)))
    assert decisions == len(labels.means)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_the_moves_is_random(greedy, share):
    """Without random moves the positions are those of the player; with nothing else its answers do not matter."""
    teacher = Teacher(config(random_moves=share), 1)
    variety = make_agent("variety", "jie-long", forced_play=True)
    one, two = teacher.labels(greedy, 0), teacher.labels(variety, 0)
    same = len(one.means) == len(two.means) and (one.observations == two.observations).all()
    assert same == (share == 1.0)


def test_the_style_plays_at_first_and_then_the_network(tmp_path):
    run = Run.begin(config(labels=3000, style_games=0.5, window=500), tmp_path)
    teaching, player = run.teaching, Noting(run.current_agent("now"))
    while teaching.progress() < 1:
        own, before = teaching.progress() >= 0.5, len(player.asked)
        teaching.step(player)
        assert (len(player.asked) > before) == own
    assert player.asked
    assert len(teaching.window) == 500 < teaching.labels


def some(first, count):
    values = np.full((count, GAME.num_actions), np.nan, np.float32)
    values[:, :2] = np.arange(first, first + count)[:, None]
    size = GAME.encoder.layout.size
    return Labels(np.zeros((count, size), np.int8), values, np.arange(first, first + count, dtype=np.float32))


def test_a_window_keeps_the_newest_labels():
    window = Window(10, GAME)
    window.add(some(0, 4))
    assert len(window) == 4
    window.add(some(4, 4))
    window.add(some(8, 5))
    assert len(window) == 10 and window.made == 13
    assert sorted(window.means.tolist()) == list(range(3, 13))
    assert (window.values[:, 0] == window.means).all()
    window.add(some(13, 25))  # more than fit
    assert sorted(window.means.tolist()) == list(range(28, 38))
    again = Window(10, GAME)
    again.put_back(window.saved(28, 33), 28, 33)
    again.put_back(window.saved(33, 38), 33, 38)
    np.testing.assert_array_equal(again.means, window.means)
    np.testing.assert_array_equal(again.values, window.values)


def test_logits_become_chips_over_the_temperature_and_values_returns(tmp_path):
    """Ever the same labels: the network learns them, in the units that are promised."""
    run = Run.begin(config(labels=100, temperature=4.0, batch_size=256, learning_rate=3e-3), tmp_path)
    teaching, style = run.teaching, run.teaching.teacher.style
    labels = teaching.teacher.labels(style, 0)
    teaching.window.add(Labels(*(array[:100] for array in labels)))
    for _ in range(600):
        teaching._learn()
    agent = run.current_agent("now")
    agent.tensors = run.learner.weights(average=False)
    agent = type(agent)("now", GAME, run.config.net, agent.tensors, False)
    logits = agent.logits(labels.observations[:100])
    values = labels.values[:100]
    legal = ~np.isnan(values)
    logits = np.where(legal, logits, np.nan)
    logits -= np.nanmean(logits, 1, keepdims=True)
    np.testing.assert_allclose((4.0 * logits)[legal], values[legal], atol=1.5)
    chances = np.where(legal, np.exp(np.nan_to_num(logits)), 0)
    chances /= chances.sum(1, keepdims=True)
    wanted = (
        labels.means[:100] + np.nansum(chances * np.nan_to_num(values), 1)
    ) / run.config.ppo.payoff_scale
    import torch

    judged = run.learner.outputs(torch.as_tensor(labels.observations[:100]))[1].detach().numpy()
    assert np.corrcoef(judged, wanted)[0, 1] > 0.9


def test_some_seconds_of_teaching_beat_what_the_playouts_play(tmp_path):
    data = {
        "game": "jie-long",
        "variant": TINY,
        "threads": 1,
        "decisions": 0,
        "network": {"hidden": [64, 64]},
        "teach": {"labels": 40_000, "playouts": 4, "window": 40_000, "style": "greedy", "tables": 512},
        "evaluation": {"every": 1000, "deals": 4, "final_deals": 4, "baselines": ["greedy"]},
    }
    run = Run.begin(parse(data, "test"), tmp_path)
    assert run.learn()
    taught = make_agent(f"checkpoint:{run.folder}", "jie-long", **TINY)
    assert (
        duel("jie-long", taught, make_agent("greedy", "jie-long", **TINY), 500, seed=3, **TINY).mean(0).low
        > 1
    )


def test_not_a_number_stops_teaching_and_keeps_what_was_saved(tmp_path):
    import torch

    run = Run.begin(config(), tmp_path)
    with torch.no_grad():
        run.learner.policy.action_net.weight.fill_(float("nan"))
    with pytest.raises(FloatingPointError, match="the loss of teaching is not finite after"):
        run.teaching.step(run.teaching.teacher.style)


def test_what_seats_win_is_learned_without_moving_what_actions_are_worth(tmp_path):
    found = []
    for shift in (0, 50):
        run = Run.begin(config(labels=100), tmp_path)
        labels = run.teaching.teacher.labels(run.teaching.teacher.style, 0)
        run.teaching.window.add(labels._replace(means=labels.means + np.float32(shift)))
        for _ in range(5):
            run.teaching._learn()
        found.append(run.learner.weights(average=False))
    for name, tensor in found[0].items():
        assert (tensor == found[1][name]).all() == (not name.startswith("value")), name
