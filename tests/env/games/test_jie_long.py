"""Jie Long: the worked examples of its page by name ("Two is short" is in test_tiles.py), and the rules' corners."""

import pytest

from gupai_env import get_game
from tables import Table, paid

JIE_LONG = get_game("jie-long")
LOCK = ("65 64 63", "65 64 66", "55 54 53")  # B, C and D hold no two


def at_the_lock(hand: str, others: tuple[str, ...] = LOCK, **options) -> Table:
    """A plays [5:2] leaving 2 open; B, C and D discard the first of their tiles in turn."""
    table = Table("jie-long", [hand, *others], double_lock=True, **options)
    return table.play("[5:2]", *(f"discard [{other[0]}:{other[1]}]" for other in others))


# The page's examples


def test_four_way_settlement():
    assert paid("jie-long", 4, points=[2, 12, 34, 18]) == [58, 18, -70, -6]


@pytest.mark.parametrize("forced_play", [False, True])
def test_lock(forced_play):
    table = at_the_lock("52 22 66", forced_play=forced_play)
    assert table.state.terminated
    assert table.legal() == set()
    assert table.points()[0] == 16


def test_lock_had_a_held_six_two_as_well():
    others = ("65 64 63 44", "65 64 66 44", "55 54 53 33")
    discards = {"discard [2:2]", "discard [6:6]", "discard [6:2]"}
    assert at_the_lock("52 22 66 62", others).legal() == {"[2:6]"} | discards
    assert at_the_lock("52 22 66 62", others, forced_play=True).legal() == {"[2:6]"}


# Play


def test_forced_discard_with_two_open_ends_reveals_both_numbers():
    table = Table("jie-long", ["65 62 11", "43 33 44"], open_ends=2, forced_play=True)
    table.play("[5:6]", "discard [4:3]")
    assert table.view(0).void[1].tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert table.view(1).void[1].tolist() == [0] * 7


# Payment


def test_payoff_bound_depends_on_the_options():
    def bound(**options):
        return JIE_LONG.payoff_bound(JIE_LONG.variant(**options))

    assert bound(all_laid_doubles=True) == 2 * 3 * 86
    assert bound(settlement="kkoribuchigi", stake=2) == 3 * 2
    assert bound(settlement="kkoribuchigi_difference") == 3 * 86
