"""Search: it knows no more than the view, answers alike in any batch, and plays better than its heuristic."""

import dataclasses
import itertools
from math import comb, log
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import duel
from gupai_agents.evaluation.exact.tree import GameTree
from gupai_agents.play.decisions import chips_won, resume_lanes
from gupai_agents.play.decisions import decisions as decisions_of
from gupai_agents.players import search
from gupai_agents.players.heuristics import RANDOM, decide
from gupai_agents.players.search import FIRST_PLAYOUTS, OTHERS, OWN, weigh_loop
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.deal import Deal
from gupai_env.core.episode import advance
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.streams import DEAL_STREAM
from gupai_env.core.tiles import KINDS, count, tile_set
from trees import tiny_tree

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
FORCED = {"forced_play": True}


def decisions(game: Game, envs: int, steps: int, **variant) -> tuple[VectorEnv, DecisionBatch]:
    """Decisions after some random moves of deals that are not over."""
    table = VectorEnv(game, envs, seed=6, **variant)
    for key in range(steps):
        table.step(table.sample(key))
    views, rng_keys = table.views()
    return table, DecisionBatch(views, table.masks.copy(), rng_keys)


@every_game
def test_answer_is_legal_and_independent_of_the_batch(game):
    _, turns = decisions(game, 24, 3)
    agent = make_agent("search:playouts=6", game)
    together = agent.act(turns)
    assert turns.masks[np.arange(24), together].all()
    some = np.array([17, 3, 9])
    np.testing.assert_array_equal(agent.act(turns.at(some)), together[some])


@pytest.mark.parametrize("name", ["ding-niu", "da-ling"])
def test_given_deals_are_played_out_in_place_of_draws(name):
    game = get_game(name)
    table, turns = decisions(game, 12, 0 if game.simultaneous else 2)
    agent, drawn = make_agent("search:playouts=6", game), game.new_states(12)
    table.kernels.determinize(table.rules, turns.views, turns.rng_keys, drawn)
    states = np.stack([table.states, drawn], 1)
    given = states.copy()
    values = agent.values(turns, deals=given)
    assert (values.deals[turns.masks] == 2).all() and (given == states).all()
    alone = [agent.values(turns, deals=given[:, [deal]]).means for deal in (0, 1)]
    np.testing.assert_allclose(values.means, np.mean(alone, 0))
    rows, actions = np.nonzero(turns.masks)
    after = resume_lanes(game, table.variant, table.states[rows])
    seats, played = table.seats[rows], np.zeros(len(rows), bool)
    for now in decisions_of(after, [make_agent("tuned", game)]):
        mine = after.seats[now.rows] == seats[now.rows]
        first = mine & ~played[now.rows]
        now.actions[first] = actions[now.rows[first]]
        played[now.rows[first]] = True
    won = chips_won(after)[np.arange(len(rows)), seats]
    np.testing.assert_allclose(alone[0][turns.masks], won)


@every_game
def test_redealing_hidden_tiles_changes_no_answer(game):
    table, turns = decisions(game, 24, 3)
    drawn = table.game.new_states(24)
    table.kernels.determinize(table.rules, turns.views, turns.rng_keys + 5, drawn)
    drawn.to_act = table.states.to_act  # who is asked in secret before the viewer it does not know
    views = np.zeros_like(turns.views)
    table.kernels.views(table.rules, drawn, views, np.zeros(24, np.int64))
    agent = make_agent("search:playouts=5", game)
    np.testing.assert_array_equal(agent.act(turns._replace(views=views.view(np.recarray))), agent.act(turns))


@every_game
def test_values_cover_legal_actions_and_the_best_have_most_deals(game):
    _, turns = decisions(game, 12, 2)
    agent = make_agent("search:playouts=16,steady=0", game)
    values = agent.values(turns)
    np.testing.assert_array_equal(np.isfinite(values.means), turns.masks)
    np.testing.assert_array_equal(values.deals > 0, turns.masks)
    best = agent.act(turns)
    for row, action in enumerate(best):
        assert values.means[row, action] == np.nanmax(values.means[row][values.deals[row] == values.deals[row].max()])
        assert values.deals[row].sum() <= 16 * turns.masks[row].sum()
        assert values.deals[row, action] == values.deals[row].max()
    bound = game.payoff_bound(game.variant())
    assert np.nanmax(np.abs(values.means)) <= bound


@every_game
def test_actions_are_compared_with_the_best_in_the_same_deals(game):
    _, turns = decisions(game, 8, 2)
    agent = make_agent("search:playouts=60", game)
    values, rows = agent.compare(turns), np.arange(8)
    np.testing.assert_array_equal(values.deals > 0, turns.masks)
    full = values.deals == values.deals.max(1, keepdims=True)
    assert full[rows, values.usual].all() and (values.gains[rows, values.usual] == 0).all()
    best = np.where(full, values.means, -np.inf).max(1)
    np.testing.assert_allclose(values.means[rows, values.usual], best)
    behind = best[:, None] - values.means
    np.testing.assert_allclose(values.gains[full], -behind[full], atol=1e-9)
    assert (values.gains <= 1e-9)[turns.masks].all() or not full.all()
    errors = values.errors + values.errors[rows, values.usual][:, None]
    assert (values.gain_errors[full] <= errors[full] + 1e-9).all()  # paired
    dropped = turns.masks & ~full
    assert (values.gains + search.DOUBT * values.gain_errors)[dropped].max(initial=-1) < 1e-9
    assert (full.sum(1) >= np.minimum(2, turns.masks.sum(1))).all()
    others = full & (np.arange(game.num_actions) != values.usual[:, None])
    known = np.where(others, values.gains + search.CLEAR * values.gain_errors, -np.inf).max(1) < 0
    assert (values.deals.max(1) >= np.where(known, search.SAME, np.where(turns.masks.sum(1) > 2, 30, 60))).all()
    few = agent.compare(turns.at(rows[3:5]))
    np.testing.assert_array_equal(few.gains, values.gains[3:5])


def test_comparison_ends_once_the_loss_of_the_second_best_is_known():
    _, turns = decisions(get_game("deer-hunt"), 60, 2)
    values = make_agent("search:playouts=100", "deer-hunt").compare(turns)
    deals = values.deals.max(1)
    ended = deals < 90  # all rounds have more, but for what is rounded off
    rivals = (values.deals == deals[:, None]) & (np.arange(turns.masks.shape[1]) != values.usual[:, None])
    gains, errors = np.where(rivals, values.gains, -np.inf)[ended], values.gain_errors[ended]
    second = np.arange(len(gains)), gains.argmax(1)
    assert ended.any() and (gains[second] + search.CLEAR * errors[second]).max() < 0
    assert (gains + search.DOUBT * errors)[rivals[ended]].max() < 0
    assert not (deals[ended] % search.LOOK).any() and deals[ended].min() >= search.SAME


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.simultaneous])
def test_simultaneous_decisions_try_every_action_in_every_deal(name):
    _, turns = decisions(get_game(name), 4, 2)
    values = make_agent("search:playouts=5", name).values(turns)
    np.testing.assert_array_equal(values.deals, 5 * turns.masks)


def most_telling(turns: DecisionBatch, values: search.Values) -> np.ndarray:
    """The two decisions of later seats in which the actions bring the most different chips, those where neither the
    first action nor the last brings what the usual one does before others.
    """
    differ = np.nan_to_num(values.gain_errors) > 0
    unlike = [differ[row, np.flatnonzero(mask)[[0, -1]]].all() for row, mask in enumerate(turns.masks)]
    kinds = [len(np.unique(means[np.isfinite(means)])) for means in values.means]
    return np.lexsort((kinds, unlike, turns.views.seat > 0))[-2:]


@every_game
def test_values_equal_deals_played_out_one_by_one(game):
    agent = make_agent("search:playouts=3,heuristic=tuned,others=greedy", game)
    _, turns = decisions(game, 48, game.max_decisions // 2)  # late: to play deals out by plain rules takes long
    turns = turns.at(most_telling(turns, agent.values(turns, halving=False)))
    values = agent.values(turns, halving=False)
    state, view, mask = (game.new_states(1)[0], np.zeros(1, game.view).view(np.recarray)[0], turns.masks[0].copy())
    for row in range(2):
        seat, chips = int(turns.views[row].seat), np.zeros((3, game.num_actions))
        sides = game.sides(game.max_seats)
        legal = np.flatnonzero(turns.masks[row])
        legal = np.unique([*legal[:: -(-len(legal) // 6)], legal[-1], values.usual[row]])  # not all, if there are many
        for deal, action in itertools.product(range(3), legal):
            key = derive(derive(int(turns.rng_keys[row]), DEAL_STREAM), deal)
            game.determinize(agent.rules, turns.views[row], key, state)
            advance(game.module, agent.rules, state, int(action))  # and only then the others
            while not state.settled:
                player = RANDOM + 1 + (OWN if sides[state.to_act] == sides[seat] else OTHERS)
                chosen = decide(game.module, agent.rules, agent.heuristics, state, player, view, mask)
                advance(game.module, agent.rules, state, int(chosen))
            chips[deal, action] = state.payoff[seat]
        np.testing.assert_allclose(values.means[row, legal], chips.mean(0)[legal], atol=1e-9)
        gained = chips - chips[:, [values.usual[row]]]
        for found, each in ((values.errors, chips), (values.gain_errors, gained)):
            np.testing.assert_allclose(found[row, legal], each.std(0, ddof=1)[legal] / 3**0.5, atol=1e-6)


@every_game
def test_moves_are_hidden_until_the_end_only_where_a_game_says_so(game):
    table, _ = decisions(game, 16, 0)
    before, after = np.zeros((2, 16), game.view).view(np.recarray)
    watching = table.states.to_act != 1
    table.kernels.view_of(table.rules, table.states, 1, before)
    table.step(table.sample(1))
    table.kernels.view_of(table.rules, table.states, 1, after)
    for views in (before, after):
        views.asked = 0  # but that its turn may have come
    seen = [before[row].tobytes() != after[row].tobytes() for row in np.flatnonzero(watching)]
    assert any(seen) != game.simultaneous


@every_game
def test_threads_and_batches_change_no_result(game):
    _, turns = decisions(game, 40, 3)
    alone = make_agent("search:playouts=12,threads=1", game).values(turns)
    shared = make_agent("search:playouts=12,threads=3", game).values(turns)
    for one, other in zip(alone, shared, strict=True):
        np.testing.assert_array_equal(one, other)


def test_unlikely_deals_are_met_less():
    game = get_game("jie-long")
    _, turns = decisions(game, 25, 11, **FORCED)
    plain = make_agent("search:playouts=5", game, **FORCED).values(turns)
    sharp, soft = (
        make_agent(f"search:playouts=5,particles=100,infer=variety@{temperature}", game, **FORCED).values(turns)
        for temperature in (2, 50)
    )
    assert np.isnan(plain.effective).all()
    assert (sharp.effective >= 0.999).all() and (soft.effective <= 100.001).all()
    assert sharp.effective.mean() < soft.effective.mean()


def test_particle_weights_are_the_chances_of_past_moves():
    """For any two deals the weights stand as the policy of the others says, move by move, asked as any agent is."""
    game = get_game("tiu-u")
    table, turns = decisions(game, 8, 7)
    believed = make_agent("careful@9", game)
    agent = make_agent("search:playouts=1,particles=5,infer=careful@9", game)
    sums, effective = np.zeros((8, 5)), np.zeros(8)
    weigh_loop(game)(agent.rules, agent.infer, turns.views, turns.rng_keys, (0, 8), sums, effective)
    weights = np.diff(sums, axis=1, prepend=0)
    for row in range(8):
        view = turns.views[row : row + 1]
        expected = [likelihood(table, believed, drawn, int(view.seat[0])) for drawn in particles(table, turns, row, 5)]
        np.testing.assert_allclose(weights[row], np.array(expected) / sum(expected), rtol=1e-9)
    assert effective == pytest.approx(1 / (weights**2).sum(1))


@pytest.mark.parametrize(("held", "kept"), [(2, 0), (2, 1), (3, 1), (1, 1), (4, 2), (4, 0)])
def test_equal_tiles_may_each_have_gone(held, kept):
    before, after = tile_set([5] * held + [7, 7]), tile_set([5] * kept + [7])
    assert search.log_copies(before, after) == pytest.approx(log(comb(held, kept) * 2))


def particles(table: VectorEnv, turns: DecisionBatch, row: int, count: int) -> np.recarray:
    """The deals that are weighed for a decision."""
    drawn = table.game.new_states(count)
    stream = derive(int(turns.rng_keys[row]), DEAL_STREAM)
    rng_keys = np.array([derive(stream, number) for number in range(count)])
    views = np.repeat(turns.views[row : row + 1], count).view(np.recarray)
    table.kernels.determinize(table.rules, views, rng_keys, drawn)
    return drawn


def likelihood(table: VectorEnv, believed, state: np.record, viewer: int) -> float:
    """How likely the others' moves are by a policy, and that of equal tiles just these went."""
    game, rules, chance = table.game, table.rules, 1.0
    order, actions = np.zeros(len(game.deck(rules)), np.int8), np.zeros(game.max_decisions, np.int16)
    moves = game.history(rules, state, order, actions)
    past = Deal(game, table.variant, np.array([state]).view(np.recarray))
    game.deal_from(rules, past.state, order)
    for action in actions[:moves].tolist():
        seat, hand = past.seat, int(past.state.hands[past.seat])
        mask, views = past.mask()[None], past.view_row(seat)
        past.step(action)
        if seat != viewer:
            chance *= believed.probabilities(DecisionBatch(views, mask, np.zeros(1, np.int64)))[0, action]
            for kind in range(KINDS):
                chance /= comb(count(hand, kind), count(hand, kind) - count(int(past.state.hands[seat]), kind))
    return chance


def test_usual_action_comes_from_the_own_heuristic():
    _, turns = decisions(get_game("jie-long"), 64, 8, **FORCED)
    played = {name: make_agent(name, "jie-long").act(turns) for name in ("greedy", "variety")}
    assert (played["greedy"] != played["variety"]).any()
    for own, others in (("greedy", "variety"), ("variety", "greedy")):
        agent = make_agent(f"search:playouts=1,heuristic={own},others={others}", "jie-long", **FORCED)
        np.testing.assert_array_equal(agent.values(turns).usual, played[own])


def test_usual_action_is_left_only_for_a_clearly_better_one():
    _, turns = decisions(get_game("jie-long"), 200, 3, **FORCED)
    agent = make_agent("search:playouts=20,heuristic=variety", "jie-long", **FORCED)
    values, rows = agent.values(turns), np.arange(200)
    np.testing.assert_array_equal(values.usual, make_agent("variety", "jie-long").act(turns))
    assert (values.gains[rows, values.usual] == 0).all()
    assert (values.deals[rows, values.usual] == values.deals.max(1)).all()
    np.testing.assert_array_equal(values.choice(1e9), values.usual)
    for steady in (0.0, 1.0, 2.0):
        chosen = values.choice(steady)
        left = chosen != values.usual
        assert 0 < left.sum() < 200
        sure = values.gains[rows, chosen] > steady * values.gain_errors[rows, chosen]
        assert sure[left].all()
        best = np.where(values.deals == values.deals.max(1, keepdims=True), values.gains, -np.inf).max(1)
        assert (values.gains[rows, chosen] == np.where(left, best, 0)).all()
    np.testing.assert_array_equal(agent.act(turns), values.choice(1.0))


@pytest.mark.parametrize(
    ("gain", "error", "chosen"), [(0.0, 0.0, 2), (0.5, 0.5, 2), (0.5, 0.25, 1), (-1.0, 0.0, 2), (0.5, 0.0, 1)]
)
def test_usual_action_stays_at_a_tie_and_at_the_bound(gain, error, chosen):
    gains, errors, zeros = np.array([[-1.0, gain, 0.0]]), np.array([[0.0, error, 0.0]]), np.zeros((1, 3))
    usual, effective = np.array([2], np.int16), np.array([np.nan])
    values = search.Values(zeros, zeros, np.full((1, 3), 4), gains, errors, usual, effective)
    assert values.choice(1.0).tolist() == [chosen]


def test_better_half_stays_and_shares_the_remaining_deals():
    playouts = 7
    _, turns = decisions(get_game("jie-long"), 300, 14)
    values = make_agent(f"search:playouts={playouts}", "jie-long").values(turns)
    numbers = turns.masks.sum(1)
    assert {3, 4, 5, 6, 7, 8} <= set(numbers.tolist())
    for row, number in enumerate(numbers.tolist()):
        rounds, left, expected = max((number - 1).bit_length(), 1), number, np.zeros(number, int)
        for _ in range(rounds):
            expected[:left] += playouts * number // (rounds * left)
            left = (left + 1) // 2
        assert sorted(values.deals[row, turns.masks[row]], reverse=True) == expected.tolist()


@every_game
def test_losers_are_dropped_early_and_no_other_action_gets_their_deals(game):
    _, turns = decisions(game, 16, 3)
    agent = make_agent("search:playouts=96", game)
    values, numbers = agent.values(turns), turns.masks.sum(1).tolist()
    assert values.deals.sum() < 0.9 * 96 * turns.masks.sum()
    for row, number in enumerate(numbers):
        rounds = 1 if game.simultaneous else max((number - 1).bit_length(), 1)
        assert values.deals[row].max() <= search.most_deals(96 * number, rounds, number)


@pytest.mark.parametrize(
    ("better", "squares", "deals", "share", "left", "decided"),
    [
        ([0, -16, 1], [0, 48, 40], 16, 0.1, [0, 2], False),  # worse by 2.7 standard errors; level
        ([0, -8, 1], [0, 48, 40], 16, 0.1, [0, 1, 2], False),  # worse by 1.2
        ([0, -8, 1], [0, 48, 40], 16, 0.8, [0, 2], False),  # too late to become better by one
        ([0, -8, 1], [0, 48, 40], 16, 0.99, [0], True),
        ([0, -16, 0], [0, 48, 0], 16, 0.1, [0, 2], False),  # without a difference so far
        ([0, -16, 0], [0, 48, 0], 32, 0.2, [0], True),  # and now for good
        ([0, -16, 32], [0, 48, 80], 16, 0.1, [0, 2], True),  # better by 7.7
        ([0, -16, 32], [0, 48, 380], 16, 0.1, [0, 2], False),  # better by 1.8
        ([0, 32, 32], [0, 80, 80], 16, 0.1, [0, 1, 2], False),  # two that are
    ],
)
def test_search_ends_when_one_action_is_left_or_better_beyond_doubt(better, squares, deals, share, left, decided):
    totals, alive = np.zeros((3, 5)), np.ones(3, bool)
    totals[:, search.DEALS], totals[:, search.BETTER], totals[:, search.BETTER_SQUARES] = deals, better, squares
    search.drop_losers(alive, totals, 0, 1.0, share)
    assert np.flatnonzero(alive).tolist() == left
    assert search.is_decided(alive, totals, 0, search.DOUBT) == decided


@pytest.mark.parametrize(
    ("sums", "keep", "kept", "left"),
    [
        ([3.0, 1.0, 2.0, 0.0], 2, 0, [0, 2]),
        ([3.0, 1.0, 2.0, 0.0], 2, 3, [0, 3]),  # the heuristic's own stays, however bad
        ([3.0, 1.0, 2.0, 0.0], 3, 0, [0, 1, 2]),
        ([3.0, 1.0, 2.0, 0.0], 4, 0, [0, 1, 2, 3]),
        ([1.0, 1.0, 1.0, 1.0], 2, 3, [0, 3]),  # of equals the later ones go
        ([-3.0, -1.0, -2.0, 0.0], 1, 1, [1]),
    ],
)
def test_lowest_sums_are_left_out(sums, keep, kept, left):
    alive = np.array([True] * 4 + [False])
    search.leave_out(alive, np.array([*sums, -9.0]), keep, kept)
    assert np.flatnonzero(alive).tolist() == left


def test_gains_are_paired_over_the_same_deals():
    _, turns = decisions(get_game("jie-long"), 100, 2, **FORCED)
    values = make_agent("search:playouts=60", "jie-long", **FORCED).values(turns)
    met = (values.deals == values.deals.max(1, keepdims=True)) & turns.masks
    own = np.take_along_axis(values.means, values.usual[:, None].astype(int), 1)
    np.testing.assert_allclose(values.gains[met], (values.means - own)[met], atol=1e-9)
    others = met & (np.arange(met.shape[1]) != values.usual[:, None])
    assert np.median(values.gain_errors[others] / values.errors[others]) < 1.1  # luck of the deal cancels


@pytest.mark.parametrize(("first_playouts", "playouts"), [(0.5, 24), (0.25, 56), (2.5, FIRST_PLAYOUTS)])
def test_thinking_time_is_used(first_playouts, playouts, monkeypatch):
    """The first look of 8 playouts at 4 decisions tells how many fit into what is left of two seconds."""
    _, turns = decisions(get_game("jie-long"), 4, 2, **FORCED)
    agent = make_agent("search:seconds=0.5,threads=1", "jie-long", **FORCED)
    clock = iter((10, 10 + first_playouts))
    monkeypatch.setattr(search, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    found = agent.values(turns)
    known = make_agent(f"search:playouts={playouts},threads=1", "jie-long", **FORCED).values(turns)
    np.testing.assert_array_equal(found.deals, known.deals)
    np.testing.assert_array_equal(found.means, known.means)


def test_search_beats_the_heuristic_of_its_playouts():
    agent = make_agent("search:playouts=40,heuristic=variety", "jie-long", **FORCED)
    for name in ("greedy", "variety"):
        result = duel("jie-long", agent, make_agent(name, "jie-long", **FORCED), 100, seed=2, **FORCED)
        assert result.mean(0).low > 0


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("search:playouts=0", "playouts=0 is not allowed"),
        ("search:playouts=9999999", "playouts=9999999 is not allowed"),
        ("search:playouts=x", "'x' is not a number"),
        ("search:playouts=1.5", "playouts=1.5 is not allowed"),
        ("search:seconds=-1", "seconds=-1 is not allowed"),
        ("search:particles=0", "particles=0 is not allowed"),
        ("search:steady=nan", "steady=nan is not allowed"),
        ("search:threads=0", "threads=0 is not allowed"),
        ("search:infer=variety", "a belief needs a temperature"),
        ("search:deep=3", "'deep=3' is not a setting; they are heuristic, others, infer, belief, playouts"),
        ("search:heuristic=clever", "'clever' is not a player"),
    ],
)
def test_unknown_search_is_reported_in_one_line(spec, message):
    with pytest.raises(ValueError, match=message) as caught:
        make_agent(spec, "jie-long")
    assert "\n" not in str(caught.value)


def test_heuristic_of_a_search_may_be_any():
    spec = "search:playouts=3,heuristic=variety+attack_2=40,pips=1"
    game, expected = get_game("jie-long"), make_agent("variety+attack_2=40,pips=1", "jie-long").weights
    np.testing.assert_array_equal(make_agent(spec, game).heuristics, [expected, expected])
    agent = make_agent(f"{spec},others=greedy,infer=greedy+double=2,pips=3@4,threads=2", game)
    np.testing.assert_array_equal(agent.heuristics, [expected, make_agent("greedy", game).weights])
    np.testing.assert_array_equal(agent.infer, make_agent("greedy+double=2,pips=3@4", game).weights)
    assert (agent.plan.playouts, agent.plan.threads) == (3, 2)


# --- against exact values, on decks small enough to search all play --------------------------------

TEMPERATURE = {
    "jie-long": 3.0,
    "ce-deng": 3.0,
    "ding-niu": 3.0,
    "da-ling": 3.0,
    "tiu-u": 8.0,
    "small-mahjong": 60.0,
    "tien-gow": 2.0,
    "deer-hunt": 4.0,
    "shi-wu-hu": 30.0,
}


def exact_scores(tree: GameTree, policy: np.ndarray, best: bool = False) -> np.ndarray:
    """What each sequence is worth in chips, when all go on by a policy, or its own seat by a best response."""
    one_chip = dataclasses.replace(tree, payoffs=np.ones_like(tree.payoffs))
    score, reach = tree.weighted_payoffs(policy), one_chip.weighted_payoffs(policy)
    tree.pass_back(score, None if best else policy)
    one_chip.pass_back(reach, policy)
    with np.errstate(invalid="ignore"):  # where nobody plays to
        return score / reach


@pytest.mark.parametrize("name", ["jie-long", "ce-deng", "small-mahjong"])
def test_right_belief_gives_exact_values_on_a_tiny_deck(name):
    game = get_game(name)
    tree = tiny_tree(name)
    heated = f"greedy@{TEMPERATURE[name]}"
    policy = tree.policy([make_agent(heated, game, **game.variant.tiny_options())] * tree.players)
    scores = exact_scores(tree, policy)
    sets = np.flatnonzero(tree.batch.masks.sum(1) > 1)
    sets = np.random.default_rng(3).choice(sets, min(15, len(sets)), replace=False)
    spec = f"search:playouts=3000,particles=3000,steady=0,heuristic={heated},others={heated},infer={heated}"
    values = make_agent(spec, game, **game.variant.tiny_options()).values(tree.batch.at(sets), halving=False)
    printed = 0
    for row, group in enumerate(sets):
        sequences = np.arange(tree.first[group], tree.first[group + 1])
        for sequence in sequences:
            action = tree.actions[sequence]
            spread = values.errors[row, action] * np.sqrt(values.deals[row, action])
            error = spread * np.sqrt(1 / values.deals[row, action] + 1 / values.effective[row])
            assert abs(values.means[row, action] - scores[sequence]) <= 5 * error + 0.02
            printed += error < 0.2
    assert printed > 10  # figures that are told within a fifth of a chip
