"""Duplicate matches: what makes a comparison of players fair, and the numbers that come with it."""

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.agent import Agent, DecisionBatch, Memories
from gupai_agents.evaluation import Standings, duel, play_duplicates, round_robin
from gupai_agents.evaluation.tournaments.tournament import schedule
from gupai_agents.play.decisions import answers
from gupai_agents.registry import agent_names
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import derive
from gupai_env.core.streams import EVALUATION_STREAM
from gupai_env.games import GAMES
from gupai_env.vector import VectorEnv
from gupai_training.run import FINAL_SEED
from gupai_training.selfplay import LearnerVecEnv
from variants import variants


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_agent_against_itself_scores_exactly_zero(game, name):
    agent = make_agent(name, game)
    found = duel(game, agent, make_agent(name, game), 300, seed=5)
    assert found.chips[:, :, 0].mean(1).tolist() == [0.0] * 300
    assert str(found.mean(0)) == "+0.00 (all 300 deals alike: no interval)"


@pytest.mark.parametrize("game", GAMES)
def test_rotations_of_a_deal_are_the_same_deal(game):
    random = make_agent("random", game)
    chips = duel(game, random, make_agent("random", game), 50, seed=1).chips  # one policy: the same game each time
    by_seat = np.stack([np.roll(chips[:, r], r, axis=1) for r in range(chips.shape[1])], 1)
    assert (by_seat == by_seat[:, :1]).all()


def test_chips_sum_to_zero_and_deals_do_not_depend_on_their_number():
    greedy, variety = make_agent("greedy"), make_agent("variety")
    few, many = (duel("jie-long", variety, greedy, n, seed=3).chips for n in (40, 1500))
    assert abs(many.sum(2)).max() == 0
    assert (few == many[:40]).all()


@pytest.mark.parametrize("table", ["one", "two", "mixed"])
def test_seat_figures_of_a_tournament_are_those_of_its_players(table):
    """Made-up chips tell the agent, the seat and the deal, at all line-ups and rotations."""
    played = schedule("jie-long", list("abcde"), 3, table=table, seed=1).empty()
    who = np.array([line_up.agents for line_up in played.line_ups])
    for at, deal, rotation, place in np.ndindex(played.chips.shape):
        seat = (place + rotation) % 4
        played.chips[at, deal, rotation, place] = 100 * who[at, place] + 10 * seat + deal
    for agent in range(5):
        found = [played.at_seat(agent, seat) for seat in range(4)]
        assert [each.mean for each in found] == [100 * agent + 10 * seat + 1 for seat in range(4)]
        assert {each.samples for each in found} == {3}
        assert played.chips_of(agent).tolist() == [100 * agent + 15 + deal for deal in range(3)]
        if played.standings is not None:
            alone = [played.standings.at_seat(agent, seat) for seat in range(4)]
            assert [each.mean for each in alone] == [each.mean for each in found]


def chips_by_hand(heroes: list[Agent], seat: int, seed: int, deals: int) -> np.ndarray:
    """Chips of the first agent at a seat against the second at all others, deal by deal."""
    envs = VectorEnv("jie-long", deals, renew=False)
    envs.reset(seeds=np.array([derive(derive(seed, EVALUATION_STREAM), deal) for deal in range(deals)]))
    while not envs.terminated.all():
        views, rng_keys = envs.views()
        mine, theirs = (agent.act(DecisionBatch(views, envs.masks, rng_keys)) for agent in heroes)
        envs.step(np.where(envs.terminated, WAIT, np.where(envs.seats == seat, mine, theirs)))
    return envs.states.total[:, seat].copy()


def test_seat_figures_equal_games_played_by_hand():
    hero, villain = make_agent("variety"), make_agent("random")
    result = duel("jie-long", hero, villain, 30, seed=8)
    standings = round_robin("jie-long", [villain, hero], 30, seed=8)
    means = []
    for seat in range(4):
        chips = chips_by_hand([hero, villain], seat, 8, 30)
        means.append(result.at_seat(0, seat).mean)
        assert means[-1] == pytest.approx(chips.mean())
        assert (standings.chips[1, 0, :, seat] == chips).all()
        assert standings.at_seat(1, seat).mean == pytest.approx(chips.mean())
        assert standings.at_seat(0, seat).mean == pytest.approx(chips_by_hand([villain, hero], seat, 8, 30).mean())
    assert len(set(means)) == 4


def test_standings_average_over_all_others_and_no_one_else():
    chips = np.zeros((3, 3, 2, 4))
    for hero, villain, deal, seat in np.ndindex(chips.shape):
        chips[hero, villain, deal, seat] = 0 if hero == villain else 100 * hero + 10 * villain + seat + deal
    found = Standings(("a", "b", "c"), chips, 0)
    assert found.against(1, 2).mean == 100 + 20 + 1.5 + 0.5
    assert found.total(1).mean == 100 + 10 + 1.5 + 0.5
    assert [found.at_seat(2, seat).mean for seat in range(4)] == [200 + 5 + seat + 0.5 for seat in range(4)]


@pytest.mark.parametrize("seed", [0, 1, 7])
def test_training_deals_are_not_evaluation_deals(seed, monkeypatch):
    """Neither with the run's own seed, by which it looks at the baselines, nor with that of its final table."""
    evaluated = set()
    reset = VectorEnv.reset

    def noting(envs: VectorEnv, *arguments, **named) -> None:
        reset(envs, *arguments, **named)
        evaluated.update(envs.states.seed.tolist())

    with monkeypatch.context() as patched:
        patched.setattr(VectorEnv, "reset", noting)
        for evaluation in (seed, seed + 1, seed + FINAL_SEED):
            evaluated_before = len(evaluated)
            duel("jie-long", make_agent("greedy"), make_agent("greedy"), 200, seed=evaluation)
            assert len(evaluated) >= evaluated_before + 200
    env = LearnerVecEnv("jie-long", 64, ["greedy"], seed=seed)
    trained = set()
    for begins in ("at once", "by seed()"):
        if begins == "by seed()":
            env.seed(seed)
        env.reset()
        for _ in range(40):
            trained.update(env.envs.states.seed.tolist())
            env.step(env.masks.argmax(1))
    assert len(trained) > 64 * 4
    assert not trained & evaluated
    # and the other way round: the same evaluation meets the same deals again
    assert {derive(derive(derive(seed, EVALUATION_STREAM), deal), 0) for deal in range(200)} <= evaluated


def test_match_equals_one_game_played_by_hand():
    agents = [make_agent(name) for name in ("greedy", "variety", "random", "greedy")]
    found = play_duplicates("jie-long", agents, 3, seed=9)
    for deal in range(3):
        for rotation in range(4):
            envs = VectorEnv("jie-long", 1, renew=False)
            envs.reset(seeds=np.array([derive(derive(9, EVALUATION_STREAM), deal)]))
            while not envs.terminated[0]:
                player = (int(envs.seats[0]) - rotation) % 4
                views, rng_keys = envs.views()
                envs.step(agents[player].act(DecisionBatch(views, envs.masks, rng_keys)))
            total = [envs.states.total[0, (player + rotation) % 4] for player in range(4)]
            assert found.chips[deal, rotation].tolist() == total


def test_rule_based_players_have_their_known_strengths():
    """Jie Long with forced play: the differences that a prototype of the project measured, in chips per deal."""
    players = {name: make_agent(name, "jie-long", forced_play=True) for name in ("random", "greedy", "variety")}
    over_random = duel("jie-long", players["greedy"], players["random"], 2000, forced_play=True).mean(0)
    over_greedy = duel("jie-long", players["variety"], players["greedy"], 4000, forced_play=True).mean(0)
    assert over_random.low < 9.2 < over_random.high
    assert over_greedy.low > 2


@pytest.mark.parametrize("game", GAMES)
def test_named_agents_play_legally_with_every_deck_and_table_size(game):
    for deck, players in sorted({(variant.deck, variant.players) for variant in variants(GAMES[game])}):
        options = {"deck": deck, "players": players}
        for name in agent_names(game, GAMES[game].variant.make(**options)):
            agent = make_agent(name, game, **options)
            other = make_agent("random", game, **options)
            assert np.isfinite(duel(game, agent, other, 20, **options).chips).all()


def test_answers_wait_where_nobody_is_to_act():
    envs = VectorEnv("jie-long", 5)
    actions = answers(envs, [make_agent("greedy")], np.array([0, -1, 0, -1, -1]), Memories(5, 4))
    assert (actions == -2).tolist() == [False, True, False, True, True]


def test_wrong_line_ups_are_refused():
    greedy = make_agent("greedy")
    with pytest.raises(ValueError, match="3 players for 4 seats"):
        play_duplicates("jie-long", [greedy] * 3, 5)
    with pytest.raises(ValueError, match="deals=0 is not allowed"):
        duel("jie-long", greedy, greedy, 0)
    with pytest.raises(ValueError, match="did you mean greedy"):
        make_agent("greedi")
