"""What every game keeps in every variant, over hundreds of random deals in each."""

import dataclasses

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env import GAMES, VectorEnv
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.kernels import WAIT
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS
from variants import PAIR_NAMES, PAIRS
from walks import Walk, encoded, envs_of, play_out, random_walk, sample, set_up, views_of

ENVS, STEPS = 400, 65  # most deals end within these steps, and lanes begin another
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
        deals = envs_of(game, walk.variant, 60, seed=5).states
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


# Illegal actions


@every_game
def test_illegal_action_is_named_and_leaves_all_lanes_unchanged(game):
    envs = VectorEnv(game, 5, seed=2)
    envs.step(envs.sample(1))
    before = [array.tobytes() for array in kept(envs)]
    legal = envs.sample(2)
    for lane, view in enumerate(envs.views()[0]):
        forbidden = np.flatnonzero(~envs.masks[lane])[lane : lane + 1].tolist()  # Da Ling: perhaps none
        for wrong in (*forbidden, -1, game.num_actions, -(10**9), 2**40):
            actions = legal.astype(np.int64)
            actions[lane] = wrong
            with pytest.raises(IllegalActionError) as error:
                envs.step(actions)
            what = game.action_name(wrong, view) if wrong in forbidden else f"{wrong} is not an action"
            assert f"lane {lane}, seat {envs.seats[lane]}: " in str(error.value)
            assert what in str(error.value)
            assert game.action_name(legal[lane], view) in str(error.value) or "more" in str(error.value)
            assert [array.tobytes() for array in kept(envs)] == before
    envs.step(legal)


@every_game
def test_forbidden_actions_are_all_refused(game):
    walk = random_walk(game, game.variant(), 1, 12, seed=4)
    for step in range(12):
        envs = set_up(game, walk.variant, walk.states[step])
        for action in np.flatnonzero(~walk.masks[step, 0]):
            with pytest.raises(IllegalActionError):
                envs.step([action])
        np.testing.assert_array_equal(envs.states, walk.states[step])


@every_game
def test_actions_other_than_one_integer_per_lane_are_refused(game):
    envs = VectorEnv(game, 3)
    before = envs.states.tobytes()
    for actions in ([0, 1], [[0, 1, 2]], [0.0, 0.0, 0.0], ["0", "0", "0"], [None] * 3, [True] * 3, 0, None):
        with pytest.raises(ValueError, match="one per lane"):
            envs.step(actions)
        assert envs.states.tobytes() == before, actions


@every_game
def test_actions_of_any_integer_dtype_are_played_alike(game):
    envs = VectorEnv(game, 50, seed=6)
    actions = envs.sample(6)
    envs.step(actions)
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        other = VectorEnv(game, 50, seed=6)
        other.step(actions.astype(dtype))
        np.testing.assert_array_equal(envs.states, other.states, dtype)


@every_game
def test_finished_lane_takes_any_action_unchanged(game):
    envs = play_out(VectorEnv(game, 10, seed=7, renew=False), 7)
    before = envs.states.tobytes()
    payoffs, terminated = envs.step(np.full(10, -1))
    assert envs.states.tobytes() == before
    assert not payoffs.any()
    assert terminated.all()


@every_game
def test_waiting_lane_stays_unchanged_next_to_a_moving_one(game):
    envs, other = VectorEnv(game, 10, seed=8), VectorEnv(game, 10, seed=8)
    for step in range(40):
        actions, before = envs.sample(step), envs.states[5:].copy()
        payoffs, terminated = envs.step(np.where(np.arange(10) < 5, actions, WAIT))
        np.testing.assert_array_equal(envs.states[5:], before)
        assert not payoffs[5:].any()
        assert not terminated[5:].any()
        other.step(np.concatenate([actions[:5], other.sample(step)[5:]]))
        np.testing.assert_array_equal(envs.states[:5], other.states[:5])


@every_game
def test_lanes_skip_forced_decisions_by_playing_them(game):
    quick, envs = VectorEnv(game, 100, seed=9, deals=2, skip_forced=True), VectorEnv(game, 100, seed=9, deals=2)
    skipped = 0
    for step in range(60):
        actions = quick.sample(step)
        payoffs, terminated = quick.step(actions)
        slow_payoffs, slow_over = (array.copy() for array in envs.step(actions))
        while True:
            goes_on = ~slow_over & (envs.states.settled == 0)
            forced = goes_on & (envs.masks.sum(1) == 1)
            if not forced.any():
                break
            skipped += forced.sum()
            more_payoffs, more_over = envs.step(np.where(forced, envs.masks.argmax(1), WAIT))
            slow_payoffs += more_payoffs
            slow_over |= more_over
        np.testing.assert_array_equal(payoffs, slow_payoffs)
        np.testing.assert_array_equal(terminated, slow_over)
        np.testing.assert_array_equal(quick.states, envs.states)
        np.testing.assert_array_equal(quick.masks, envs.masks)
        np.testing.assert_array_equal(quick.observations, envs.observations)
    assert skipped > 100 or game.simultaneous  # where everybody always has a choice


@pytest.mark.parametrize("num_envs", [0, -1])
def test_lanes_are_at_least_one(num_envs):
    with pytest.raises(ValueError, match="it must be a whole number from 1 to"):
        VectorEnv("jie-long", num_envs)


@pytest.mark.parametrize("seed", [-1, 2**63, 0.5, "1", True])
def test_seed_is_a_whole_number_below_two_to_the_63(seed):
    with pytest.raises(ValueError, match="a seed is a whole number"):
        VectorEnv("jie-long", 1, seed=seed)


def test_seeds_are_one_per_lane():
    with pytest.raises(ValueError, match="seeds must be 3 integers, one per lane"):
        VectorEnv("jie-long", 3).reset(seeds=[1, 2])


def kept(envs: VectorEnv) -> list[np.ndarray]:
    """All that a refused step must leave alone."""
    names = ("states", "seats", "masks", "observations", "rewards", "terminated", "episodes", "seeds")
    return [getattr(envs, name) for name in names]
