"""Ratings and alpha-rank against choix, OpenSpiel, closed forms and simulated games."""

import numpy as np
import pytest
import scipy

from gupai_agents.evaluation.tournaments import rating
from gupai_agents.evaluation.tournaments.rating import Choices, alpha_rank, choices_of, plackett_luce, ratings


def games(strengths, number, seed=0):
    """Chips of games whose order Plackett and Luce's law draws, [line-ups, deals, rotations, places]."""
    generator = np.random.default_rng(seed)
    rng_keys = generator.gumbel(size=(1, number, 1, len(strengths)))
    return np.array(strengths) + rng_keys


def heads_up(*deals):
    """Choices of two agents: in each deal, how often agent 0 came in before agent 1, and how often behind it."""
    return Choices(np.array([0, 1]), np.ones((2, 2), int), np.array(deals, float), len(deals))


@pytest.mark.parametrize(
    ("line_ups", "edge"), [([[0, 1]], 99.0), ([[0, 1, 2, 3]], 0.0), ([[0, 1, 2], [2, 3, 4]], 1.0)], ids=str
)
def test_ratings_equal_choix_with_the_same_virtual_draws(line_ups, edge):
    """Each agent draws against one more, all draws as often as a deal has choices; 99: agent 0 always wins."""
    choix = pytest.importorskip("choix")
    chips = np.random.default_rng(1).normal(size=(len(line_ups), 6, 1, len(line_ups[0])))
    chips[0, :, :, 0] += edge
    agents, per_deal = np.max(line_ups) + 1, len(line_ups) * (len(line_ups[0]) - 1)
    games = []
    for line_up, by_deal in zip(np.array(line_ups), chips[:, :, 0], strict=True):
        for order in line_up[np.argsort(-by_deal, 1)]:
            games += [(order[place], order[place + 1 :]) for place in range(len(order) - 1)]
    draws = [pair for agent in range(agents) for pair in ((agent, [agents]), (agents, [agent]))]
    theirs = choix.opt_top1(agents + 1, 2 * agents * games + per_deal * draws, alpha=0, tol=1e-10)
    found = np.log(plackett_luce(choices_of(chips, np.array(line_ups))).strengths)
    assert found == pytest.approx(theirs[:agents] - theirs[agents], abs=1e-6)


@pytest.mark.parametrize("most", [500, 2])
def test_games_of_one_deal_are_one_sample(most, monkeypatch):
    """Agent 0 wins every game of the first two deals of four, in whatever rotation, and none of the others."""
    monkeypatch.setattr(rating, "GROUPS", most)
    chips = np.zeros((1, 4, 3, 2))
    chips[0, :2, :, 0], chips[0, 2:, :, 1] = 1, 1
    found = choices_of(chips, np.array([[0, 1]]))
    order = np.argsort(found.winners)
    expected = [[3, 3, 0, 0], [0, 0, 3, 3]] if most > 4 else [[6, 0], [0, 6]]
    assert found.winners[order].tolist() == [0, 1]
    assert found.weights.T[order].tolist() == expected
    assert found.members.tolist() == [[1, 1], [1, 1]]
    assert plackett_luce(found).draw == 3 / 2  # three choices of a deal, for two agents


def test_repeated_rotations_change_no_rating_and_no_width():
    chips = games([0.3, 0.0, -0.3], 40)
    once, often = (ratings(choices_of(np.repeat(chips, times, 2), np.arange(3)[None])) for times in (1, 5))
    assert often.points == pytest.approx(once.points)
    assert often.widths == pytest.approx(once.widths)


def test_ratings_recover_the_strengths_of_simulated_games():
    strengths = np.array([0.0, 0.5, 1.0, -1.5])
    found = ratings(choices_of(games(strengths, 3000), np.arange(4)[None]))
    truth = (strengths - strengths.mean()) * 400 / np.log(10)
    assert pytest.approx(400 / np.log(10), rel=1e-15) == rating.POINTS
    assert (np.abs(found.points - truth) < found.widths).all()
    assert (found.widths < 20).all()


def test_one_against_three_equals_wins_a_quarter():
    chips = games([0.0, 0.0, 0.0, 0.0], 4000)
    found = plackett_luce(choices_of(chips, np.array([[0, 1, 1, 1]])))
    assert np.log(found.strengths) == pytest.approx([0, 0], abs=0.05)


def test_rating_width_equals_simulated_games():
    strengths, line_up = [0.0, 0.4, -0.4], np.arange(3)[None]
    found = [ratings(choices_of(games(strengths, 200, seed), line_up)) for seed in range(100)]
    spread = np.std([each.points for each in found], axis=0, ddof=1)
    assert np.mean([each.widths for each in found], axis=0) == pytest.approx(1.96 * spread, rel=0.2)


@pytest.mark.parametrize(
    ("gap", "least"),
    [(0, {3: 0.99, 10: 0.95, 100: 0.93}), (400, {3: 0.95, 10: 0.93, 100: 0.94}), (800, {3: 0.95, 10: 0.9, 100: 0.91})],
)
def test_intervals_of_ratings_cover_the_truth(gap, least):
    """The better of two agents wins a deal with the probability of the gap, so how often it is covered is exact."""
    for deals, bound in least.items():
        found = [ratings(heads_up(*([1, 0],) * won, *([0, 1],) * (deals - won))) for won in range(deals + 1)]
        covered = [abs(each.points[0] - gap / 2) <= each.widths[0] for each in found]
        probabilities = scipy.stats.binom.pmf(np.arange(deals + 1), deals, 1 / (1 + 10 ** (-gap / 400)))
        assert probabilities[covered].sum() >= bound


def test_interval_grows_with_a_one_sided_score():
    widths = [ratings(heads_up(*([1, 0],) * won, *([0, 1],) * (10 - won))).widths[0] for won in range(5, 11)]
    assert widths == sorted(widths) and widths[-1] > 3 * widths[0]
    for deals in (1, 3, 100):
        found = ratings(heads_up(*([1, 0],) * deals))
        assert 100 < found.points[0] < 600 and found.points[0] == pytest.approx(-found.points[1])
        assert found.widths[0] > 300
    alike = ratings(heads_up([1, 1], [1, 1]))
    assert alike.points == pytest.approx([0, 0]) and alike.widths[0] > 100


def test_unidentified_ratings_are_named():
    names = list("abcde")
    # a always beats b and c, which beat each other; d and e meet nobody else.
    winners = np.array([0, 0, 1, 2, 3, 4])
    members = np.array([[1, 1, 0, 0, 0], [1, 0, 1, 0, 0], [0, 1, 1, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 1]])
    found = ratings(Choices(winners, members[[0, 1, 2, 3, 4, 4]], np.ones((1, 6)), 1))
    assert sorted(found.orders) == [[[0], [1, 2]], [[3, 4]]]
    assert found.points[:3].sum() == pytest.approx(0, abs=1e-9) and found.points[3:].sum() == pytest.approx(0, abs=1e-9)
    assert found.widths[0] > found.widths[1]
    said = rating.notes(names, [[[0], [1, 2]], [[3, 4]]])
    assert said == [rating.NO_GAME_AGAINST.format(agents="a > b, c"), rating.NEVER_MET.format(agents="a, b, c; d, e")]
    connected = ratings(heads_up([1, 0], [0, 1])).orders
    assert connected == [[[0, 1]]] and not rating.notes(names, connected)
    assert ratings(heads_up([1, 1])).orders == [[[0, 1]]]  # a draw is half a win of each


def test_equal_chips_give_no_rating():
    found = plackett_luce(choices_of(np.zeros((1, 10, 4, 4)), np.array([[0, 1, 2, 3]])))
    assert found.strengths == pytest.approx(np.ones(4), abs=1e-9)
    tied = choices_of(np.array([[[[5.0, 0.0, 0.0, 0.0]]]]), np.array([[0, 1, 2, 3]]))
    assert tied.weights.sum() == pytest.approx(3)  # a game is three choices, however many ways it could have ended
    many = heads_up(*[[3.0, 1.0]] * 10_000)  # of which the virtual deal is a small part
    assert np.diff(np.log(plackett_luce(many).strengths)) == pytest.approx([-np.log(3)], abs=1e-3)  # odds of three


TABLES = [
    np.array([[0, 1.0], [-1.0, 0]]),
    np.array([[0, 1.0, -1.0], [-1.0, 0, 1.0], [1.0, -1.0, 0]]),  # a cycle
    np.random.default_rng(2).normal(size=(6, 6)),
    np.zeros((3, 3)),
    np.array([[0, 0, 1.0], [0, 0, -1.0], [-1.0, 1.0, 0]]),  # two are alike to each other, not to the third
]


@pytest.mark.parametrize("payoffs", TABLES, ids=range(len(TABLES)))
def test_alpha_rank_is_stationary(payoffs):
    found = alpha_rank(payoffs)
    assert found.sum() == pytest.approx(1)
    assert (found > 0).all()


def test_alpha_rank_equals_cases_solved_by_hand():
    assert alpha_rank(TABLES[0]) == pytest.approx([0.99, 0.01])
    assert alpha_rank(TABLES[1]) == pytest.approx([1 / 3] * 3)
    assert alpha_rank(TABLES[3]) == pytest.approx([1 / 3] * 3)
    # In balance 0 and 1 turn to each other at 1/2, 0 to 2 at 1/100, 2 to 0 and 1 to 2 at 99/100.
    flow = np.array([[-0.51, 0.5, 0.99], [0.5, -1.49, 0.01], [0.01, 0.99, -1.0]])
    assert flow @ alpha_rank(TABLES[4]) == pytest.approx(np.zeros(3))
    assert alpha_rank(np.zeros((1, 1))) == pytest.approx([1])


@pytest.mark.parametrize("payoffs", TABLES, ids=range(len(TABLES)))
def test_alpha_rank_equals_open_spiel(payoffs):
    try:
        from open_spiel.python.egt import alpharank
    except ImportError:
        pytest.skip("needs open_spiel and matplotlib")
    theirs = alpharank.compute([payoffs], use_inf_alpha=True, inf_alpha_eps=0.01)[2]
    assert alpha_rank(payoffs) == pytest.approx(theirs, abs=1e-9)
