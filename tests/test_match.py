"""Duplicate matches: what makes a comparison of players fair, and the numbers that come with it."""

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import Turns
from gupai_agents.evaluation import duel, play_duplicates
from gupai_agents.evaluation.match import EVALUATION_STREAM, answers
from gupai_agents.evaluation.stats import estimate
from gupai_agents.registry import agent_names
from gupai_env.core.rng import derive
from gupai_env.games import GAMES
from gupai_env.vector import Lanes
from variants import variants


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_an_agent_against_itself_scores_exactly_zero(game, name):
    agent = make_agent(name, game)
    found = duel(game, agent, make_agent(name, game), 300, seed=5)
    assert found.chips[:, :, 0].mean(1).tolist() == [0.0] * 300
    assert found.mean(0)[:2] == (0.0, 0.0)


@pytest.mark.parametrize("game", GAMES)
def test_every_rotation_of_a_deal_is_the_same_deal(game):
    random = make_agent("random", game)
    chips = duel(
        game, random, make_agent("random", game), 50, seed=1
    ).chips  # one policy: the same game each time
    seats = chips.shape[2]
    by_seat = np.stack([np.roll(chips[:, r], r, axis=1) for r in range(seats)], 1)
    assert (by_seat == by_seat[:, :1]).all()


def test_the_chips_of_every_game_sum_to_zero_and_deals_do_not_depend_on_their_number():
    greedy, variety = make_agent("greedy"), make_agent("variety")
    few, many = (duel("jie-long", variety, greedy, n, seed=3).chips for n in (40, 1500))
    assert abs(many.sum(2)).max() == 0
    assert (few == many[:40]).all()


def test_the_match_agrees_with_one_game_played_by_hand():
    agents = [make_agent(name) for name in ("greedy", "variety", "random", "greedy")]
    found = play_duplicates("jie-long", agents, 3, seed=9)
    for deal in range(3):
        for rotation in range(4):
            lanes = Lanes("jie-long", 1, renew=False)
            lanes.reset(seeds=np.array([derive(derive(9, EVALUATION_STREAM), deal)]))
            while not lanes.over[0]:
                player = (int(lanes.seats[0]) - rotation) % 4
                views, keys = lanes.views()
                lanes.step(agents[player].act(Turns(views, lanes.masks, keys)))
            total = [lanes.states.total[0, (player + rotation) % 4] for player in range(4)]
            assert found.chips[deal, rotation].tolist() == total


def test_known_strengths_of_rule_based_players():
    """Jie Long with forced play: the differences that a prototype of the project measured, in chips a deal."""
    players = {
        name: make_agent(name, "jie-long", forced_play=True) for name in ("random", "greedy", "variety")
    }
    over_random = duel("jie-long", players["greedy"], players["random"], 2000, forced_play=True).mean(0)
    over_greedy = duel("jie-long", players["variety"], players["greedy"], 4000, forced_play=True).mean(0)
    assert over_random.low < 9.2 < over_random.high
    assert over_greedy.low > 2


@pytest.mark.parametrize("game", GAMES)
def test_every_named_agent_plays_legally_with_every_deck_and_number_of_players(game):
    for deck, players in sorted({(variant.deck, variant.players) for variant in variants(GAMES[game])}):
        options = {"deck": deck, "players": players}
        for name in agent_names(game):
            agent = make_agent(name, game, **options)
            other = make_agent("random", game, **options)
            assert np.isfinite(duel(game, agent, other, 20, **options).chips).all()


def test_answers_wait_where_nobody_is_to_act():
    lanes = Lanes("jie-long", 5)
    actions = answers(lanes, [make_agent("greedy")], np.array([0, -1, 0, -1, -1]))
    assert (actions == -2).tolist() == [False, True, False, True, True]


def test_an_interval_is_students():
    mean, half_width, count = estimate(np.array([1.0, 2.0, 3.0, 4.0]))
    assert (mean, count) == (2.5, 4)
    assert half_width == pytest.approx(3.182446 * 1.290994 / 2, abs=1e-5)  # t(3, 0.975) * s / sqrt(4)
    assert estimate(np.array([1.0])).half_width == float("inf")


def test_the_interval_holds_the_truth_as_often_as_it_says():
    """Of many short matches about 95% must have the mean of all deals in their interval."""
    a, b = make_agent("greedy"), make_agent("variety")
    chips = duel("jie-long", b, a, 20_000, seed=2).chips[:, :, 0].mean(1)
    found = [estimate(part) for part in chips.reshape(400, 50)]
    truth = chips.mean()
    assert 0.92 <= np.mean([e.low <= truth <= e.high for e in found]) <= 0.98


def test_wrong_line_ups_are_refused():
    greedy = make_agent("greedy")
    with pytest.raises(ValueError, match="3 players for 4 seats"):
        play_duplicates("jie-long", [greedy] * 3, 5)
    with pytest.raises(ValueError, match="deals=0 is not allowed"):
        duel("jie-long", greedy, greedy, 0)
    with pytest.raises(ValueError, match="did you mean greedy"):
        make_agent("greedi")
