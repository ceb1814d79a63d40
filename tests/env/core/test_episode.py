"""Dealing: an episode begins alike wherever it is dealt, and no deal of a match is dealt a second time."""

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_agents.players import search
from gupai_env import GAMES, VectorEnv, get_game
from gupai_env.core.deal import Deal
from gupai_env.core.episode import NOBODY, clearing, noise_key, start, state_dtype
from gupai_env.core.rng import derive, shuffle
from gupai_env.core.streams import NOISE_STREAM
from gupai_env.core.tiles import MOST_TILES
from gupai_env.games.ce_deng.rules import REDEAL
from variants import VARIANTS
from walks import encoded, random_walk, set_up, views_of

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@every_game
def test_episode_begins_alike_on_cleared_and_used_tables(game):
    variant = game.variant(deals=2)
    rules, used = (variant.as_rules(), random_walk(game, variant, 20, 60, seed=3).positions(40, 3))
    used.payoff[:], used.total[:], used.settled, used.terminated = 7, 9, 1, 1
    fresh = game.new_states(len(used))
    for number, (one, other) in enumerate(zip(used, fresh, strict=True)):
        start(game.module, rules, one, number)
        start(game.module, rules, other, number)
    for field in ("seed", "moves", "deal", "leader", "direction", "to_act", "terminated", "settled", "payoff", "total"):
        np.testing.assert_array_equal(used[field], fresh[field], field)
    tables = [set_up(game, variant, states) for states in (used, fresh)]
    np.testing.assert_array_equal(tables[0].masks, tables[1].masks)
    for seat in range(variant.players):
        views = [views_of(table, table.states, seat) for table in tables]
        np.testing.assert_array_equal(*views)
        np.testing.assert_array_equal(*(encoded(tables[0], each) for each in views))
    rng_keys = [derive(1, at) for at in range(60)]
    while not tables[0].terminated.all():  # and what is played and paid later does not depend on it either
        actions = tables[0].sample(rng_keys.pop())
        payoffs = [table.step(actions)[0] for table in tables]
        np.testing.assert_array_equal(*payoffs)
        np.testing.assert_array_equal(tables[0].masks, tables[1].masks)
        rng_keys = rng_keys or [derive(2, at) for at in range(400)]


@every_game
def test_empty_state_marks_nobody_like_a_dealt_one(game):
    """A state that is set up by hand begins so: 0 would be a seat."""
    dealt, (empty,) = VectorEnv(game, 100, seed=8).states, game.new_states(1)
    vacant = [name for name in game.state.names if (dealt[name] == NOBODY).all()]
    assert vacant
    for name in vacant:
        assert (empty[name] == NOBODY).all(), name
    garbage = game.new_states(1)
    garbage.view(np.uint8)[:] = 3
    clearing(game.state)(garbage[0])
    for name in {*game.state.names} - {*state_dtype(game.max_seats).names}:
        np.testing.assert_array_equal(garbage[name][0], empty[name], name)


@every_game
def test_moves_count_the_decisions_of_a_match_and_chance_is_new(game):
    envs = VectorEnv(game, 20, seed=4, deals=2, renew=False)
    rng_keys, decisions, steps = set(), 0, 0
    while not envs.terminated.any():
        assert (envs.states.moves == steps).all()
        seats = envs.seats.copy()
        for state, seat in zip(envs.states, seats, strict=True):
            assert noise_key(state) == derive(derive(state.seed, NOISE_STREAM + int(seat)), steps)
            rng_keys.add(noise_key(state))
        decisions, steps = decisions + len(envs.states), steps + 1
        envs.step(envs.sample(steps))
    assert len(rng_keys) == decisions


@every_game
def test_match_deals_are_shuffles_by_keys_of_their_own(game):
    envs = VectorEnv(game, 10, seed=5, deals=3, renew=False)
    while not envs.terminated.any():
        begun = envs.states.moves == 0 if not envs.states.moves.any() else envs.states.settled == 1
        for state in envs.states[begun & ~envs.terminated]:
            order = game.deck(envs.rules).copy()
            shuffle(order, derive(state.seed, int(state.deal)))
            again = state.copy()
            game.deal_from(envs.rules, again, order)
            np.testing.assert_array_equal(*(ADAPTERS[game.id].tile_sets(np.array([each])) for each in (again, state)))
        envs.step(envs.sample(int(envs.states.moves.max())))


def test_redeals_of_ce_deng_are_unlike_all_deals_of_the_match():
    """Of one match: the orders of its first 40 deals, and of five redeals in each of its first 8."""
    game, seed = get_game("ce-deng"), 6
    deal, dealt = Deal(game, game.variant(deals=1000, redeal_doubles=6)), []
    deal.start(seed)
    state = deal.state
    for number in range(40):
        state.deal = number
        order = game.deck(deal.rules).copy()
        shuffle(order, derive(seed, number))
        game.deal_from(deal.rules, state, order)
        dealt.append(tuple(state.hands))
        for redeals in range(5 if number < 8 else 0):
            state.rights = 1 << state.to_act
            deal.advance(REDEAL)
            assert (state.redeals, state.deal) == (redeals + 1, number)
            dealt.append(tuple(state.hands))
    assert len(set(dealt)) == len(dealt) == 40 + 8 * 5


def test_decks_fit_the_memory_of_loops():
    decks = [len(game.deck(variant.as_rules())) for game, variant in VARIANTS]
    assert max(decks) <= MOST_TILES == search.MOST_TILES
