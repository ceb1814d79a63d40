"""Positions set up by hand: what they accept, what they tell, and what they say no to."""

import re
from functools import partial
from itertools import product

import numpy as np
import pytest

from gupai_env import get_game
from gupai_env.core.episode import NOBODY
from gupai_env.core.position import Position
from gupai_env.core.tiles import PIPS, parse_tiles, tiles_in
from gupai_env.games.ce_deng.rules import REDEAL
from gupai_env.games.connecting.rules import DISCARD, KINDS, join
from gupai_env.games.splitting.rules import UNSPLIT
from gupai_env.positions import (
    ce_deng,
    da_ling,
    deer_hunt,
    ding_niu,
    jie_long,
    pai_gow,
    shi_wu_hu,
    small_mahjong,
    tien_gow,
    tiu_u,
)
from variants import PAIR_NAMES, PAIRS
from walks import envs_of, options_of, sample, set_up


def pairs(tiles):
    """A tile set as pairs of numbers."""
    return [tuple(map(int, PIPS[kind])) for kind in tiles_in(tiles)]


def line_of(state, both_ends):
    """The tiles of the record as they lie."""
    line, ends = [], np.zeros(2, np.int8)
    for action in map(int, state.record[: state.turn]):
        if action < DISCARD:
            kind, end = action % KINDS, action // KINDS
            joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
            if both_ends and line and ends[0] == joins:
                line.insert(0, (leaves, joins))
            else:
                line.append((joins, leaves))
            join(ends, kind, end, both_ends)
    return line


# What was dealt and what is set up by hand


def connecting_tiles(variant, state):
    """What `from_tiles` of a connecting game is given for a state."""
    both_ends = variant.open_ends == 2 if hasattr(variant, "open_ends") else state.dtype == ding_niu.GAME.state
    hands, discards = (
        [pairs(place[seat]) for seat in range(variant.players)] for place in (state.hands, state.discards)
    )
    tiles = {"hands": hands, "layout": line_of(state, both_ends), "discards": discards}
    return tiles | {"leader": int(state.leader), "last_player": seat_of(state.last_player)}


def seat_of(seat):
    return None if seat == NOBODY else int(seat)


def named(kinds):
    """Kinds, in this order, as pairs of numbers."""
    return [tuple(map(int, PIPS[kind])) for kind in kinds]


def rebuilt_ce_deng(variant, state, options):
    position = ce_deng.from_tiles(**connecting_tiles(variant, state), **options)
    while position.state.rights != state.rights:
        position.play("play on")
    return position


def rebuilt_ding_niu(variant, state, options):
    maker = seat_of(state.maker)
    if maker is not None and variant.exempt_forced_maker:
        return None  # whether it had another tile to play, the tiles do not tell
    return ding_niu.from_tiles(**connecting_tiles(variant, state), maker=maker, **options)


def rebuilt_da_ling(variant, state, options):
    dealt = Position(da_ling.GAME, variant, np.array([state]).view(np.recarray))
    splits = [
        None if split == UNSPLIT else da_ling.GAME.action_name(int(split), dealt.view(seat))
        for seat, split in enumerate(state.splits[: variant.players])
    ]
    hands = [pairs(state.hands[seat]) for seat in range(variant.players)]
    return da_ling.from_tiles(pairs(state.table), hands, splits, leader=int(state.leader), **options)


def rebuilt_fishing(module, variant, state, options):
    hands, catches = ([pairs(place[seat]) for seat in range(variant.players)] for place in (state.hands, state.catches))
    return module.from_tiles(
        hands,
        pairs(state.lake),
        named(state.stock[state.turned :]),
        catches,
        drawn=None if state.drawn == NOBODY else named([state.drawn])[0],
        leader=int(state.leader),
        to_act=int(state.to_act),
        **options,
    )


def rebuilt_small_mahjong(variant, state, options):
    seats, mover, offered = range(variant.players), int(state.mover), None
    hands, known, discards = (
        [pairs(place[seat]) for seat in seats] for place in (state.hands, state.known, state.discards)
    )
    if state.offer != NOBODY:
        offered = named([state.offer])[0]
    elif state.new_tile != NOBODY:
        hands[mover].append(hands[mover].pop(hands[mover].index(named([state.new_tile])[0])))
    position = small_mahjong.from_tiles(
        hands,
        named(state.wall[state.top :]),
        [[pairs(meld) for meld in state.melds[seat] if meld] for seat in seats],
        discards,
        turn=mover,
        offered=offered,
        claimed=known,
        leader=int(state.leader),
        **options,
    )
    while position.state.to_act != state.to_act:
        position.play("pass")
    return position


def rebuilt_tien_gow(variant, state, options):
    """From the beginning of the trick on the table, whose moves are played."""
    before, moves = trick_of(variant, state)
    seats = range(variant.players)
    position = tien_gow.from_tiles(
        [pairs(before.hands[seat]) for seat in seats],
        before.taken[: variant.players].tolist(),
        [pairs(before.played[seat]) for seat in seats],
        [pairs(before.discards[seat]) for seat in seats],
        to_lead=int(before.to_act),
        leader=int(state.leader),
        streak=int(state.streak),
        **options,
    )
    position.state.bonus = before.bonus
    return position.play(*moves)


def trick_of(variant, state):
    """The state in which the trick on the table began, and the actions since."""
    dealt = Position(tien_gow.GAME, variant, np.array([state]).view(np.recarray))
    order, actions = np.zeros(len(tien_gow.GAME.deck(dealt.rules)), np.int8), np.zeros(32, np.int16)
    moves = actions[: tien_gow.GAME.history(dealt.rules, state, order, actions)].tolist()
    tien_gow.GAME.deal_from(dealt.rules, dealt.state, order)
    begun, before = 0, dealt.state.copy()
    for number, move in enumerate(moves):
        dealt.step(move)
        if dealt.state.tiles == 0:
            begun, before = number + 1, dealt.state.copy()
    return before, moves[begun:]


def rebuilt_deer_hunt(variant, state, options):
    hands, taken = ([pairs(place[seat]) for seat in range(4)] for place in (state.hands, state.taken))
    trick = state.record[state.plays - state.lying : state.plays]
    seats = {"to_act": int(state.to_act), "leader": int(state.leader)}
    return deer_hunt.from_tiles(hands, named(trick), taken, pairs(state.escaped), **seats, **options)


def rebuilt_pai_gow(variant, state, options):
    dealt = Position(pai_gow.GAME, variant, np.array([state]).view(np.recarray))
    splits = [
        None if split == UNSPLIT else pai_gow.GAME.action_name(int(split), dealt.view(seat))
        for seat, split in enumerate(state.splits[: variant.players])
    ]
    hands = [pairs(state.hands[seat]) for seat in range(variant.players)]
    return pai_gow.from_tiles(hands, splits, leader=int(state.leader), **options)


REBUILT = {
    "jie-long": lambda variant, state, options: jie_long.from_tiles(**connecting_tiles(variant, state), **options),
    "ce-deng": rebuilt_ce_deng,
    "ding-niu": rebuilt_ding_niu,
    "da-ling": rebuilt_da_ling,
    "tiu-u": partial(rebuilt_fishing, tiu_u),
    "shi-wu-hu": partial(rebuilt_fishing, shi_wu_hu),
    "small-mahjong": rebuilt_small_mahjong,
    "tien-gow": rebuilt_tien_gow,
    "deer-hunt": rebuilt_deer_hunt,
    "pai-gow": rebuilt_pai_gow,
}
SET_UP = {"ce-deng": (REDEAL,)}  # a redeal is drawn from the key of the episode
ENVS = 6


def with_rebuilt(game, variant):
    """States from the beginning and the middle of deals, and the same as their tiles are set up by hand."""
    options = {name: value for name, value in options_of(variant).items() if name != "leader"}
    envs = envs_of(game, variant, ENVS, seed=3)
    states, built = [], []
    for step in range(26):
        if step in (0, 4, 11, 25):
            for state in envs.states.copy():
                position = REBUILT[game.id](variant, state, options)
                if position is not None:
                    states.append(state)
                    built.append(position.state)
        envs.step(envs.sample(step))
    return (np.array(each).view(np.recarray) for each in (states, built))


@pytest.mark.parametrize("players", [3, 4])
def test_second_triplet_set_up_by_hand_was_claimed_from_before(players):
    hands, second = ["66 66 65 65 64", "11 11 31 31 61", "44 44 62 63 41", ""], "21 43 53"
    for turn, leader in product(range(players), repeat=2):
        laid_out = [["22 52 55", second] if seat == turn else [] for seat in range(players)]
        held = [hands[(seat - turn - 1) % players] if seat != turn else "" for seat in range(players)]
        position = small_mahjong.from_tiles(held, melds=laid_out, turn=turn, leader=leader)
        for seat in range(players):
            view = position.view(seat)
            whose = (seat + view.leader + np.cumsum(view.steps[: view.turns])) % players
            assert whose.tolist() == [(turn - 1) % players, turn]
            assert (view.mover + seat) % players == turn
            assert view.thrown[: view.turns].tolist() in [[kind, NOBODY] for kind in parse_tiles(second)]


def outcome(game, variant, state):
    """Who has won and who leads next."""
    ended = Position(game, variant, np.array([state]).view(np.recarray))
    drawn = getattr(variant, "banker", "") == "random"  # from the key of the episode
    return ended.winner() if hasattr(game.positions, "winner") else None, None if drawn else ended.next_leader()


@pytest.mark.parametrize(("game", "variant"), PAIRS, ids=PAIR_NAMES)
def test_position_built_from_a_deal_goes_on_like_it(game, variant):
    states, built = with_rebuilt(game, variant)
    dealt, by_hand = set_up(game, variant, states), set_up(game, variant, built)
    step = 0
    while not dealt.terminated.all():
        np.testing.assert_array_equal(by_hand.seats, dealt.seats)
        np.testing.assert_array_equal(by_hand.masks, dealt.masks)
        actions = sample(dealt, step, SET_UP.get(game.id, ()))
        np.testing.assert_array_equal(*(each.step(actions)[0] for each in (by_hand, dealt)))
        step += 1
    assert by_hand.terminated.all()
    for one, other in zip(by_hand.states, dealt.states, strict=True):
        assert outcome(game, variant, one) == outcome(game, variant, other)


LOCK = ["22 66", "65 64", "63 61", "55 11"]
LOCKED = {"layout": "52", "discards": ["", "33", "31", "44"], "double_lock": True}


def test_lock_of_the_worked_example_ends_the_deal_with_16_points():
    position = jie_long.from_tiles(LOCK, **LOCKED)
    assert position.terminated
    assert position.state.points[0] == 16


def test_held_six_two_must_be_played_or_discarded():
    position = jie_long.from_tiles(["22 66 62", "65 64 54", "63 61 43", "55 11 41"], **LOCKED)
    assert position.legal() == ["[2:6]", "discard [2:2]", "discard [6:2]", "discard [6:6]"]


def test_player_of_the_last_tile_may_be_given():
    tiles = {"hands": ["66", "65", "64", "63 62"], "layout": "[1:2][2:2][2:2]", "discards": ["11", "33", "44", "55"]}
    for seat in (1, 2):
        assert jie_long.from_tiles(**tiles, last_player=seat).state.last_player == seat
    with pytest.raises(ValueError, match="no order of play"):
        jie_long.from_tiles(**tiles, last_player=3)


def test_seats_with_seven_doubles_are_asked_before_the_play():
    hands = ["11 22 33 44 55 66 66 65", "65 64 64 63 62 61 61 54", "53 52 51 51 43 42 41 32", "31 31 21 11 22 33 44 55"]
    position = ce_deng.from_tiles(hands)
    assert position.legal() == ["demand a redeal", "play on"]
    assert len(position.play("play on").legal()) == 6 + 2 * 1


# Settling


def test_four_way_settlement():
    assert jie_long.settle([2, 12, 34, 18]) == [58, 18, -70, -6]
    assert jie_long.settle(["11", "66", "66 65 65", "55 44"], stake=2) == [116, 36, -140, -12]


def test_no_bonus_tail_eight_against_a_pass_and_two_tails():
    assert ce_deng.settle([2, 12, 34, 18], plays=[7, 6, 5, 6]) == [58, 18, -70, -6]
    assert ce_deng.settle([0, 10, 20, 51], plays=[8, 5, 5, 0]) == [264, 72, 12, -348]
    assert ce_deng.settle([50, 40], plays=[0, 0]) == [-10, 10]
    assert ce_deng.settle([50, 40], plays=[0, 2], leader=1) == [-20, 20]


def test_eight_doubles_declared():
    hands = ["11 11 22 22 33 33 44 44", "66 65 65 64", "66 64 63 62 61 61 52", "55 55 54 51 31"]
    assert ce_deng.settle_declaration(hands, 0) == [286, -88, -120, -78]
    with pytest.raises(ValueError, match="seat 1 may not declare"):
        ce_deng.settle_declaration(hands, 1)


# What is refused, in one line

HANDS = ["66", "65", "64", "63"]
REFUSED = [
    (jie_long, {"hands": ["77", "65", "64", "63"]}, "is not a tile"),
    (jie_long, {"hands": [[(6, 7)], "65", "64", "63"]}, "is not a tile"),
    (jie_long, {"hands": ["63 63", "65 65", "64 64", "11 22"]}, "[6:3] is given 2 times; the deck has 1"),
    (jie_long, {"hands": HANDS, "layout": "[1:2][3:1]"}, "do not join"),
    (jie_long, {"hands": HANDS, "layout": "[1:2]"}, "5 tiles cannot be shared equally by 4 seats"),
    (jie_long, {"hands": ["", "", "", ""]}, "0 tiles cannot be shared"),
    (jie_long, {"hands": HANDS, "discards": ["11", "22", "33", "44"]}, "seat 0 led but has laid no tile"),
    (jie_long, {"hands": ["66 11", "65", "64", "63"], "layout": "[1:2][2:2][2:2]"}, "seat 0 has shed 0 of 3 tiles"),
    (jie_long, {"hands": ["66 11 33", "65", "64", "63 22"], "layout": "21"}, "more than its share"),
    (jie_long, {"hands": HANDS, "discards": ["11"]}, "one entry for each of the 4 seats"),
    (jie_long, {"hands": HANDS, "leader": 4}, "leader=4"),
    (jie_long, {"hands": HANDS, "players": 3}, "players=3 is not allowed with the tiles of 4 seats"),
    (jie_long, {"hands": HANDS, "forced": True}, "did you mean forced_play"),
    (
        jie_long,
        {"hands": ["33", "21", "41", "51"], "layout": "[6:1]", "discards": ["", "44", "55", "66"], "forced_play": True},
        "no order of play",
    ),
    (ding_niu, {"hands": ["21", "65", "64", "63"]}, "[2:1] is given 1 times; the deck has 0"),
    (ding_niu, {"hands": HANDS[:3]}, "players=3"),
    (da_ling, {"table": "11", "hands": ["22 33 44 55 66 65", "31 41 51 61 62 63"]}, "2 tiles lie on the table"),
    (da_ling, {"table": "11 11", "hands": ["22 33 44 55 66 11", "31 41 51 61 62 63"]}, "[1:1] is given 3 times"),
]


@pytest.mark.parametrize(("module", "tiles", "message"), REFUSED, ids=[message for *_, message in REFUSED])
def test_impossible_position_is_refused_in_one_line(module, tiles, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        module.from_tiles(**tiles)
    assert "\n" not in str(error.value)


TWO = {"table": "11 22", "hands": ["22 33 44 55 66 65", "31 41 51 61 62 63"]}


@pytest.mark.parametrize(
    "split", ["22 / 33 44", "22 33 / 44 55 / 66 65", "11 / 33 44 / 55 66 65", "22 / 33 44 / 55 66 64"]
)
def test_split_of_other_tiles_or_sizes_is_refused(split):
    with pytest.raises(ValueError, match="does not split the hand"):
        da_ling.from_tiles(**TWO, splits=[split, None])


def test_seats_split_in_the_order_of_turn():
    first, second = "66 / 65 55 / 22 33 44", "31 / 41 51 / 61 62 63"
    assert da_ling.from_tiles(**TWO, splits=[first, None]).state.to_act == 1
    assert da_ling.from_tiles(**TWO, splits=[first, second]).terminated
    with pytest.raises(ValueError, match="seat 0 has not split its hand"):
        da_ling.from_tiles(**TWO, splits=[None, second])


# Playing


def test_moves_are_played_by_name_or_number_and_refused_by_name():
    position = jie_long.from_tiles(["66 11", "65 44", "64 33", "63 22"])
    position.play("[6:6]", KINDS + 19)  # [6:5], leaving the five open
    assert position.state.ends[0] == 5
    with pytest.raises(ValueError, match=r"seat 2: \[6:4\] .* is not legal; legal: discard"):
        position.play("[6:4]")
    with pytest.raises(ValueError, match="'six' is not an action of jie-long; legal: discard"):
        position.play("six")
    with pytest.raises(ValueError, match="not over"):
        position.payoffs()


def test_split_is_played_by_the_names_of_its_tiles():
    position = da_ling.from_tiles(**TWO).play("[2:2] / [4:4][3:3] / [6:6][6:5][5:5]")
    assert get_game("da-ling").action_name(int(position.state.splits[0]), position.view(0)).startswith("[2:2] / ")


LINE = ["66 51", "65 44", "64 33", "63 22"]


@pytest.mark.parametrize(
    "tiles",
    [
        [["6:6", "1:5"], ["65", "[4:4]"], ["6 4 33"], ["63", (2, 2)]],
        [[(6, 6), (1, 5)], ((5, 6), (4, 4)), [[6, 4], [3, 3]], np.array([[6, 3], [2, 2]])],
        np.array([["66", "51"], ["65", "44"], ["64", "33"], ["63", "22"]]),
        [[(np.int64(6), np.int8(6)), "51"], "6544", "64,33", ("63", "22")],
    ],
    ids=["texts", "pairs", "array", "mixed"],
)
def test_tiles_are_texts_or_pairs_in_any_sequence(tiles):
    hands = jie_long.from_tiles(LINE).state.hands
    np.testing.assert_array_equal(jie_long.from_tiles(tiles).state.hands, hands)
    np.testing.assert_array_equal(jie_long.from_tiles(iter(tiles)).state.hands, hands)


def test_seats_and_options_may_be_integers_of_numpy():
    position = jie_long.from_tiles(["66 51", "65 11", "44 33", "63 22"], leader=np.int64(2), players=np.int64(4))
    assert position.state.to_act == 2
    assert position.view(np.int8(2)).tobytes() == position.view(2).tobytes()
    assert position.after(np.int64(9)).state.ends[0] == 4
    assert ding_niu.settle(np.array([10, 5, 5, 10]), maker=np.int8(1)) == [-6, 12, -2, -4]
    assert ce_deng.settle([50, 40], np.array([0, 2]), leader=np.int8(1)) == [-20, 20]


@pytest.mark.parametrize(
    ("moves", "ends"),
    [
        (["[6:6]", "65"], 5),
        (["6:6", "5:6"], 5),  # only the five can stay open
        ([(6, 6), (6, 5)], 5),
        ([[(6, 6)], ["6:5"]], 5),
        (["66", "65 ", " [ 4 : 6 ] "], None),
        (["[5:1]"], 1),
        (["[1:5]"], 5),
        (["15"], 5),
    ],
)
def test_tile_is_played_with_its_open_end_last_where_both_fit(moves, ends):
    position = jie_long.from_tiles(LINE)
    if ends is None:
        with pytest.raises(ValueError, match=r"seat 2: \[4:6\] .* is not legal"):
            position.play(*moves)
    else:
        assert position.play(*moves).state.ends[0] == ends


def test_move_words_and_tiles_may_be_spelled_freely():
    position = jie_long.from_tiles(LINE, forced_play=False).play("66", "DISCARD 44")
    assert position.state.drops[1] == 1
    fishing = tiu_u.from_tiles(["53 11", "22 33"], "44 62", "31")
    assert fishing.legal()[-2:] == ["[5:3] catches [4:4]", "[5:3] catches [6:2]"]
    assert fishing.after("35 catches 2:6").state.last_player == 0
    with pytest.raises(ValueError, match="is not an action of tiu-u"):
        fishing.play("[5:3][6:2]")
    hands = ["66 65 54 63 42 52", "55 22 65 43 41", "64 33 21 51 53", "55 44 44 61 61"]
    claiming = small_mahjong.from_tiles(hands, "31").play("discard 2:5")
    assert "claim [2:2][5:2][5:5]" in claiming.legal()
    assert claiming.after("claim 55 22 25").legal() == claiming.after("claim [2:2][5:2][5:5]").legal()


def test_split_groups_and_their_tiles_come_in_any_order():
    action = da_ling.from_tiles(**TWO).play("[2:2] / [4:4][3:3] / [6:6][6:5][5:5]").state.splits[0]
    for split in ("33 44 / 56 66 55 / 22", "6:6 5:5 6:5/2:2/4:4 3:3", "[2:2]/[3:3][4:4]/[5:5][5:6][6:6]"):
        assert da_ling.from_tiles(**TWO).play(split).state.splits[0] == action
        assert da_ling.from_tiles(**TWO, splits=[split, None]).state.splits[0] == action
    groups = ["66 55 65", "22", [(3, 3), "44"]]
    assert da_ling.from_tiles(**TWO, splits=[groups, None]).state.splits[0] == action
    splits = ["22 / 33 44 / 55 66 65", "31 / 41 51 / 61 62 63"]
    assert da_ling.settle("11 22", [groups, splits[1]]) == da_ling.settle("11 22", splits)


def test_tiny_deck_groups_have_one_tile_and_their_order_counts():
    tiny = {"table": "21 32", "hands": ["64 55 51", "64 55 51"], "deck": "tiny"}
    orders = ["64/55/51", "55/64/51", "51/55/64"]
    played = {int(da_ling.from_tiles(**tiny).play(split).state.splits[0]) for split in orders}
    given = {int(da_ling.from_tiles(**tiny, splits=[split, None]).state.splits[0]) for split in orders}
    assert played == given
    assert len(played) == 3


@pytest.mark.parametrize("move", ["six", "", "7:7", "6:4 5:5 4:4", 2.5, None, True, (6, 7), b"64", [None]])
def test_invalid_move_is_refused_in_one_line_with_a_dozen(move):
    position = da_ling.from_tiles(**TWO)
    before = position.state.tobytes()
    with pytest.raises(ValueError, match=r"is not an action of da-ling; legal: .* and 48 more$") as error:
        position.play(move)
    assert str(error.value).count(" / ") == 24
    assert "\n" not in str(error.value)
    assert position.state.tobytes() == before


# What a position tells


def test_position_shows_its_table():
    position = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]")
    shown = repr(position)
    assert "(4) [4:6]* (6)" in shown
    assert "> Seat 1" in shown
    assert "[5:5] [5:5]" in shown  # all tiles are face up
    assert "chips" not in shown
    assert "-12 chips" in repr(position.after("64"))


def test_moves_can_be_tried_without_changing_the_position():
    position = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]")
    before = position.state.tobytes()
    assert position.after("[6:4]").payoffs() == [12, -12, 0, 0]
    assert not position.after("[4:6]").terminated
    assert position.state.tobytes() == before


def test_hidden_tiles_are_redealt():
    position = jie_long.from_tiles([*LINE])
    drawn = [position.redealt(0, key) for key in range(20)]
    for each in drawn:
        assert each.view(0).tobytes() == position.view(0).tobytes()
    assert len({int(each.state.hands[1]) for each in drawn}) > 10
    assert position.redealt(0, 3).state.tobytes() == drawn[3].state.tobytes()
    with pytest.raises(ValueError, match="a seed is a whole number"):
        position.redealt(0, -1)
    with pytest.raises(ValueError, match="seat=4 is not allowed"):
        position.redealt(4, 1)


def played_out(position):
    while not position.terminated:
        position.play(position.legal()[-1])
    return position


def test_winner_and_next_leader_follow_the_rules():
    ended = played_out(jie_long.from_tiles(LINE, leader=1))
    points, before = ended.state.points.tolist(), ended.state.tobytes()
    assert ended.winner() == ended.next_leader() == points.index(min(points))
    assert ended.state.tobytes() == before
    blocked = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]").play("64")
    assert (blocked.winner(), blocked.next_leader()) == (0, 0)
    eight = ["11 11 22 22 33 33 44 44", "66 65 65 64 64 63 62 61", "66 61 55 55 54 53 52 51", "51 43 42 41 32 31 31 21"]
    declared = ce_deng.from_tiles(eight[1:] + eight[:1]).play("declare eight doubles")
    assert (declared.winner(), declared.next_leader()) == (3, 3)
    caught = played_out(tiu_u.from_tiles(["66", "11"], leader=1))
    assert caught.next_leader() == 0
    with pytest.raises(ValueError, match="the rules of tiu-u name no winner; ask for payoffs"):
        caught.winner()


def test_small_mahjong_is_won_by_the_declarer_and_a_draw_by_nobody():
    hands = ["22 52 55 33 63 66", "62 64 65 43 41", "64 33 21 51 53", "55 44 44 61 61"]
    won = small_mahjong.from_tiles(hands, "31", turn=0)
    assert won.play("win").winner() == won.next_leader() == 0
    drawn = played_out(
        small_mahjong.from_tiles(["66 65 54 63 42 52", *hands[1:]], turn=0, leader=2, claim_last_discard=False)
    )
    assert (drawn.winner(), drawn.next_leader()) == (None, 2)


def test_da_ling_is_won_by_matching_three_with_most_pips():
    splits = ["43 / 65 51 / 11 63 33", "52 / 66 41 / 22 22 54"]  # of the worked example: B wins
    hands = [split.replace("/", "") for split in splits]
    assert da_ling.from_tiles("66 32", hands, splits).winner() == 1
    assert da_ling.from_tiles("66 32", hands[::-1], splits[::-1], leader=1).winner() == 0
    assert da_ling.from_tiles(**TWO, splits=["22/33 44/55 66 65", "31/41 51/61 62 63"]).winner() is None


def test_winner_is_unknown_before_the_end():
    position = jie_long.from_tiles(LINE)
    for ask in (position.winner, position.next_leader, position.payoffs):
        with pytest.raises(ValueError, match="the deal is not over"):
            ask()


# What else is refused


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: jie_long.from_tiles("66 65 64 63"), "hands must be a sequence with one entry for each seat"),
        (lambda: jie_long.from_tiles(None), "hands must be a sequence with one entry for each seat, not None"),
        (lambda: jie_long.from_tiles({0: "66"}), "hands must be a sequence"),
        (lambda: jie_long.from_tiles([None, "65", "64", "63"]), "None is not a tile"),
        (lambda: jie_long.from_tiles([6.0, "65", "64", "63"]), "6.0 is not a tile"),
        (lambda: jie_long.from_tiles([[(6.0, 6.0)], "65", "64", "63"]), "(6.0, 6.0) is not a tile"),
        (lambda: jie_long.from_tiles([[(True, True)], "65", "64", "63"]), "(True, True) is not a tile"),
        (lambda: jie_long.from_tiles([{(6, 6)}, "65", "64", "63"]), "is not a tile"),
        (lambda: jie_long.from_tiles([np.array(6), "65", "64", "63"]), "is not a tile"),
        (lambda: jie_long.from_tiles(HANDS, leader=True), "leader=True is not allowed"),
        (lambda: jie_long.from_tiles(HANDS, leader=1.0), "leader=1.0 is not allowed"),
        (lambda: jie_long.from_tiles(HANDS, leader="0"), "leader='0' is not allowed"),
        (lambda: jie_long.from_tiles(HANDS, last_player=9), "last_player=9 is not allowed"),
        (lambda: jie_long.from_tiles(HANDS, layout=7), "7 is not a tile"),
        (lambda: jie_long.from_tiles(HANDS).view(-1), "seat=-1 is not allowed; choose a seat of [0, 1, 2, 3]"),
        (lambda: jie_long.settle(["63 63", "", "", ""]), "[6:3] is given 2 times; the deck has 1"),
        (lambda: jie_long.settle(["63", "63", "", ""]), "[6:3] is given 2 times; the deck has 1"),
        (lambda: jie_long.settle([1]), "players=1 is not allowed"),
        (lambda: jie_long.settle(7), "discards must be a sequence"),
        (lambda: jie_long.settle([1, 2, 3, 87]), "discards of 87 pips are not allowed; a hand has 0 to 86"),
        (lambda: jie_long.settle([1, 2, 3, -1]), "discards of -1 pips are not allowed"),
        (lambda: jie_long.settle([1, 2, 3, 1.5]), "1.5 is not a tile"),
        (lambda: jie_long.settle([1, 2, 3, True]), "True is not a tile"),
        (lambda: jie_long.settle(["66 66 65 65 64 64 55 55 54", 1, 2, 3]), "discards of 9 tiles"),
        (lambda: ce_deng.settle(["66 66 66", 1], [5, 1]), "[6:6] is given 3 times"),
        (lambda: ce_deng.settle(["66 66", 1], [5, 1]), "seat 0 has 5 plays and 2 tiles left; together they are 8"),
        (lambda: ce_deng.settle([1, 2], [1]), "plays must hold one entry for each of the 2 seats, not 1"),
        (lambda: ce_deng.settle([1, 2], ["x", 1]), "plays='x' is not allowed"),
        (lambda: ce_deng.settle([1, 2], [9, 1]), "plays=9 is not allowed"),
        (lambda: ce_deng.settle([1, 2], None), "plays must be a sequence"),
        (lambda: ce_deng.settle_declaration(["11 11", ""], 2), "declarer=2 is not allowed"),
        (lambda: ce_deng.settle_declaration(["11 11", "11"], 0), "[1:1] is given 3 times"),
        (lambda: ce_deng.settle_declaration(["66" * 2 + "65" * 2 + "64" * 2 + "555554", ""], 0), "9 tiles"),
        (lambda: ding_niu.settle(["62", "62", "", ""]), "[6:2] is given 2 times; the deck has 1"),
        (lambda: ding_niu.settle([1, 2, 3]), "players=3"),
        (lambda: ding_niu.settle([1, 2, 3, 4], maker="a"), "maker='a' is not allowed"),
        (lambda: ding_niu.settle([1, 2, 3, 4], maker=4), "maker=4 is not allowed"),
        (lambda: ding_niu.settle([1, 2, 3, 70]), "a hand has 0 to 66"),
        (lambda: da_ling.settle("11 22", None), "splits must be a sequence"),
        (lambda: da_ling.settle("11 22", [None, None]), "None is not a split"),
        (lambda: da_ling.settle("11 22", ["22/33 44", "66"]), "2 tiles lie on the table and 6 are in each hand"),
        (lambda: da_ling.from_tiles(**TWO, splits=[7, None]), "7 is not a split"),
        (lambda: small_mahjong.settle(None, "11 22"), "in a draw nobody shows tiles"),
        (lambda: small_mahjong.settle(True, "11 22"), "winner=True is not allowed"),
        (lambda: small_mahjong.settle(0, "63 63 11 22 33 44"), "[6:3] is given 2 times"),
        (lambda: small_mahjong.settle(0, players=None), "players=None is not allowed"),
        (lambda: small_mahjong.from_tiles(None), "hands must be a sequence"),
        (lambda: small_mahjong.from_tiles(["11"] * 3, turn=3), "turn=3 is not allowed"),
        (lambda: small_mahjong.claims("11 22 33 44 55", "66 65", 1), "tile='66 65' is not one tile"),
        (lambda: small_mahjong.claims("11 22 33 44 55", "66", 1.0), "seats_away=1.0 is not allowed"),
        (lambda: tiu_u.settle(5), "catches must be a sequence"),
        (lambda: tiu_u.settle(["62 62 62", ""]), "[6:2] is given 3 times; the deck has 2"),
        (lambda: tiu_u.settle(["62"]), "players=1 is not allowed"),
        (lambda: tiu_u.matches("53 11", "44"), "bait='53 11' is not one tile"),
    ],
)
def test_bad_input_of_any_kind_is_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        call()
    assert "\n" not in str(error.value)
