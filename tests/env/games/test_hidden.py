"""What a seat may know, in every variant of every game: its view leaks nothing, and deals drawn from it are fair."""

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env.core.rng import derive
from gupai_env.core.tiles import CARRYING
from variants import PAIR_NAMES, PAIRS, VARIANTS, name_of
from walks import Walk, encoded, play_out, random_walk, set_up, views_of

CHECKED = 300  # positions of a walk, each seen by every seat


@pytest.fixture(scope="module", params=PAIRS, ids=PAIR_NAMES)
def walk(request):
    game, variant = request.param
    return random_walk(game, variant, 300, 40, seed=21)


def redealt(walk: Walk, states: np.recarray, seat: int, seed: int = 0) -> np.recarray:
    """The states with all that a seat cannot know drawn again."""
    drawn = walk.game.new_states(len(states))
    rng_keys = np.array([derive(seed, at) for at in range(len(states))])
    walk.envs.kernels.determinize(walk.envs.rules, views_of(walk.envs, states, seat), rng_keys, drawn)
    return drawn


def test_view_survives_redealing_what_it_hides(walk: Walk):
    positions = walk.positions(CHECKED, seed=1)
    envs = set_up(walk.game, walk.variant, positions)
    for seat in range(walk.variant.players):
        drawn = redealt(walk, positions, seat)
        views = views_of(walk.envs, positions, seat)
        np.testing.assert_array_equal(views_of(walk.envs, drawn, seat), views)
        again = set_up(walk.game, walk.variant, drawn)
        own = envs.seats == seat
        np.testing.assert_array_equal(again.seats[own], envs.seats[own])
        np.testing.assert_array_equal(again.masks[own], envs.masks[own])
        np.testing.assert_array_equal(again.observations[own], envs.observations[own])
        np.testing.assert_array_equal(encoded(walk.envs, views)[own], envs.observations[own])


def test_redealt_position_is_live_and_can_be_played_to_the_end(walk: Walk):
    adapter, positions = ADAPTERS[walk.game.id], walk.positions(CHECKED, seed=2)
    deck = adapter.deck_of(walk.variant)
    for seat in range(walk.variant.players):
        drawn = redealt(walk, positions, seat)
        assert (adapter.tile_sets(drawn).sum(-1) == deck).all()
        assert (adapter.tile_sets(drawn) & ~adapter.possible_bits(walk.variant) == 0).all()
        assert not drawn.terminated.any()
        envs = set_up(walk.game, walk.variant, drawn)
        assert envs.masks.any(1).all()
        envs = play_out(envs, seed=2)
        assert (adapter.tile_sets(envs.states).sum(-1) == deck).all()
        assert not walk.variant.zero_sum or np.abs(envs.states.payoff.sum(-1)).max() < 1e-3


def test_redealing_is_a_function_of_view_and_key(walk: Walk):
    adapter, positions = ADAPTERS[walk.game.id], walk.positions(CHECKED, seed=7)
    for seat in range(walk.variant.players):
        drawn = redealt(walk, positions, seat, seed=1)
        np.testing.assert_array_equal(redealt(walk, positions, seat, seed=1), drawn)
        tiles, other = adapter.tile_sets(drawn), adapter.tile_sets(redealt(walk, positions, seat, seed=2))
        assert (tiles != other).any(-1).mean() > 0.05  # two players of Jie Long see nearly everything
        assert (tiles != adapter.tile_sets(positions)).any(-1).mean() > 0.05


def test_redealt_position_does_not_know_the_seed_of_its_deal(walk: Walk):
    positions = walk.positions(CHECKED, seed=3)
    assert not np.isin(redealt(walk, positions, 0).seed, positions.seed).any()


def test_view_written_over_another_shows_nothing_of_it(walk: Walk):
    positions = walk.positions(CHECKED, seed=4)
    observed = np.zeros((CHECKED, walk.envs.layout.size), np.int8)
    envs = set_up(walk.game, walk.variant, positions)
    for seat in range(walk.variant.players):
        envs.kernels.observe_seat(envs.table, seat, observed)
        np.testing.assert_array_equal(observed, encoded(walk.envs, views_of(walk.envs, positions, seat)))


def test_others_see_public_moves_and_cannot_tell_hidden_ones(walk: Walk):
    adapter, positions = ADAPTERS[walk.game.id], walk.positions(CHECKED, seed=5)
    masks = set_up(walk.game, walk.variant, positions).masks.copy()
    masks[:, list(adapter.silent)] = False
    positions, masks = positions[masks.sum(1) > 1], masks[masks.sum(1) > 1]
    if not len(positions):  # in Pai Gow with two tiles a seat nothing is decided
        return
    one, other = masks.argmax(1), masks.shape[1] - 1 - masks[:, ::-1].argmax(1)
    for first, second in [(one, other), (one, next_action(masks, one))]:
        after, after_other = (set_up(walk.game, walk.variant, positions) for _ in range(2))
        after.step(first)
        after_other.step(second)
        printed = adapter.seen(first) != adapter.seen(second)
        going_on = (after.states.settled == 0) & (after_other.states.settled == 0)
        for seat in range(walk.variant.players):
            watching = (positions.to_act != seat) & going_on
            view, other_view = (views_of(walk.envs, each.states, seat) for each in (after, after_other))
            seen, seen_other = encoded(walk.envs, view), encoded(walk.envs, other_view)
            assert (seen != seen_other).any(1)[watching & printed].all()
            np.testing.assert_array_equal(view[watching & ~printed], other_view[watching & ~printed])


def next_action(masks: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """The legal actions that follow the given ones."""
    later = masks & (np.arange(masks.shape[1]) > actions[:, None])
    return later.argmax(1)


VOIDS = [(game, variant) for game, variant in VARIANTS if "void" in (game.view.names or ())]


@pytest.mark.parametrize(("game", "variant"), VOIDS, ids=[name_of(*case) for case in VOIDS])
def test_seat_known_to_be_void_holds_no_tile_with_the_number(game, variant):
    walk, players = random_walk(game, variant, 150, 30, seed=22), variant.players
    positions, voids = walk.positions(1000, seed=6), 0
    for viewer in range(players):
        views = views_of(walk.envs, positions, viewer)
        for place in range(1, players):
            seats = (viewer + positions.direction * place) % players
            hands = positions.hands[np.arange(len(positions)), seats]
            for number in range(1, 7):
                void = views.void[:, place, number] == 1
                assert (hands[void] & CARRYING[number] == 0).all()
                voids += void.sum()
    assert (voids > 0) == getattr(variant, "forced_play", True)
