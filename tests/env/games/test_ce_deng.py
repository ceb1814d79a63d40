"""Ce Deng: the worked examples of its page by name, and the rules' corners."""

import numpy as np
import pytest
from gupai_env.positions.ce_deng import settle

from gupai_env import VectorEnv, get_game
from gupai_env.core.tiles import parse_tiles, size, tile_set, weight
from tables import Table, next_leader, paid

CE_DENG = get_game("ce-deng")
EIGHT = "66 66 55 55 44 44 33 33"  # doubles
SEVEN = "66 66 55 55 44 44 33 63"
SIX = "66 66 55 55 44 44 63 62"
DECLARE, REDEAL, PLAY_ON = "declare eight doubles", "demand a redeal", "play on"

BLOCK = ["52 66 65", "66 64 63", "65 64 44", "55 54 53"]  # only A has a two


# The page's examples


def test_no_bonus():
    assert paid("ce-deng", 4, points=[2, 12, 34, 18], plays=[5, 5, 5, 5]) == [58, 18, -70, -6]


def test_tail_eight_against_a_pass():
    assert paid("ce-deng", 4, points=[0, 10, 20, 51], plays=[8, 4, 4, 0]) == [264, 72, 12, -348]


def test_two_tails():
    three = paid("ce-deng", 3, leader=2, points=[50, 40, 45], plays=[0, 0, 5])
    assert three == [-10 - 2 * 5, 10 + 2 * 5, 0]


def test_eight_doubles_declared():
    hands = ["65 65 65 65", EIGHT, "64 64 64 64 64 64", "65 65 65 51"]  # 44, 60 and 39 pips, as printed
    sets = [sum(tile_set([kind]) for kind in parse_tiles(hand)) for hand in hands]
    assert [weight(tiles) for tiles in sets] == [44, 72, 60, 39]
    assert paid("ce-deng", 4, hands=sets, declarer=1) == [-88, 286, -120, -78]


# Payment


@pytest.mark.parametrize(
    ("plays", "factor"),
    [
        ((5, 5), 1),
        ((8, 5), 2),  # a pass
        ((5, 8), 2),
        ((8, 8), 1),
        ((1, 5), 2),  # head seven: the leader played his lead alone
        ((5, 0), 2),  # tail eight
        ((5, 1), 1),
        ((1, 0), 1),  # head and tail
        ((0, 0), 1),
        ((8, 0), 4),
        ((1, 8), 4),
        ((2, 5), 1),
    ],
)
def test_pair_is_doubled_for_one_pass_and_for_one_head_or_tail(plays, factor):
    assert paid("ce-deng", 2, points=[10, 30], plays=plays) == [20 * factor, -20 * factor]
    assert paid("ce-deng", 2, points=[30, 10], plays=plays) == [-20 * factor, 20 * factor]


@pytest.mark.parametrize(
    ("plays", "factor"), [((2, 5), 2), ((5, 1), 2), ((2, 1), 1), ((3, 5), 1), ((5, 2), 1), ((1, 8), 4), ((2, 8), 4)]
)
def test_strict_counts_head_six_and_tail_seven_too(plays, factor):
    strict = {"strict_head_tail": True}
    assert paid("ce-deng", 2, options=strict, points=[10, 30], plays=plays) == [20 * factor, -20 * factor]


def test_head_is_for_the_leader_alone():
    """One tile played is head seven for who led it and nothing for any other seat."""
    assert paid("ce-deng", 2, leader=0, points=[10, 30], plays=[5, 1]) == [20, -20]
    assert paid("ce-deng", 2, leader=1, points=[10, 30], plays=[5, 1]) == [40, -40]


def test_payoffs_are_at_most_four_times_the_heaviest_hand_per_rival():
    """66 66 65 65 64 64 55 55 weigh 86."""
    assert CE_DENG.payoff_bound(CE_DENG.variant()) == 4 * 3 * 86


# Play


def test_seat_that_can_match_must_play_and_another_drinks():
    table = Table("ce-deng", ["62 64", "21 66", "55 54"]).play("[6:2]")
    assert table.legal() == {"[2:1]"}
    assert table.play("[2:1]").legal() == {"discard [5:5]", "discard [5:4]"}


def test_block_needs_that_the_player_of_the_last_tile_cannot_match():
    table = Table("ce-deng", BLOCK).play("[5:2]", "discard [6:6]", "discard [6:5]")
    assert not table.state.terminated
    table.play("discard [5:5]")
    assert table.state.terminated
    assert table.legal() == set()
    assert table.points() == [23, 31, 29, 27]  # with the tiles in hand
    assert table.payoffs() == [18, -14, -6, 2]  # one head and three tails: nothing is doubled


def test_seat_that_can_match_after_all_others_drank_plays_on():
    table = Table("ce-deng", ["52 66 22", *BLOCK[1:]])
    table.play("[5:2]", "discard [6:6]", "discard [6:5]", "discard [5:5]")
    assert table.legal() == {"[2:2]"}
    table.play("[2:2]", "discard [6:4]", "discard [6:4]")
    assert not table.state.terminated
    table.play("discard [5:4]")
    assert table.state.terminated  # [6:6] does not match
    assert table.state.plays.tolist() == [2, 0, 0, 0]


def test_tile_of_another_seat_resets_the_count_of_drinks():
    hands = ["52 65 55", "66 64 63", "62 64 44", "66 65 53"]
    table = Table("ce-deng", hands).play("[5:2]", "discard [6:6]", "[2:6]")
    assert table.legal() == {"[6:6]", "[6:5]"}  # of D
    table.play("[6:6]")
    assert not table.state.terminated
    assert table.legal() == {"[6:5]"}


def test_seat_without_a_play_before_a_block_is_tail_eight():
    hands = ["52 21 66", "54 64 63", "65 64 44", "55 66 53"]
    table = Table("ce-deng", hands).play("[5:2]", "discard [5:4]", "discard [6:5]", "discard [5:5]")
    table.play("[2:1]", "discard [6:4]", "discard [6:4]", "discard [6:6]")
    assert table.state.terminated
    points, plays = table.points(), table.state.plays.tolist()
    assert (points, plays) == ([12, 28, 29, 30], [2, 0, 0, 0])
    assert table.payoffs() == [2 * (16 + 17 + 18), -2 * 16 + 1 + 2, -2 * 17 - 1 + 1, -2 * 18 - 2 - 1]


def test_eight_tiles_are_dealt_whatever_the_number_of_players():
    for players, unused in ((4, 0), (3, 8), (2, 16)):
        for state in VectorEnv("ce-deng", 20, players=players, seed=1).states:
            assert [size(tiles) for tiles in state.hands] == [8] * players + [0] * (4 - players)
            assert size(state.unused) == unused


# Before the play


def test_eight_doubles_may_be_declared_redealt_or_played():
    assert Table("ce-deng", [None, EIGHT, None, None], leader=3).legal() == {DECLARE, REDEAL, PLAY_ON}
    assert Table("ce-deng", [None, EIGHT], redeal_doubles=0).legal() == {DECLARE, PLAY_ON}
    assert Table("ce-deng", [None, EIGHT], declare_eight_doubles=False).legal() == {REDEAL, PLAY_ON}


def test_seven_doubles_may_be_redealt_and_six_by_the_looser_rule():
    assert Table("ce-deng", [None, SEVEN]).legal() == {REDEAL, PLAY_ON}
    assert Table("ce-deng", [None, SEVEN], redeal_doubles=6).legal() == {REDEAL, PLAY_ON}
    assert Table("ce-deng", [None, SIX], redeal_doubles=6).legal() == {REDEAL, PLAY_ON}


@pytest.mark.parametrize(
    ("hand", "options"),
    [(SIX, {}), (SEVEN, {"redeal_doubles": 0}), (EIGHT, {"redeal_doubles": 0, "declare_eight_doubles": False})],
)
def test_hand_without_a_right_is_not_asked(hand, options):
    table = Table("ce-deng", [None, hand], leader=0, **options)
    assert table.state.to_act == 0
    assert not table.legal() & {DECLARE, REDEAL, PLAY_ON}


def test_seats_with_a_right_are_asked_in_turn_from_the_leader():
    hands = ["66 66 55 44 33 22 62 63", "55 44 33 22 11 11 21 31", None, None]
    table = Table("ce-deng", hands, leader=1, redeal_doubles=6)
    assert table.state.to_act == 1
    assert table.legal() == {REDEAL, PLAY_ON}
    table.play(PLAY_ON)
    assert table.state.to_act == 0
    table.play(PLAY_ON)
    assert table.state.to_act == 1
    assert "[2:1]" in table.legal()
    table = Table("ce-deng", hands, leader=2, redeal_doubles=6)
    assert [int(table.state.to_act), int(table.play(PLAY_ON).state.to_act)] == [0, 1]


def test_question_to_a_seat_is_hidden_from_others():
    hands = ["66 66 55 44 33 22 62 63", "55 44 33 22 11 11 21 31", None, None]
    table = Table("ce-deng", hands, leader=2, redeal_doubles=6)
    while_0_is_asked = [table.view(seat).copy() for seat in range(4)]
    assert [view.asked for view in while_0_is_asked] == [1, 0, 0, 0]
    table.play(PLAY_ON)
    while_1_is_asked = [table.view(seat).copy() for seat in range(4)]
    assert [view.asked for view in while_1_is_asked] == [0, 1, 0, 0]
    table.play(PLAY_ON)
    for seat in (2, 3):
        assert while_0_is_asked[seat] == while_1_is_asked[seat] == table.view(seat)


def test_declarer_is_paid_twice_the_pips_of_all_and_leads_next():
    table = Table("ce-deng", [None, None, EIGHT, None], leader=1, deals=2)
    pips = [weight(hand) for hand in table.state.hands]
    table.play(DECLARE)
    assert table.state.settled == 1
    assert table.payoffs() == [-2 * pips[0], -2 * pips[1], 2 * (227 - pips[2]), -2 * pips[3]]
    assert (table.state.deal, table.state.leader, table.state.direction) == (1, 2, -1)


def test_redeal_keeps_leader_and_direction_and_pays_nothing():
    table = Table("ce-deng", [None, None, SEVEN, None], leader=1, deals=2)
    before = table.state.hands.copy()
    table.play(REDEAL)
    assert (table.state.settled, table.state.terminated, table.state.deal) == (0, 0, 0)
    assert (table.state.leader, table.state.direction, table.state.redeals) == (1, 1, 1)
    assert table.payoffs() == table.state.total.tolist() == [0, 0, 0, 0]
    assert (table.state.hands != before).all()
    assert [size(hand) for hand in table.state.hands] == [8, 8, 8, 8]


def test_redealt_hands_may_be_redealt_and_always_differ():
    envs = VectorEnv("ce-deng", 3000, seed=3, redeal_doubles=6, renew=False)
    redeal, dealt = CE_DENG.action_names.index(REDEAL), set()
    for step in range(8):
        asked = envs.masks[:, redeal].copy()
        envs.step(np.where(asked, redeal, envs.sample(step)))
        for lane in np.flatnonzero(asked):
            hands = (lane, envs.states.hands[lane].tobytes())
            assert hands not in dealt
            dealt.add(hands)
    assert envs.states.redeals.max() >= 2


# The stake


@pytest.mark.parametrize("stake", [0.5, 3.0])
def test_stake_multiplies_every_payment(stake):
    options = {"stake": stake}
    doubled = paid("ce-deng", 4, options=options, points=[0, 10, 20, 51], plays=[8, 4, 4, 0])
    assert doubled == [264 * stake, 72 * stake, 12 * stake, -348 * stake]
    hands = [tile_set(parse_tiles(hand)) for hand in ("65 65 65 65", EIGHT, "65 65 65 51")]
    declared = paid("ce-deng", 3, options=options, hands=hands, declarer=1)
    assert declared == [-88 * stake, 166 * stake, -78 * stake]
    assert settle([2, 12, 34, 18], [5, 5, 5, 5], **options) == [58 * stake, 18 * stake, -70 * stake, -6 * stake]
    assert CE_DENG.payoff_bound(CE_DENG.variant(**options)) == stake * CE_DENG.payoff_bound(CE_DENG.variant())


@pytest.mark.parametrize(("stake", "message"), [(0, "must be at least 0.01 chips"), (1e9, "counted exactly")])
def test_stake_is_bounded(stake, message):
    with pytest.raises(ValueError, match=message):
        CE_DENG.variant(stake=stake)


# The next deal


def test_fewest_points_lead_next_and_ties_go_to_the_earlier_seat():
    assert next_leader("ce-deng", [9, 7, 5, 8], leader=0) == 2
    assert next_leader("ce-deng", [5, 5, 9, 7], leader=2) == 0
    assert next_leader("ce-deng", [5, 5, 9, 7], leader=2, direction=-1) == 1
    assert next_leader("ce-deng", [5, 5, 9, 7], leader=0, direction=-1) == 0
    assert next_leader("ce-deng", [5, 5, 9, 7], leader=3, declarer=2) == 2


def test_direction_of_play_alternates_from_deal_to_deal():
    envs = VectorEnv("ce-deng", 200, seed=4, deals=4, renew=False)
    while not envs.terminated.all():
        before, live = envs.states.copy(), ~envs.terminated
        envs.step(envs.sample(int(envs.states.moves.max())))
        after = envs.states
        expected = np.where(envs.states.deal % 2 == 0, 1, -1)
        np.testing.assert_array_equal(after.direction[~envs.terminated], expected[~envs.terminated])
        followed = live & (after.turn == before.turn + 1) & (after.deal == before.deal)
        passed_on = (before.to_act + before.direction) % 4
        np.testing.assert_array_equal(after.to_act[followed], passed_on[followed])
