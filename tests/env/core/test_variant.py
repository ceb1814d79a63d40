"""Options: what is allowed, how mistakes are answered, and what the compiled rules see of them."""

import dataclasses
import re

import pytest

from gupai_env import GAMES
from gupai_env.core.variant import RANDOM_LEADER, Variant, option
from gupai_env.games.ce_deng.rules import CeDeng
from gupai_env.games.jie_long.rules import JieLong
from variants import VARIANT_NAMES, VARIANTS, variants

every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def test_defaults_are_the_rulebooks():
    assert JieLong() == JieLong(
        players=4,
        deals=1,
        leader="random",
        deck="full",
        forced_play=False,
        double_lock=False,
        open_ends=1,
        stake=1.0,
        settlement="difference",
        all_laid_doubles=False,
    )
    assert CeDeng() == CeDeng(
        players=4,
        deals=1,
        leader="random",
        deck="full",
        declare_eight_doubles=True,
        redeal_doubles=7,
        strict_head_tail=False,
        stake=1.0,
        stacked=False,
    )


def test_option_combinations_are_all_variants():
    assert len(variants(GAMES["tiu-u"])) == (2 + 1) * 2**4 * 2
    assert len(variants(GAMES["ce-deng"])) == (3 + 1) * 2 * 3 * 2 * 2
    assert len(set(VARIANT_NAMES)) == len(VARIANTS)


@every_game
def test_options_are_all_documented(game):
    for field in dataclasses.fields(game.variant):
        assert len(field.metadata["help"]) > 10, field.name


@pytest.mark.parametrize(
    "wrong",
    [
        {"players": 5},
        {"players": "4"},
        {"players": 4.0},
        {"players": True},
        {"deals": 0},
        {"deals": 1001},
        {"deals": 1.0},
        {"deals": True},
        {"leader": 4},
        {"leader": -1},
        {"leader": "me"},
        {"leader": None},
        {"leader": True},
        {"leader": [1]},
        {"players": 2, "leader": 2},
        {"forced_play": 1},
        {"forced_play": "no"},
        {"double_lock": None},
        {"open_ends": 3},
        {"open_ends": "1"},
        {"stake": 0},
        {"stake": -1.0},
        {"stake": float("nan")},
        {"stake": float("inf")},
        {"stake": "1"},
    ],
    ids=str,
)
def test_wrong_value_is_refused_with_its_option_and_value(wrong):
    name, value = list(wrong.items())[-1]
    with pytest.raises(ValueError, match=name) as error:
        JieLong.make(**wrong)
    assert repr(value) in str(error.value) or (name == "stake" and str(float(value)) in str(error.value))


@pytest.mark.parametrize("wrong", [5, 8, "7", 7.0, True, None])
def test_redeal_doubles_is_seven_six_or_zero(wrong):
    with pytest.raises(ValueError, match=r"redeal_doubles=.* choose 7, 6 or 0"):
        CeDeng(redeal_doubles=wrong)


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("jie-long", {"deck": "tiny"}, "players=4 is not allowed with deck='tiny'; choose 2"),
        ("ding-niu", {"players": 2}, "players=2 is not allowed with deck='full'; choose 4"),
        ("small-mahjong", {"players": 2}, "players=2 is not allowed with deck='full'; choose 3 or 4"),
        (
            "small-mahjong",
            {"deck": "tiny", "players": 2, "auto_win": False},
            "auto_win=False is not allowed with deck='tiny'; choose True",
        ),
        ("da-ling", {"deck": "small"}, "deck='small' is not allowed; choose full or tiny"),
    ],
)
def test_value_not_allowed_with_a_deck_is_refused_with_those_allowed(game, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        GAMES[game].variant(**options)


def test_unknown_option_names_the_nearest_and_all_there_are():
    with pytest.raises(ValueError, match="did you mean forced_play") as error:
        JieLong.make(force_play=True)
    for field in dataclasses.fields(JieLong):
        assert field.name in str(error.value)
    with pytest.raises(ValueError, match="'zzz' is not an option of ce-deng; its options are players, deals"):
        CeDeng.make(zzz=1)


def test_whole_number_is_accepted_for_a_float():
    assert JieLong(stake=2).stake == 2.0
    assert type(JieLong(stake=2).stake) is float


def test_variant_is_immutable_and_hashable():
    with pytest.raises(dataclasses.FrozenInstanceError):
        JieLong().stake = 2.0
    assert {JieLong(): 1}[JieLong(players=4)] == 1


def test_changed_names_what_differs_from_the_default():
    assert JieLong().changed() == {}
    assert JieLong(players=2, open_ends=2, stake=1).changed() == {"players": 2, "open_ends": 2}


def test_rules_see_every_option_as_a_number_of_a_fixed_type():
    for (game, variant), name in zip(VARIANTS, VARIANT_NAMES, strict=True):
        rules, default = variant.as_rules(), game.variant().as_rules()
        assert rules._fields == tuple(field.name for field in dataclasses.fields(game.variant))
        assert [type(value) for value in rules] == [type(value) for value in default], name
        numbers = [number for value in rules for number in (value if isinstance(value, tuple) else [value])]
        assert {type(number) for number in numbers} <= {int, float}, name
        assert (rules.players, rules.leader) == (variant.players, RANDOM_LEADER), name


def test_fixed_leader_is_seen_as_its_seat():
    assert JieLong(leader=2).as_rules().leader == 2


def test_choices_are_seen_by_their_index():
    @dataclasses.dataclass(frozen=True)
    class Worded(Variant):
        after: str = option("stop", "what follows", ("doubles", "stop", "play_on"))

    assert Worded().as_rules().after == 1
    assert Worded(after="play_on").as_rules().after == 2
    with pytest.raises(ValueError, match="after='go' is not allowed; choose "):
        Worded(after="go")
