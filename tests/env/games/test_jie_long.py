"""Jie Long: the worked examples of its page by name ("Two is short" is in test_tiles.py), and the rules' corners."""

import pytest

from gupai_env import VectorEnv, get_game
from gupai_env.core.tiles import parse_tiles, size, tile_set
from gupai_env.games.jie_long.position import settle
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


# The lock


def test_lock_holds_for_a_second_round_of_discards():
    table = at_the_lock("52 22 62").play("discard [6:2]", "discard [6:4]", "discard [6:4]")
    assert not table.state.terminated
    table.play("discard [5:4]")
    assert table.state.terminated  # [2:2] alone matches and is still barred
    assert table.points() == [12, 30, 33, 27]


def test_lock_lets_a_player_without_a_match_discard():
    table = at_the_lock("52 55 66")
    assert table.legal() == {"discard [5:5]", "discard [6:6]"}
    assert not table.play("discard [5:5]").state.terminated


def test_lock_bars_no_other_seat_and_ends_with_the_next_tile():
    table = Table("jie-long", ["52 66 22", "22 64 63"], double_lock=True).play("[5:2]")
    assert "[2:2]" in table.legal()
    assert "[2:2]" in table.play("[2:2]").legal()


def test_lead_of_a_double_can_lock():
    table = Table("jie-long", ["22 66 22", "64 63 65"], double_lock=True).play("[2:2]", "discard [6:4]")
    assert table.state.terminated
    assert table.points() == [16, 30]
    assert table.payoffs() == [14, -14]


def test_two_open_ends_have_no_lock():
    hands = ["52 22 66", "64 63 64"]
    table = Table("jie-long", hands, double_lock=True, open_ends=2).play("[2:5]", "discard [6:4]")
    assert "[2:2]" in table.legal()


def test_double_follows_a_round_of_discards_without_the_option():
    table = Table("jie-long", ["52 22 66", "64 63 64"]).play("[5:2]", "discard [6:4]", "[2:2]")
    table.play("discard [6:3]", "discard [6:6]", "discard [6:4]")
    assert table.state.terminated
    assert table.points() == [12, 29]
    assert table.payoffs() == [17, -17]


# Play


def test_forced_play_allows_a_discard_only_when_nothing_matches():
    hands = ["62 64", "21 66", "55 54"]
    assert Table("jie-long", hands).play("[6:2]").legal() == {"[2:1]", "discard [2:1]", "discard [6:6]"}
    table = Table("jie-long", hands, forced_play=True).play("[6:2]")
    assert table.legal() == {"[2:1]"}
    assert table.play("[2:1]").legal() == {"discard [5:5]", "discard [5:4]"}


def test_forced_discard_with_two_open_ends_reveals_both_numbers():
    table = Table("jie-long", ["65 62 11", "43 33 44"], open_ends=2, forced_play=True)
    table.play("[5:6]", "discard [4:3]")
    assert table.view(0).void[1].tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert table.view(1).void[1].tolist() == [0] * 7


@pytest.mark.parametrize(("players", "hand"), [(3, 8), (2, 12)])
def test_short_deck_has_no_doubles_of_three_to_six(players, hand):
    envs = VectorEnv("jie-long", 50, players=players, deck="short", seed=1)
    for state in envs.states:
        assert [size(tiles) for tiles in state.hands] == [hand] * players + [0] * (4 - players)
        assert state.unused == 0
        assert not sum(map(int, state.hands)) & tile_set(parse_tiles("33 44 55 66")) * 7
    with pytest.raises(ValueError, match="players=4 is not allowed with deck='short'; choose 2 or 3"):
        JIE_LONG.variant(deck="short")


# Payment


@pytest.mark.parametrize(
    ("points", "chips", "difference"),
    [
        ([12, 31, 34, 20], [2, -1, -1, 0], [41, -19, -22, 0]),
        ([31, 31, 34, 40], [1, 1, 0, -2], [9, 9, 0, -18]),
        ([29, 30, 31, 30], [1, 0, -1, 0], [2, 0, -2, 0]),  # over 30, and the most
        ([29, 30, 31, 40], [2, 0, -1, -1], [13, 0, -2, -11]),  # 30 is not more than 30
        ([30, 35, 36, 40], [1, 0, 0, -1], [10, 0, 0, -10]),  # the fewest are not under 30
        ([5, 5, 9, 9], [2, 2, -2, -2], [8, 8, -8, -8]),  # all with the most lose
        ([33, 33, 33, 33], [0] * 4, [0] * 4),
        ([7, 7, 7, 7], [0] * 4, [0] * 4),
        ([9, 5], [-1, 1], [-4, 4]),
    ],
)
def test_kkoribuchigi_losers_pay_winners(points, chips, difference):
    for settlement, expected in (("kkoribuchigi", chips), ("kkoribuchigi_difference", difference)):
        for stake in (1, 0.5, 3):
            options = {"settlement": settlement, "stake": stake}
            assert paid("jie-long", len(points), options=options, points=points) == [stake * each for each in expected]
            assert settle(points, **options) == [stake * each for each in expected]


def test_dancing_dragons_double_points_after_laying_all_tiles():
    options = {"all_laid_doubles": True}
    assert paid("jie-long", 4, options=options, points=[0, 12, 34, 18]) == [128, 32, -144, -16]
    assert paid("jie-long", 4, options=options, points=[2, 12, 34, 18]) == [58, 18, -70, -6]
    assert paid("jie-long", 4, options=options, points=[0, 0, 10, 4]) == [28, 28, -52, -4]  # once, though two laid all
    table = Table("jie-long", ["65 54", "64 11"], open_ends=2, forced_play=True, **options)
    table.play("[5:6]", "[6:4]", "[5:4]", "discard [1:1]")  # the line is [4:6][6:5], then [5:4] at either end
    assert (table.points(), table.payoffs()) == ([0, 2], [4, -4])
    assert "points of the others count double" in " ".join(table.scene().notes)


def test_kkoribuchigi_looks_at_doubled_points():
    options = {"all_laid_doubles": True, "settlement": "kkoribuchigi"}
    assert paid("jie-long", 4, options=options, points=[0, 15, 16, 20]) == [2, 0, -1, -1]
    options["settlement"] = "kkoribuchigi_difference"
    assert paid("jie-long", 4, options=options, points=[0, 15, 16, 20]) == [72, 0, -32, -40]


def test_payoff_bound_depends_on_the_options():
    def bound(**options):
        return JIE_LONG.payoff_bound(JIE_LONG.variant(**options))

    assert bound(all_laid_doubles=True) == 2 * 3 * 86
    assert bound(settlement="kkoribuchigi", stake=2) == 3 * 2
    assert bound(settlement="kkoribuchigi_difference") == 3 * 86
