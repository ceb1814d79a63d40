"""Arguments and options that commands share."""

from itertools import cycle, islice

import pytest

from commands import answer, gupai
from gupai_env import get_game


@pytest.mark.parametrize("path", ["replay", "verify", "export"])
def test_empty_word_names_no_file(path):
    result = gupai(path, "", *(["--onnx", "x.onnx"] if path == "export" else []))
    assert result.exit_code == 2 and result.stderr.endswith(" is empty\n") and result.stderr.count("\n") == 1


def test_refusing_another_deal_explains_how_to_watch():
    typed = "\n".join([*islice(cycle("123456"), 400), "n"])
    shown = answer("play", "jie-long", "--seed", "3", "--seat", "2", "-o", "forced_play=yes", input=typed)
    assert shown.endswith("To see agents play: gupai watch jie-long\n")


def test_seat_is_drawn_from_the_seed():
    seats = {seed: answer("play", "--seed", str(seed), input="q\n").split("You have seat ")[1][0] for seed in range(8)}
    assert len(set(seats.values())) > 1
    assert answer("play", "--seed", "5", input="q\n").split("You have seat ")[1][0] == seats[5]


def test_remaining_seats_are_filled_in_order():
    shown = answer("play", "--seed", "1", "--seat", "1", "--against", "greedy", "--against", "random", input="q\n")
    assert "West: greedy, East: random, North: greedy." in " ".join(shown.split())
    shown = answer("play", "--seed", "1", "--seat", "1", input="q\n")  # against the weakest level
    assert "West: easy, East: easy, North: easy." in " ".join(shown.split())


def test_options_are_read_by_their_type():
    variant = get_game("jie-long").variant
    words = ["players=3", "deals=10", "leader=2", "forced_play=TRUE", "double_lock=0", "stake=2.5"]
    assert variant.parse(words) == variant(
        players=3, deals=10, leader=2, forced_play=True, double_lock=False, stake=2.5
    )
    assert variant.parse(["leader=random", "forced_play=no"]) == variant.parse([]) == variant()


def test_bounded_options_give_their_bounds():
    assert get_game("ding-niu").variant.allowed("players") == "4; with the tiny deck 2"
    assert get_game("ding-niu").variant.allowed("smothered_numbers") == "different numbers from 1 to 6"
    assert get_game("da-ling").variant.allowed("casino_fee") == "a whole number from 0"
    assert get_game("jie-long").variant.allowed("leader") == "random or a seat, from 0"
    assert get_game("jie-long").variant.allowed("stake") == "a number from 0.01"
    assert get_game("jie-long").variant.allowed("forced_play") == "true, false"
