"""Knowledge of Tien Gow: what discards tell, and hands drawn that can go on with one under way."""

from collections import Counter
from itertools import permutations

import numpy as np
from gupai_env.positions.tien_gow import from_tiles

from adapters import FACES
from gupai_env.core.kernels import kernels
from gupai_env.core.keys import derive_each
from gupai_env.core.tiles import ONE, tiles_in
from gupai_env.games.tien_gow.rules import DISCARD
from gupai_env.positions import tien_gow


def test_redealt_positions_of_tien_gow_continue_a_discard():
    """Seat 1 has laid one of two tiles face down. It goes on with a kind that is no lower, so its hand has one."""
    position = tien_gow.from_tiles(
        ["51 64 64 33", "65 43 42 62", "61 65 11 53", "55 44 44 32"],
        [4, 0, 0, 0],
        ["66 66 11 31", "31 55 33 22", "22 61 51 63", "54 52 41 21"],
    )
    position.play("51", "discard 42", "61", "55", "44 44", "discard 64", "discard 64", "discard 43")
    hidden = [FACES.index(face) for face in ((6, 5), (4, 3), (4, 2), (6, 2), (6, 5), (1, 1), (5, 3), (3, 2))]
    expected: Counter = Counter()
    for before, begun, *rest in permutations(hidden):
        if max(rest[:2]) >= begun:
            hands = (sum(int(ONE[kind]) for kind in pile) for pile in (rest[:2], rest[2:5], rest[5:]))
            expected[*hands, before, begun] += 1
    num = 30 * len(expected)
    drawn = position.game.new_states(num)
    views, rng_keys = np.repeat(position.view_row(0), num), derive_each(9, 0, num)
    kernels(position.game).determinize(position.rules, views.view(np.recarray), rng_keys, drawn)
    plays = int(position.state.plays)
    discards = drawn.record[:, [1, plays - 1]] - DISCARD
    assert (drawn.floor == discards[:, 1]).all()
    found = Counter(map(tuple, np.concatenate([drawn.hands[:, 1:], discards], 1).tolist()))
    assert found.keys() <= expected.keys()
    wanted = {each: num * weight / expected.total() for each, weight in expected.items()}
    chi_square = sum((found[each] - wanted[each]) ** 2 / wanted[each] for each in wanted)
    assert chi_square < len(wanted) + 5 * np.sqrt(2 * len(wanted))


def test_discards_belong_to_their_makers_whoever_led():
    position = from_tiles(["11 33", "63 51", "62 44", "55 53"], [6, 0, 0, 0], to_lead=2, early_death=False)
    position.play("44", "discard 53", "11", "discard 51")
    for seat in range(4):
        view, redealt = position.view(seat), position.redealt(seat, seat)
        assert view.opener == (2 - seat) % 4
        assert view.own[:4].tolist() == [seat == each for each in (2, 3, 0, 1)]
        sizes = [len(tiles_in(int(discards))) for discards in redealt.state.discards]
        assert sizes == [len(tiles_in(int(discards))) for discards in position.state.discards]
    assert position.scene().last_move.startswith("Seat 1 discards")
