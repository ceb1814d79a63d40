"""What a seat may know, in every variant of every game: its view leaks nothing, and deals drawn from it are fair."""

import numpy as np
import pytest

from adapters import ADAPTERS
from gupai_env import GAMES, VectorEnv
from gupai_env.core.rng import derive
from gupai_env.core.tiles import CARRYING
from variants import PAIR_NAMES, PAIRS, name_of, variants
from walks import Walk, encoded, play_out, random_walk, set_up, views_of

CHECKED = 300  # positions of a walk, each seen by every seat


def redealt(walk: Walk, views: np.recarray, seed: int) -> np.recarray:
    """States with all that is not in the views drawn again."""
    drawn = walk.game.new_states(len(views))
    rng_keys = np.array([derive(seed, index) for index in range(len(views))])
    walk.envs.kernels.determinize(walk.envs.rules, views, rng_keys, drawn)
    return drawn


@pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)
def test_view_hides_what_is_redealt_and_nothing_else(game, variant):
    walk = random_walk(game, variant, 300, 40, seed=21)
    positions = walk.positions(CHECKED, seed=1)
    envs, observed = set_up(game, variant, positions), np.zeros((CHECKED, walk.envs.layout.size), np.int8)
    for seat in range(variant.players):
        views = views_of(walk.envs, positions, seat)
        envs.kernels.observe_seat(envs.table, seat, observed)  # over what the seat before it observed
        np.testing.assert_array_equal(observed, encoded(walk.envs, views))
        own = envs.seats == seat
        np.testing.assert_array_equal(observed[own], envs.observations[own])
        drawn = redealt(walk, views, 0)
        np.testing.assert_array_equal(redealt(walk, views, 0), drawn)
        np.testing.assert_array_equal(views_of(walk.envs, drawn, seat), views)
        again = set_up(game, variant, drawn)
        np.testing.assert_array_equal(again.seats[own], envs.seats[own])
        np.testing.assert_array_equal(again.masks[own], envs.masks[own])
        np.testing.assert_array_equal(again.observations[own], envs.observations[own])
        require_other_tiles(walk, positions, drawn, redealt(walk, views, 1))
        require_a_live_game(walk, again)
    require_secret_moves(walk)


def require_other_tiles(walk: Walk, positions: np.recarray, *drawn: np.recarray) -> None:
    """What is drawn depends on the key, and knows nothing of the deal that it was drawn for."""
    first, second, dealt = map(ADAPTERS[walk.game.id].tile_sets, (*drawn, positions))
    assert (first != second).any(-1).mean() > 0.05  # two players of Jie Long see nearly everything
    assert (first != dealt).any(-1).mean() > 0.05
    assert not np.isin(drawn[0].seed, positions.seed).any()


def require_a_live_game(walk: Walk, envs: VectorEnv) -> None:
    """Positions that were drawn are not over, have all tiles, and can be played to the end."""
    adapter, deck = ADAPTERS[walk.game.id], ADAPTERS[walk.game.id].deck_of(walk.variant)
    assert (adapter.tile_sets(envs.states).sum(-1) == deck).all()
    assert (adapter.tile_sets(envs.states) & ~adapter.possible_bits(walk.variant) == 0).all()
    assert not envs.states.terminated.any()
    assert envs.masks.any(1).all()
    envs = play_out(envs, seed=2)
    assert (adapter.tile_sets(envs.states).sum(-1) == deck).all()
    assert not walk.variant.zero_sum or np.abs(envs.states.payoff.sum(-1)).max() < 1e-3


def require_secret_moves(walk: Walk) -> None:
    """The others see public moves and cannot tell hidden ones."""
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


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if "void" in (game.view.names or ())])
def test_seat_known_to_be_void_holds_no_tile_with_the_number(name):
    game = GAMES[name]
    for variant in variants(game):
        walk, players = random_walk(game, variant, 150, 30, seed=22), variant.players
        positions, voids = walk.positions(1000, seed=6), 0
        for viewer in range(players):
            views = views_of(walk.envs, positions, viewer)
            for place in range(1, players):
                seats = (viewer + positions.direction * place) % players
                hands = positions.hands[np.arange(len(positions)), seats]
                for number in range(1, 7):
                    void = views.void[:, place, number] == 1
                    assert (hands[void] & CARRYING[number] == 0).all(), name_of(game, variant)
                    voids += void.sum()
        assert (voids > 0) == getattr(variant, "forced_play", True), name_of(game, variant)
