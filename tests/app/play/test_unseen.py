"""Who may hold what: counted from what a seat knows, and from nothing else."""

import numpy as np
import pytest

from gupai_app.play.session import Session
from gupai_app.play.unseen import judged, unseen_tiles
from gupai_env.core.tiles import KINDS, PIPS
from gupai_env.games import get_game
from gupai_env.messages import word

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


def test_learned_judgement_knows_only_what_the_seat_does():
    game, names = get_game("tien-gow"), ["South", "East", "North", "West"]
    session, told = Session(game, game.variant(), 3), []
    while not session.terminated:
        if len(session.actions) % 5 == 4:
            view = session.view(session.seat)
            held, moves = judged(game, session.variant, view, names)
            twin = session.redealt(session.seat, 1)
            assert (held, moves) == judged(game, session.variant, twin.view(session.seat), names)
            told += map(word, moves)
            for seat in range(1, 4):  # exactly where nothing can be held
                shares = [kind[seat - 1] for kind in held]
                assert max(shares) <= 1 + 1e-9 and (sum(shares) > 0) == bool(
                    session.state.hands[(session.seat + seat) % 4]
                )
        session.play(int(session.mask().argmax()))
    assert told and all(any(name in line for name in names) for line in told)
    assert not any(line.startswith("After discard") for line in told)  # what lies face down is not named


def test_where_no_belief_ships_there_is_no_judgement():
    game = get_game("pai-gow")
    session = Session(game, game.variant(), 3)
    assert judged(game, session.variant, session.view(session.seat), ["You", "Banker"]) == ([], [])
