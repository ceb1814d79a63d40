"""What every game keeps in every variant, over hundreds of random deals in each."""

import dataclasses

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env import GAMES, Lanes
from gupai_env.core.illegal import IllegalActionError
from gupai_env.core.lanes import WAIT
from gupai_env.core.rng import derive
from gupai_env.core.tiles import KINDS
from variants import PAIR_NAMES, PAIRS
from walks import Walk, encoded, lanes_of, play_out, random_walk, sample, set_up, views_of

LANES, STEPS = 400, 50  # most deals end within these steps, and lanes begin another
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


@pytest.fixture(scope="module", params=PAIRS, ids=PAIR_NAMES)
def walk(request):
    game, variant = request.param
    return random_walk(game, variant, LANES, STEPS, seed=11)


def test_no_tile_appears_or_disappears(walk: Walk):
    adapter = ADAPTERS[walk.game.id]
    sets, deck = adapter.tile_sets(walk.states), adapter.deck_of(walk.variant)
    for kind in range(KINDS):
        assert ((sets >> (3 * kind) & 7).sum(-1) == deck >> (3 * kind) & 7).all()


def test_the_payoffs_of_a_deal_sum_to_zero_and_keep_their_bound(walk: Walk):
    assert np.abs(walk.payoffs.sum(-1)).max() < 1e-3
    assert 0 < np.abs(walk.payoffs).max() <= walk.game.payoff_bound(walk.variant)
    assert (walk.payoffs[..., walk.variant.players :] == 0).all()
    assert (walk.payoffs[~walk.over] == 0).all()


def test_a_seat_of_the_table_is_to_act_and_has_a_move(walk: Walk):
    assert walk.masks.any(-1).all()
    assert set(np.unique(walk.seats)) == set(range(walk.variant.players))
    np.testing.assert_array_equal(walk.seats, walk.states.to_act)


def test_an_observation_stays_within_its_layout(walk: Walk):
    assert (walk.observations >= walk.lanes.layout.low).all()
    assert (walk.observations <= walk.lanes.layout.high).all()


def test_an_observation_holds_nothing_but_the_view_of_the_seat_to_act(walk: Walk):
    states, seats, observations = walk.states[::5, :20], walk.seats[::5, :20], walk.observations[::5, :20]
    for seat in range(walk.variant.players):
        views = views_of(walk.lanes, states[seats == seat].view(np.recarray), seat)
        np.testing.assert_array_equal(encoded(walk.lanes, views), observations[seats == seat])


def test_every_masked_action_can_be_played(walk: Walk):
    adapter, positions = ADAPTERS[walk.game.id], walk.positions(200, seed=1)
    at, actions = set_up(walk.game, walk.variant, positions).masks.nonzero()
    tried = set_up(walk.game, walk.variant, positions[at])
    tried.step(actions)
    sets = adapter.tile_sets(tried.states)
    assert (sets.sum(-1) == adapter.deck_of(walk.variant)).all()
    assert (sets >= 0).all()  # a tile that was not held would leave a set below zero, or
    assert (sets & ~adapter.possible_bits(walk.variant) == 0).all()  # borrow from the next kind
    assert (tried.over | tried.masks.any(-1)).all()


def test_an_episode_ends_in_bounded_time_and_leaves_no_legal_action(walk: Walk):
    lanes = play_out(lanes_of(walk.game, walk.variant, LANES, seed=12, renew=False), 12)
    assert not lanes.masks.any()
    redealt = lanes.states.redeals if "redeals" in lanes.states.dtype.names else 0
    assert (lanes.states.moves <= walk.game.max_decisions * (1 + redealt)).all()


def test_every_seat_is_as_often_drawn_to_lead(walk: Walk):
    players, deals = walk.variant.players, 3000
    leaders = lanes_of(walk.game, walk.variant, deals, seed=3, observe=False).states.leader
    times = np.bincount(leaders, minlength=players)
    assert len(times) == players
    assert (np.abs(times - deals / players) < 5 * np.sqrt(deals / players)).all()


def test_a_deal_with_its_seats_renamed_is_seen_played_and_paid_alike(walk: Walk):
    game, players, adapter = walk.game, walk.variant.players, ADAPTERS[walk.game.id]
    seats = np.arange(players)
    knowledge = set(game.view.names or ()) - {"seat", "direction"}  # these name the table's seats
    for names, direction in [(np.roll(seats, 1), 1), (np.roll(seats, -1), 1), (seats[::-1], -1)]:
        deals = lanes_of(game, walk.variant, 60, seed=5).states
        renamed = adapter.renamed(game, deals, names, direction)
        table, other = set_up(game, walk.variant, deals), set_up(game, walk.variant, renamed)
        while not table.over.all():
            live = ~table.over
            np.testing.assert_array_equal(names[table.seats[live]], other.seats[live])
            np.testing.assert_array_equal(table.masks[live], other.masks[live])
            np.testing.assert_array_equal(table.observations[live], other.observations[live])
            mine, theirs = table.views()[0][live], other.views()[0][live]
            for field in knowledge:
                np.testing.assert_array_equal(mine[field], theirs[field])
            actions = sample(table, derive(5, int(table.states.moves.max())), adapter.chance)
            table.step(actions)
            other.step(actions)
            np.testing.assert_array_equal(table.payoffs[:, :players], other.payoffs[:, names])
            np.testing.assert_array_equal(table.over, other.over)


def test_the_fixed_leader_leads(walk: Walk):
    for seat in range(walk.variant.players):
        variant = dataclasses.replace(walk.variant, leader=seat)
        assert (lanes_of(walk.game, variant, 20, seed=1).states.leader == seat).all()


# Matches


@every_game
def test_a_match_pays_at_the_end_of_every_deal(game):
    lanes = Lanes(game, LANES, seed=13, deals=3, renew=False)
    won, paid = np.zeros_like(lanes.payoffs), np.zeros(LANES, int)
    while not lanes.over.all():
        live, deal = ~lanes.over, lanes.states.deal.copy()
        payoffs, over = lanes.step(lanes.sample(int(lanes.states.moves.max())))
        won += payoffs
        paid += live & (lanes.states.settled == 1)
        assert not payoffs[lanes.states.deal == deal].any()
        np.testing.assert_array_equal(lanes.states.deal, paid)
        np.testing.assert_array_equal(lanes.states.total, won)
        np.testing.assert_array_equal(over, paid == 3)
    assert np.abs(won).max() > np.abs(payoffs).max()


@every_game
def test_a_match_begins_with_the_deal_of_the_single_game_and_never_deals_it_again(game):
    adapter, lanes = ADAPTERS[game.id], Lanes(game, 50, seed=13, deals=3, renew=False)
    dealt = [adapter.tile_sets(lanes.states)]
    np.testing.assert_array_equal(dealt[0], adapter.tile_sets(Lanes(game, 50, seed=13).states))
    while not lanes.over.any():
        lanes.step(lanes.sample(int(lanes.states.moves.max())))
        begun = (lanes.states.settled == 1) & ~lanes.over
        dealt.append(adapter.tile_sets(lanes.states)[begun])
    assert len(np.unique(np.concatenate(dealt), axis=0)) == sum(map(len, dealt)) > 50


# Illegal actions


@every_game
def test_an_illegal_action_leaves_all_lanes_unchanged_and_is_named(game):
    lanes = Lanes(game, 5, seed=2)
    lanes.step(lanes.sample(1))
    before = [array.tobytes() for array in kept(lanes)]
    legal = lanes.sample(2)
    for lane, view in enumerate(lanes.views()[0]):
        forbidden = np.flatnonzero(~lanes.masks[lane])[lane : lane + 1].tolist()  # Da Ling: perhaps none
        for wrong in (*forbidden, -1, game.num_actions, -(10**9), 2**40):
            actions = legal.astype(np.int64)
            actions[lane] = wrong
            with pytest.raises(IllegalActionError) as error:
                lanes.step(actions)
            what = game.action_name(wrong, view) if wrong in forbidden else f"{wrong} is no action"
            assert f"lane {lane}, seat {lanes.seats[lane]}: " in str(error.value)
            assert what in str(error.value)
            assert game.action_name(legal[lane], view) in str(error.value) or "more" in str(error.value)
            assert [array.tobytes() for array in kept(lanes)] == before
    lanes.step(legal)


@every_game
def test_every_forbidden_action_is_refused(game):
    walk = random_walk(game, game.variant(), 1, 12, seed=4)
    for step in range(12):
        lanes = set_up(game, walk.variant, walk.states[step])
        for action in np.flatnonzero(~walk.masks[step, 0]):
            with pytest.raises(IllegalActionError):
                lanes.step([action])
        np.testing.assert_array_equal(lanes.states, walk.states[step])


@every_game
@pytest.mark.parametrize(
    "actions", [[0, 1], [[0, 1, 2]], [0.0, 0.0, 0.0], ["0", "0", "0"], [None] * 3, [True] * 3, 0, None]
)
def test_actions_that_are_not_one_integer_a_lane_are_refused(game, actions):
    lanes = Lanes(game, 3)
    before = lanes.states.tobytes()
    with pytest.raises(ValueError, match="one per lane"):
        lanes.step(actions)
    assert lanes.states.tobytes() == before


@every_game
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_actions_of_any_integer_dtype_are_played_alike(game, dtype):
    lanes, other = Lanes(game, 50, seed=6), Lanes(game, 50, seed=6)
    actions = lanes.sample(6)
    lanes.step(actions)
    other.step(actions.astype(dtype))
    np.testing.assert_array_equal(lanes.states, other.states)


@every_game
def test_a_lane_that_is_over_takes_any_action_and_stays_as_it_is(game):
    lanes = play_out(Lanes(game, 10, seed=7, renew=False), 7)
    before = lanes.states.tobytes()
    payoffs, over = lanes.step(np.full(10, -1))
    assert lanes.states.tobytes() == before
    assert not payoffs.any()
    assert over.all()


@every_game
def test_a_lane_that_waits_stays_as_it_is_beside_one_that_moves(game):
    lanes, other = Lanes(game, 10, seed=8), Lanes(game, 10, seed=8)
    for step in range(40):
        actions, before = lanes.sample(step), lanes.states[5:].copy()
        payoffs, over = lanes.step(np.where(np.arange(10) < 5, actions, WAIT))
        np.testing.assert_array_equal(lanes.states[5:], before)
        assert not payoffs[5:].any()
        assert not over[5:].any()
        other.step(np.concatenate([actions[:5], other.sample(step)[5:]]))
        np.testing.assert_array_equal(lanes.states[:5], other.states[:5])


@every_game
def test_lanes_that_skip_forced_decisions_play_them_like_lanes_that_do_not(game):
    quick, lanes = Lanes(game, 100, seed=9, deals=2, skip_forced=True), Lanes(game, 100, seed=9, deals=2)
    skipped = 0
    for step in range(60):
        actions = quick.sample(step)
        payoffs, over = quick.step(actions)
        slow_payoffs, slow_over = (array.copy() for array in lanes.step(actions))
        while True:
            goes_on = ~slow_over & (lanes.states.settled == 0)
            forced = goes_on & (lanes.masks.sum(1) == 1)
            if not forced.any():
                break
            skipped += forced.sum()
            more_payoffs, more_over = lanes.step(np.where(forced, lanes.masks.argmax(1), WAIT))
            slow_payoffs += more_payoffs
            slow_over |= more_over
        np.testing.assert_array_equal(payoffs, slow_payoffs)
        np.testing.assert_array_equal(over, slow_over)
        np.testing.assert_array_equal(quick.states, lanes.states)
        np.testing.assert_array_equal(quick.masks, lanes.masks)
        np.testing.assert_array_equal(quick.observations, lanes.observations)
    assert skipped > 100 or game.id == "da-ling"  # where everybody always has a choice


@pytest.mark.parametrize("num_lanes", [0, -1])
def test_there_is_at_least_one_lane(num_lanes):
    with pytest.raises(ValueError, match="it must be a whole number from 1 to"):
        Lanes("jie-long", num_lanes)


@pytest.mark.parametrize("seed", [-1, 2**63, 0.5, "1", True])
def test_a_seed_is_a_whole_number_below_two_to_the_63(seed):
    with pytest.raises(ValueError, match="a seed is a whole number"):
        Lanes("jie-long", 1, seed=seed)


def test_seeds_are_one_a_lane():
    with pytest.raises(ValueError, match="seeds must be 3 integers, one per lane"):
        Lanes("jie-long", 3).reset(seeds=[1, 2])


def kept(lanes: Lanes) -> list[np.ndarray]:
    """All that a refused step must leave alone."""
    names = ("states", "seats", "masks", "observations", "payoffs", "over", "episodes", "seeds")
    return [getattr(lanes, name) for name in names]
