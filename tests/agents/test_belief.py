"""Learned beliefs: they know what a view shows, weigh what it allows, and are uniform where nothing was learned."""

from collections import Counter

import numpy as np
import pytest

from gupai_agents import DecisionBatch, make_agent
from gupai_agents.agent import origin_of
from gupai_agents.belief import Belief, Inputs, drawn, hidden, hidden_fields, learned_belief, likelihoods
from gupai_agents.networks.checkpoint import BELIEF, identity, read_header, write_checkpoint
from gupai_agents.networks.network import tensor_shapes
from gupai_agents.play.decisions import decisions, resume_lanes
from gupai_agents.play.replays import moves_since
from gupai_agents.players.search import Plan, SearchAgent
from gupai_agents.shipped import BELIEFS, networks
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.kernels import WAIT
from gupai_env.core.keys import derive_each
from gupai_env.core.rng import derive
from gupai_env.core.streams import DEAL_STREAM
from gupai_env.core.tiles import KINDS, tiles_in
from gupai_env.deals import all_deals

NET = {"type": "mlp", "hidden": [8], "activation": "relu"}
SHIPPED = [(game, file) for game in GAMES.values() for file, _ in networks(game.id, BELIEFS)]
some_games = pytest.mark.parametrize(
    "game", [get_game(name) for name in ("jie-long", "tiu-u", "small-mahjong", "tien-gow")], ids=lambda game: game.id
)


def tensors(game, variant, scale=1.0):
    """Random weights of a belief, of a network without a bias."""
    places = len(hidden_fields(game)) * (variant.players - 1)
    rng = np.random.default_rng(3)
    shapes = tensor_shapes(NET, len(Inputs(game, variant).high), places * KINDS)
    return {name: (scale * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes.items()}


def random_belief(game, scale=1.0):
    return Belief(game, game.variant(), NET, tensors(game, game.variant(), scale))


def variant_of(game, file):
    """The variant that a belief which ships was learned for."""
    rules = read_header(file)["rules"].items()
    return game.variant.make(**{name: tuple(value) if isinstance(value, list) else value for name, value in rules})


def under_way(game, number, moves, seed=5, **options):
    """Deals after some random moves, and the decisions there."""
    envs = VectorEnv(game, number, seed=seed, renew=False, **options)
    for move in range(moves):
        envs.step(envs.sample(move))
    going = np.flatnonzero(~envs.terminated)
    views, rng_keys = envs.views(going)
    return envs.states[going], DecisionBatch(views, envs.masks[going], rng_keys)


@pytest.mark.parametrize(("game", "file"), SHIPPED, ids=lambda value: getattr(value, "stem", value))
def test_belief_knows_nothing_that_the_view_hides(game, file):
    variant = variant_of(game, file)
    belief = learned_belief(game, variant)
    states, batch = under_way(game, 6, 11, **variant.changed())
    twins = drawn(game, variant, batch.views, np.arange(len(states)))
    assert (np.asarray(twins)["hands"] != states["hands"]).any()
    seen = np.zeros(len(states), game.view).view(np.recarray)
    envs = VectorEnv(game, len(states), renew=False, **variant.changed())
    for row in range(len(states)):
        envs.states[:] = twins[row]
        one = np.zeros(len(states), game.view).view(np.recarray)
        envs.kernels.view_of(envs.rules, envs.states, int(batch.views.seat[row]), one)
        seen[row] = one[0]
    np.testing.assert_array_equal(belief.inputs.of(seen), belief.inputs.of(batch.views))
    for row in range(2):
        np.testing.assert_array_equal(belief.held(seen[row : row + 1], 50), belief.held(batch.views[row : row + 1], 50))


@some_games
def test_hidden_tiles_are_those_of_others_by_place(game):
    states, batch = under_way(game, 8, 9)
    players = game.variant().players
    counts = hidden(game, game.variant(), states, batch.views.seat).reshape(len(states), -1, KINDS)
    for state, seat, placed in zip(states, batch.views.seat, counts, strict=True):
        others = [(int(seat) + turn) % players for turn in range(1, players)]
        piles = [tiles_in(int(state[name][other])) for name in hidden_fields(game) for other in others]
        assert [sorted(np.repeat(np.arange(KINDS), place)) for place in placed] == [sorted(pile) for pile in piles]


@some_games
def test_replayed_moves_lead_to_the_same_deal(game):
    states, _ = under_way(game, 8, 10)
    begun, actions, seats = moves_since(game, game.variant(), states)
    envs = VectorEnv(game, len(states), renew=False)
    envs.states[:] = begun
    envs.refresh()
    for played, mover in zip(actions.T, seats.T, strict=True):
        assert (envs.seats == mover)[played != WAIT].all()
        envs.step(played.astype(np.int64))
    assert (actions != WAIT).sum() > 0
    for name in ("hands", "to_act", *hidden_fields(game)):
        np.testing.assert_array_equal(envs.states[name], states[name])


@some_games
def test_where_nothing_was_learned_all_deals_are_alike(game):
    belief = random_belief(game, scale=0.0)
    _, batch = under_way(game, 4, 8)
    logs = np.ones((len(batch.views), 30))
    belief.weigh(batch.views, batch.rng_keys, logs)
    assert not logs.any()


def test_search_meets_the_deals_that_a_belief_finds_likely():
    game = get_game("jie-long")
    _, batch = under_way(game, 6, 14)
    heuristic = game.heuristic("greedy")
    sharp, flat, without = (
        SearchAgent(game, game.variant(), "search", heuristic, belief=belief, plan=Plan(playouts=20, particles=60))
        for belief in (random_belief(game, 3.0), random_belief(game, 0.0), None)
    )
    values, alike, plain = (agent.values(batch) for agent in (sharp, flat, without))
    assert (values.effective < 20).all() and alike.effective == pytest.approx(60)
    assert np.isnan(plain.effective).all() and np.nanmax(np.abs(values.means - alike.means)) > 0
    with pytest.raises(ValueError, match="two beliefs"):
        SearchAgent(game, game.variant(), "search", heuristic, belief=random_belief(game), infer=heuristic)


def test_deals_are_the_likelier_the_more_their_hidden_tiles_weigh():
    game = get_game("jie-long")
    belief, (_, batch) = random_belief(game), under_way(game, 2, 9)
    logs = np.zeros((len(batch.views), 30))
    belief.weigh(batch.views, batch.rng_keys, logs)
    for row, key in enumerate(batch.rng_keys):
        view = batch.views[row : row + 1]
        deals = drawn(game, game.variant(), view, derive_each(derive(int(key), DEAL_STREAM), 0, 30))
        counts = hidden(game, game.variant(), deals, view.seat.repeat(30))
        weighed = [sum(belief.weights(view)[0] * deal) for deal in counts]
        np.testing.assert_allclose(logs[row], weighed, rtol=1e-4, atol=1e-4)
    assert np.ptp(logs, axis=1).min() > 0.1


def test_weights_move_probabilities_to_the_place_they_are_for():
    game = get_game("deer-hunt")
    belief = random_belief(game, 0.0)
    _, batch = under_way(game, 1, 8)
    view = batch.views[:1]
    kind = max(tiles_in(int(view.unseen[0])))
    before = belief.held(view)
    belief.layers[-1].linear.bias[KINDS + kind] = 3.0
    after = belief.held(view)
    assert after[1, kind] > before[1, kind] + 0.3 and after[0, kind] < before[0, kind]
    assert 0.1 < before[1, kind] < 0.9


def test_course_of_a_deal_shows_what_the_seat_saw():
    game = get_game("jie-long")
    envs = VectorEnv(game, 1, seed=8, renew=False)
    seen, played = [], []
    for move in range(12):
        seen.append(np.zeros(1, game.view).view(np.recarray))
        envs.kernels.view_of(envs.rules, envs.states, 2, seen[-1])
        if move < 11:
            action = envs.sample(move)
            played.append((int(envs.seats[0]), int(action[0])))
            envs.step(action)
    seats, actions, views = random_belief(game).course(seen[-1])
    for name in ("unseen", "played", "sizes", "ends"):
        np.testing.assert_array_equal(views[name], np.concatenate([view[name] for view in seen]), name)
    open_moves = [move for move, (seat, action) in enumerate(played) if not game.moves[action].discards]
    assert [(int(seats[move]), int(actions[move])) for move in open_moves] == [played[move] for move in open_moves]


@pytest.mark.parametrize("name", ["jie-long", "ce-deng"])
def test_deals_weighed_by_the_moves_of_others_are_the_posterior_of_a_tiny_deck(name):
    """Against the true posterior: all deals that there are, played by the same player up to the same view."""
    game, some, judged = get_game(name), 3000, 0
    options = game.variant.tiny_options()
    variant, agent = game.variant.make(**options), make_agent("greedy", game, **options)
    deals = all_deals(game, **options)
    envs = resume_lanes(game, variant, deals.states)
    for move, now in enumerate(decisions(envs, [agent])):
        alike = {}
        for row, view in enumerate(now.batch.views):
            alike.setdefault(str(view), []).append(row)
        for rows in sorted(alike.values(), key=len)[-2:] if move else ():  # nobody has moved before the first
            view, lanes = now.batch.views[rows[:1]], now.rows[rows]
            states = drawn(game, variant, view, derive_each(move, 0, some))
            likely = likelihoods(game, variant, agent, states, int(view.seat[0]))
            exact, found = Counter(), Counter()
            parts = (exact, envs.states[lanes], deals.probabilities[lanes]), (found, states, likely)
            for counter, dealt, weights in parts:
                placed = hidden(game, variant, dealt, view.seat.repeat(len(dealt)))
                for tiles, weight in zip(placed, weights / weights.sum(), strict=True):
                    counter[tiles.tobytes()] += weight
            effective = likely.sum() ** 2 / (likely**2).sum()
            for tiles in exact | found:
                error = (exact[tiles] * (1 - exact[tiles]) / effective) ** 0.5
                assert abs(found[tiles] - exact[tiles]) <= 5 * error + 1e-9
            judged += len(exact) > 1
    assert judged > 5


def test_belief_is_refused_where_it_does_not_fit(tmp_path):
    game, other = get_game("jie-long"), get_game("deer-hunt")
    file = tmp_path / "belief.safetensors"
    header = {**identity(game, game.variant()), "kind": BELIEF, "net": NET}
    write_checkpoint(file, header, tensors(game, game.variant()))
    assert Belief.load(file, game, game.variant()).file == file
    for wrong, problem in ((other, "made for game 'jie-long'"), (game, "trained with forced_play=False")):
        with pytest.raises(ValueError, match=problem):
            Belief.load(file, wrong, wrong.variant(**({"forced_play": True} if wrong is game else {})))
    with pytest.raises(ValueError, match="not a player, but of kind 'belief'"):
        make_agent(f"checkpoint:{file}", game)
    write_checkpoint(file, {**header, "kind": "player"}, tensors(game, game.variant()))
    with pytest.raises(ValueError, match="not a belief, but of kind 'player'"):
        Belief.load(file, game, game.variant())
    with pytest.raises(ValueError, match="no moves are seen"):
        Belief(get_game("da-ling"), get_game("da-ling").variant(), NET, {})


@pytest.mark.parametrize(("game", "file"), SHIPPED, ids=lambda value: getattr(value, "stem", value))
def test_shipped_belief_can_be_searched_by(game, file):
    variant = variant_of(game, file)
    assert learned_belief(game, variant).file == file
    envs = VectorEnv(game, 2, seed=4, **variant.changed())
    for move in range(6):
        envs.step(envs.sample(move))
    views, rng_keys = envs.views()
    batch = DecisionBatch(views, envs.masks, rng_keys)
    agent = make_agent("search:playouts=4,particles=40,belief=learned", game, **variant.changed())
    assert (agent.values(batch).effective < 39.9).any() and origin_of(agent).files == (file,)


def test_search_by_a_belief_is_refused_in_one_line():
    for spec, problem in (
        ("search:belief=guessed", "belief is learned, not 'guessed'"),
        ("search:belief=learned", "no learned belief ships for da-ling"),
    ):
        with pytest.raises(ValueError, match=problem):
            make_agent(spec, "da-ling")
