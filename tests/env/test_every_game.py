"""What every game keeps in every variant, over hundreds of random deals in each."""

import dataclasses

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env import GAMES, VectorEnv
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS
from variants import PAIR_NAMES, PAIRS
from walks import Walk, encoded, envs_of, play_out, random_walk, sample, set_up, views_of

ENVS, STEPS = 200, 65  # most deals end within these steps, and lanes begin another
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)
def test_random_play_keeps_what_every_game_promises(game, variant):
    walk = random_walk(game, variant, ENVS, STEPS, seed=11)
    require_conserved_tiles(walk)
    require_bounded_payoffs(walk)
    require_turns_and_observations(walk)
    require_playable_actions(walk)
    require_an_end(walk)
    require_leaders(walk)
    require_equal_seats(walk)


def require_conserved_tiles(walk: Walk) -> None:
    adapter = ADAPTERS[walk.game.id]
    sets, deck = adapter.tile_sets(walk.states), adapter.deck_of(walk.variant)
    for kind in range(KINDS):
        assert ((sets >> (3 * kind) & 7).sum(-1) == deck >> (3 * kind) & 7).all()


def require_bounded_payoffs(walk: Walk) -> None:
    """The payoffs of a deal sum to zero and keep their bound."""
    total = walk.payoffs.sum(-1)
    assert np.abs(total).max() < 1e-3 if walk.variant.zero_sum else total.max() < 1e-3 and total.min() < -0.01
    assert 0 < np.abs(walk.payoffs).max() <= walk.game.payoff_bound(walk.variant)
    assert (walk.payoffs[..., walk.variant.players :] == 0).all()
    assert (walk.payoffs[~walk.terminated] == 0).all()


def require_turns_and_observations(walk: Walk) -> None:
    """The seat to act has a move; it observes what its view holds, within the layout."""
    assert walk.masks.any(-1).all()
    assert set(np.unique(walk.seats)) == set(range(walk.variant.players))
    np.testing.assert_array_equal(walk.seats, walk.states.to_act)
    assert (walk.observations >= walk.envs.layout.low).all()
    assert (walk.observations <= walk.envs.layout.high).all()
    states, seats, observations = walk.states[::5, :20], walk.seats[::5, :20], walk.observations[::5, :20]
    for seat in range(walk.variant.players):
        views = views_of(walk.envs, states[seats == seat].view(np.recarray), seat)
        np.testing.assert_array_equal(encoded(walk.envs, views), observations[seats == seat])


def require_playable_actions(walk: Walk) -> None:
    """Every masked action can be played."""
    adapter, positions = ADAPTERS[walk.game.id], walk.positions(200, seed=1)
    at, actions = set_up(walk.game, walk.variant, positions).masks.nonzero()
    tried = set_up(walk.game, walk.variant, positions[at])
    tried.step(actions)
    sets = adapter.tile_sets(tried.states)
    assert (sets.sum(-1) == adapter.deck_of(walk.variant)).all()
    assert (sets >= 0).all()  # a tile that was not held would leave a set below zero, or
    assert (sets & ~adapter.possible_bits(walk.variant) == 0).all()  # borrow from the next kind
    assert (tried.terminated | tried.masks.any(-1)).all()


def require_an_end(walk: Walk) -> None:
    """An episode ends in bounded time and leaves no legal action."""
    envs = play_out(envs_of(walk.game, walk.variant, ENVS, seed=12, renew=False), 12)
    assert not envs.masks.any()
    redealt = envs.states.redeals if "redeals" in envs.states.dtype.names else 0
    assert (envs.states.moves <= walk.game.max_decisions * (1 + redealt)).all()


def require_leaders(walk: Walk) -> None:
    """All seats are drawn to lead equally often; a fixed leader leads."""
    players, deals = walk.variant.players, 3000
    leaders = envs_of(walk.game, walk.variant, deals, seed=3, observe=False).states.leader
    times = np.bincount(leaders, minlength=players)
    assert len(times) == players
    assert (np.abs(times - deals / players) < 5 * np.sqrt(deals / players)).all()
    for seat in range(players):
        variant = dataclasses.replace(walk.variant, leader=seat)
        assert (envs_of(walk.game, variant, 20, seed=1).states.leader == seat).all()


def require_equal_seats(walk: Walk) -> None:
    """A deal with its seats renamed is seen and paid alike."""
    game, players, adapter = walk.game, walk.variant.players, ADAPTERS[walk.game.id]
    seats = np.arange(players)
    knowledge = set(game.view.names or ()) - {"seat", "direction"}  # these name the table's seats
    for names, direction in [(np.roll(seats, 1), 1), (np.roll(seats, -1), 1), (seats[::-1], -1)]:
        deals = envs_of(game, walk.variant, 25, seed=5).states
        renamed = adapter.renamed(game, deals, names, direction)
        table, other = set_up(game, walk.variant, deals), set_up(game, walk.variant, renamed)
        while not table.terminated.all():
            live = ~table.terminated
            assert np.array_equal(names[table.seats[live]], other.seats[live])
            assert np.array_equal(table.masks[live], other.masks[live])
            assert np.array_equal(table.observations[live], other.observations[live])
            mine, theirs = (each.views()[0].view(np.ndarray)[live] for each in (table, other))
            for field in knowledge:
                assert np.array_equal(mine[field], theirs[field]), field
            actions = sample(table, derive(5, int(table.states.moves.max())), adapter.chance)
            table.step(actions)
            other.step(actions)
            assert np.array_equal(table.rewards[:, :players], other.rewards[:, names])
            assert np.array_equal(table.terminated, other.terminated)


# Matches


@every_game
def test_match_pays_at_the_end_of_every_deal(game):
    envs = VectorEnv(game, ENVS, seed=13, deals=3, renew=False)
    won, paid = np.zeros_like(envs.rewards), np.zeros(ENVS, int)
    while not envs.terminated.all():
        live, deal = ~envs.terminated, envs.states.deal.copy()
        payoffs, terminated = envs.step(envs.sample(int(envs.states.moves.max())))
        won += payoffs
        paid += live & (envs.states.settled == 1)
        assert not payoffs[envs.states.deal == deal].any()
        np.testing.assert_array_equal(envs.states.deal, paid)
        np.testing.assert_array_equal(envs.states.total, won)
        np.testing.assert_array_equal(terminated, paid == 3)
    assert np.abs(won).max() > np.abs(payoffs).max()


@every_game
def test_match_begins_with_the_single_deal_and_never_repeats_it(game):
    adapter, envs = ADAPTERS[game.id], VectorEnv(game, 50, seed=13, deals=3, renew=False)
    dealt = [adapter.tile_sets(envs.states)]
    np.testing.assert_array_equal(dealt[0], adapter.tile_sets(VectorEnv(game, 50, seed=13).states))
    while not envs.terminated.any():
        envs.step(envs.sample(int(envs.states.moves.max())))
        begun = (envs.states.settled == 1) & ~envs.terminated
        dealt.append(adapter.tile_sets(envs.states)[begun])
    assert len(np.unique(np.concatenate(dealt), axis=0)) == sum(map(len, dealt)) > 50
