"""A player that looks ahead by a learned belief: it knows what a view shows, and departs where that wins."""

import numpy as np
import pytest

from benchmarks.posterior import tried
from gupai_agents import make_agent
from gupai_agents.agent import origin_of
from gupai_agents.belief import Belief, Inputs, drawn, hidden_fields, learned_belief
from gupai_agents.evaluation import duel
from gupai_agents.networks.network import tensor_shapes
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_agents.play.decisions import decisions, new_lanes, resume_lanes
from gupai_agents.players.belief_search import BeliefPlan, BeliefSearchAgent, picked
from gupai_env import get_game
from gupai_env.core.tiles import KINDS
from gupai_env.deals import all_deals

GAME = get_game("deer-hunt")
SMALL = "belief-search:playouts=8,particles=100,replayed=16,steady=0"


def late_decisions():
    """Decisions with a choice and six tiles in hand, as `best` leads to them."""
    envs = new_lanes(GAME, GAME.variant(), 40)
    envs.reset(3)
    for now in decisions(envs, [make_agent("best", GAME)]):
        late = np.flatnonzero((now.batch.views.sizes[:, 0] == 6) & (now.batch.masks.sum(1) > 1))
        if len(late) > 10:
            return now.batch.at(late)
    raise AssertionError


def test_answers_depend_on_their_own_row_only():
    agent, batch = make_agent(SMALL, GAME), late_decisions()
    played = agent.act(batch)
    assert (played != make_agent("best", GAME).act(batch)).any()
    assert batch.masks[np.arange(len(played)), played].all() and played.dtype == np.int16
    np.testing.assert_array_equal(agent.act(batch.at(np.arange(len(played))[::-1])), played[::-1])
    np.testing.assert_array_equal([agent.act(batch.at([row]))[0] for row in range(len(played))], played)


def test_redealing_hidden_tiles_changes_no_answer():
    agent, batch = make_agent(SMALL, GAME), late_decisions()
    deals = drawn(GAME, GAME.variant(), batch.views, batch.rng_keys + 5)
    assert len({deal.hands.tobytes() for deal in deals}) == len(deals)
    views = np.zeros(len(deals), GAME.view).view(np.recarray)
    envs = resume_lanes(GAME, GAME.variant(), deals)
    for row, seat in enumerate(batch.views.seat):
        every = np.zeros(len(deals), GAME.view).view(np.recarray)
        envs.kernels.view_of(envs.rules, envs.states, int(seat), every)
        views[row] = every[row]
    np.testing.assert_array_equal(agent.act(batch._replace(views=views)), agent.act(batch))


def test_early_decisions_are_those_of_the_network():
    batch = late_decisions()
    np.testing.assert_array_equal(
        make_agent("belief-search:tiles=5", GAME).act(batch), make_agent("best", GAME).act(batch)
    )


def test_deals_agree_with_the_view_and_are_weighed_by_the_moves_of_others():
    batch = late_decisions()
    spec = "belief-search:playouts=64,particles=400,replayed=200,error={}"
    certain, doubtful, ignorant = (make_agent(spec.format(error), GAME) for error in (0, 0.5, 1))
    seen, different = np.zeros(64, GAME.view).view(np.recarray), []
    for row in range(len(batch.views)):
        view = batch.views[row]
        for agent in (certain, doubtful, ignorant):
            deals = agent.deals(batch.at([row]))
            envs = new_lanes(GAME, GAME.variant(), len(deals))
            envs.kernels.view_of(envs.rules, deals, int(view.seat), seen)
            assert (seen == view).all()
            different.append(len({deal.hands.tobytes() for deal in deals}))
    assert sorted(counts := np.reshape(different, (-1, 3)).mean(0).tolist()) == counts


def test_departures_win_in_all_deals_that_a_tiny_deck_allows():
    """Against the true posterior: all deals that there are, played by the same player up to the same view."""
    game = get_game("jie-long")
    options = game.variant.tiny_options()
    variant, deals = game.variant.make(**options), all_deals(game, **options)
    inputs, places = Inputs(game, variant), len(hidden_fields(game)) * (options["players"] - 1) * KINDS
    net = {"type": "mlp", "hidden": [1], "activation": "relu"}
    shapes = tensor_shapes(net, len(inputs.high), places)
    uniform = Belief(game, variant, net, {name: np.zeros(shape, np.float32) for name, shape in shapes.items()})
    weights = np.random.default_rng(2).standard_normal((game.encoder.layout.size, game.num_actions))
    player = ObservationAgent("linear", game, lambda observations: observations @ weights, variant)
    plan = BeliefPlan(playouts=200, actions=20, particles=1000, replayed=1000, error=0, steady=4)
    agent, gains = BeliefSearchAgent("looking", player, uniform, plan), []
    envs = resume_lanes(game, variant, deals.states)
    for now in decisions(envs, [player]):
        alike = {}
        for row in np.flatnonzero(now.batch.masks.sum(1) > 1):
            alike.setdefault(str(now.batch.views[row]), []).append(row)
        for rows in sorted(alike.values(), key=len)[-10:]:
            action = agent.act(now.batch.at(rows[:1]))[0]
            if action != now.actions[rows[0]]:
                lanes = now.rows[rows]
                chips = tried(game, variant, player, envs.states[lanes], np.array([now.actions[rows[0]], action]))
                gains.append(np.average(chips[:, 1] - chips[:, 0], weights=deals.probabilities[lanes]))
    assert len(gains) > 10 and min(gains) > 0


class Worst(ObservationAgent):
    """Plays what `best` likes least."""

    def __init__(self):
        self.best = make_agent("best", GAME)
        super().__init__("worst", GAME, lambda observations: -self.best.score(observations), GAME.variant())


def test_worst_player_becomes_better_by_looking_ahead():
    worst = Worst()
    plan = BeliefPlan(actions=20, playouts=16, particles=200, replayed=32)
    agent = BeliefSearchAgent("looking", worst, learned_belief(GAME, GAME.variant()), plan)
    assert duel(GAME, agent, worst, 20, seed=5).chips[:, :, 0].mean() > 5


def test_deals_are_picked_in_proportion():
    counts = np.bincount(picked(np.arange(3), np.log([1, 0.5, 1e-9]), 300, np.random.default_rng(1)), minlength=3)
    assert counts.tolist() == [200, 100, 0]


def test_it_says_what_it_was_made_from():
    agent = make_agent("belief-search", GAME)
    assert agent.name == "belief-search" and agent.plan == BeliefPlan()
    assert origin_of(agent).files == (learned_belief(GAME, GAME.variant()).file,)
    assert make_agent("belief-search:error=0.5,actions=4", GAME).plan == BeliefPlan(error=0.5, actions=4)


@pytest.mark.parametrize(
    ("spec", "game", "problem"),
    [
        ("belief-search", "da-ling", "'belief-search': no learned belief ships for da-ling with these options"),
        ("belief-search:playouts=2", "deer-hunt", "playouts="),
        ("belief-search:actions=1", "deer-hunt", "actions="),
        ("belief-search:tiles=0", "deer-hunt", "tiles="),
        ("belief-search:particles=0", "deer-hunt", "particles="),
        ("belief-search:replayed=-1", "deer-hunt", "replayed="),
        ("belief-search:error=2", "deer-hunt", "error="),
        ("belief-search:steady=-1", "deer-hunt", "steady="),
        ("belief-search:heuristic=tuned", "deer-hunt", "is not a setting; they are tiles, playouts, actions"),
    ],
)
def test_bad_settings_are_refused_in_one_line(spec, game, problem):
    with pytest.raises(ValueError, match=problem) as refused:
        make_agent(spec, game)
    assert "\n" not in str(refused.value)
