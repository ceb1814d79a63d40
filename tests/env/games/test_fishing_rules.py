"""Rules of the fishing games: a bait and the top of the stock make a turn, and both run out together."""

import pytest
from gupai_env.positions.tiu_u import from_tiles

from gupai_env import VectorEnv, get_game
from gupai_env.core.tiles import size
from walks import play_out

GAME = get_game("shi-wu-hu")
TILES = {"deck": "tiles"}


def test_turn_is_a_bait_of_the_hand_and_the_top_of_the_stock():
    position = from_tiles(["[6:6] [1:1]", "[5:1]"], "[3:3]", "[4:2] [2:2]").play("lay [6:6]")
    assert (position.state.to_act, position.view(1).mover, position.view(1).drawn) == (0, 1, 7)
    assert position.legal() == ["lay [4:2]", "[4:2] catches [3:3]"]
    position.play("[4:2] catches [3:3]")
    assert position.state.to_act == 1
    assert position.legal() == ["lay [5:1]"]


def test_seat_with_neither_bait_nor_stock_is_skipped():
    position = from_tiles(["[6:6] [6:6]", "[2:2]", "[3:3]"], heaven_pair=True).play("heaven pair")
    assert position.state.to_act == 1
    position = from_tiles(["", "[2:2]", ""], to_act=2)
    assert position.state.to_act == 1
    assert position.play("lay [2:2]").terminated


@pytest.mark.parametrize(("options", "plays_of_a_deal"), [({}, 60), (TILES, 48), ({"players": 3}, 60)], ids=str)
def test_hands_and_stock_run_out_together(options, plays_of_a_deal):
    envs = VectorEnv(GAME, 50, seed=2, **options)
    dealt = 30 if envs.variant.deck == "cards" else 24
    assert {int(size(hand)) for hand in envs.states.hands[0, : envs.variant.players]} == {dealt // envs.variant.players}
    envs = play_out(VectorEnv(GAME, 50, seed=2, renew=False, **options), 1)
    assert set(envs.states.plays.tolist()) == {plays_of_a_deal}
