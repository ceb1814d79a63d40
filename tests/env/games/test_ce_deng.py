"""Ce Deng: the worked examples of its page by name, and the rules' corners."""

import numpy as np
import pytest

from gupai_env import VectorEnv, get_game
from gupai_env.core.tiles import parse_tiles, tile_set, weight
from tables import paid

CE_DENG = get_game("ce-deng")
EIGHT = "66 66 55 55 44 44 33 33"  # doubles
SIX = "66 66 55 55 44 44 63 62"
DECLARE, REDEAL, PLAY_ON = "declare eight doubles", "demand a redeal", "play on"

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


def test_payoffs_are_at_most_four_times_the_heaviest_hand_per_rival():
    """66 66 65 65 64 64 55 55 weigh 86."""
    assert CE_DENG.payoff_bound(CE_DENG.variant()) == 4 * 3 * 86


# Before the play


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


@pytest.mark.parametrize(("stake", "message"), [(0, "must be at least 0.01 chips"), (1e9, "counted exactly")])
def test_stake_is_bounded(stake, message):
    with pytest.raises(ValueError, match=message):
        CE_DENG.variant(stake=stake)


# The next deal
