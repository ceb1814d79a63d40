"""Who may hold what: counted from what a seat knows, and from nothing else."""

import numpy as np
import pytest

from gupai_app.play.session import Session
from gupai_app.play.unseen import unseen_tiles
from gupai_env.core.tiles import KINDS, PIPS
from gupai_env.games import get_game

some_games = pytest.mark.parametrize(
    "game", [get_game(name) for name in ("jie-long", "tiu-u", "small-mahjong", "pai-gow")], ids=lambda game: game.id
)


def positions(game, seed=7):
    """Some positions of one deal in which a seat is to act."""
    session, generator = Session(game, game.variant(), seed), np.random.default_rng(seed)
    while not session.terminated:
        if len(session.actions) % 16 == 0:
            yield session
        session.play(int(generator.choice(np.flatnonzero(session.mask()))))


@some_games
def test_what_others_may_hold_does_not_depend_on_what_they_hold(game):
    for session in positions(game):
        view = session.view(session.seat)
        redealt = [session.redealt(session.seat, key) for key in range(2)]
        assert any(twin.state != session.state for twin in redealt)
        unseen = unseen_tiles(game, session.variant, view)
        assert all(unseen_tiles(game, session.variant, twin.view(session.seat)) == unseen for twin in redealt)


@some_games
def test_what_others_hold_is_possible_and_probabilities_add_up(game):
    for session in positions(game):
        unseen = {tile.kind: tile for tile in unseen_tiles(game, session.variant, session.view(session.seat))}
        others = [seat for seat in range(session.variant.players) if seat != session.seat]
        for seat in others:
            held = [kind for kind in range(KINDS) if int(session.state.hands[seat]) >> 3 * kind & 7]
            assert all(unseen[kind].by_seat[seat] > 0 for kind in held)
        for tile in unseen.values():
            assert list(tile.by_seat) == [*others[session.seat :], *others[: session.seat]]
            assert max(tile.by_seat.values()) <= 1 - tile.nobody + 1e-9 <= sum(tile.by_seat.values()) + 2e-9


def test_seat_that_had_to_discard_holds_nothing_that_fitted():
    game = get_game("jie-long")
    session, ruled_out = Session(game, game.variant(forced_play=True, double_lock=False), 5), []
    while not session.terminated:
        if ruled_out and len(session.actions) % 3 == 0:
            unseen = {tile.kind: tile for tile in unseen_tiles(game, session.variant, session.view(session.seat))}
            for seat, end in ruled_out:
                fitted = [tile.by_seat.get(seat, 0) for kind, tile in unseen.items() if end in PIPS[kind]]
                assert not any(fitted)
        action = int(session.mask().argmax())
        if game.move(action).discards:
            ruled_out.append((session.seat, int(session.state.ends[0])))
        session.play(action)
    assert len(ruled_out) > 5
