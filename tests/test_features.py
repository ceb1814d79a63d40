"""What the features of an action say: in positions worked out by hand, within their ranges, from the view alone."""

from itertools import combinations

import numpy as np
import pytest

from gupai_agents import Turns, make_agent
from gupai_agents.styles import StyleAgent
from gupai_env import GAMES, Lanes
from gupai_env.core.game import Game
from gupai_env.core.position import Position
from gupai_env.core.rng import derive
from gupai_env.core.tiles import tiles_in
from gupai_env.games.da_ling.players import share_as_strong
from gupai_env.games.da_ling.rules import NO_MATCH, SPLITS, WORTH, strength_of
from gupai_env.positions import da_ling, ding_niu, small_mahjong, tiu_u
from walks import views_of

# By game, variants whose decisions are looked at.
VARIANTS = {
    "jie-long": ({}, {"forced_play": True, "players": 3}, {"open_ends": 2}, {"players": 2, "deck": "tiny"}),
    "ce-deng": ({"redeal_doubles": 6, "players": 3}, {"players": 2, "deck": "tiny"}),
    "ding-niu": (
        {},
        {"forced_play": False, "after_suan_zhang": "play_on"},
        {"smothered_numbers": (1, 6), "after_suan_zhang": "stop"},
        {"players": 2, "deck": "tiny"},
    ),
    "da-ling": ({}, {"players": 2}, {"players": 2, "deck": "tiny"}),
    "tiu-u": (
        {},
        {"players": 3, "heaven_pair": True},
        {"lock_triples": True},
        {"players": 2, "deck": "tiny", "heaven_pair": True},
    ),
    "small-mahjong": (
        {},
        {"expose_claims": False, "auto_win": False},
        {"players": 3},
        {"players": 2, "deck": "tiny"},
    ),
}
LANES, STEPS = 300, 24
RARE = {"declare", "redeal", "play_on"}  # eight doubles in hand: one deal in a million
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def alone(game: Game, feature: str) -> StyleAgent:
    return StyleAgent(game, feature, {feature: 1.0})


@every_game
def test_every_feature_stays_within_its_range_and_tells_some_actions_apart(game):
    found: dict[str, set[float]] = {feature.name: set() for feature in game.features}
    for options in VARIANTS[game.id]:
        lanes = Lanes(game, LANES, seed=4, **options)
        for step in range(STEPS):
            views, keys = lanes.views()
            turns = Turns(views, lanes.masks.copy(), keys)
            for feature in game.features:
                worths = alone(game, feature.name).worths(turns)[turns.masks]
                # To an action that it says nothing about a feature is 0.
                assert worths.min() >= min(feature.low, 0), feature.name
                assert worths.max() <= feature.high, feature.name
                found[feature.name] |= set(worths.tolist())
            lanes.step(lanes.sample(derive(5, step)))
    assert {name for name, values in found.items() if len(values) < 2} <= RARE


@every_game
def test_what_is_hidden_changes_no_feature(game):
    weights = dict(
        zip((f.name for f in game.features), np.random.default_rng(2).normal(size=99), strict=False)
    )
    agent = StyleAgent(game, "all", weights)
    for options in VARIANTS[game.id]:
        lanes = Lanes(game, LANES, seed=6, **options)
        for step in range(8):
            views, keys = (each.copy() for each in lanes.views())
            masks, drawn = lanes.masks.copy(), game.new_states(LANES)
            lanes.kernels.determinize(lanes.rules, views, keys, drawn)
            again = views.copy()
            for seat in range(game.max_seats):
                mine = drawn.to_act == seat
                again[mine] = views_of(lanes, drawn[mine].view(np.recarray), seat)
            one, other = (agent.worths(Turns(each.view(np.recarray), masks, keys)) for each in (views, again))
            np.testing.assert_allclose(one, other, atol=1e-9)
            lanes.step(lanes.sample(derive(7, step)))


def told(position: Position, action: str, *features: str) -> list[float]:
    """What features say about an action of the seat to act, in plain Python."""
    game, view = position.game, position.view(int(position.state.to_act))
    legal = np.flatnonzero(position.mask())
    number = next(int(at) for at in legal if game.action_name(int(at), view) == action)
    return [float(game.room.worth(view, number, game.style({name: 1.0}))) for name in features]


# Ding Niu. All doubles weigh 84 pips, all other tiles 93.

BLOCKS = {
    "block_ones": ("[1:3][3:1][1:5][5:1][1:6]", "[6:1]"),
    "block_two_three": ("[3:3][3:3][3:1][1:3][3:6]", "[6:2]"),
    "block_fours": ("[4:6]", "[6:4]"),
    "block_fives": ("[5:6][6:5][5:1]", "[1:5]"),
    "smothered_fives": ("[6:3][3:1][1:6][6:5][5:6][6:1]", "[1:3]"),
    "smothered_fours": ("[2:6][6:3][3:1][1:6][6:5][5:6]", "[6:1]"),
}


@pytest.mark.parametrize("feature", BLOCKS)
def test_the_kind_of_a_suan_zhang(feature):
    layout, tile = BLOCKS[feature]
    laid = layout.count(":")
    rest = [f"[{n}:{n}]" for n in (2, 6, 4)]
    hands = [""] * (laid % 4) + [tile] + rest[: 3 - laid % 4]
    says = dict(zip(BLOCKS, told(ding_niu.from_tiles(hands, layout), tile, *BLOCKS), strict=True))
    assert says == {name: float(name == feature) for name in BLOCKS}


def test_the_count_when_a_suan_zhang_is_made():
    position = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]")
    # Of 177 pips the maker sees 10 + 10 + 2; [1:1] stays in its hand, seat 0 has a tile left, one of 21 unseen ones.
    ahead = 155 / 21 - 2
    # The [4:4] are laid by whoever holds them, and weigh nothing.
    assert told(position, "[6:4]", "ahead", "block_ahead", "block_won") == pytest.approx(
        [ahead, 139 / 21 - 2, 1]
    )
    assert told(position, "[4:6]", "ahead", "block_ahead") == pytest.approx([ahead, 0])  # both ends six


def test_tiles_that_threaten_to_make_a_suan_zhang():
    names = "threat", "own_threat", "ahead", "threat_ahead", "own_threat_ahead"
    # The other [6:4] would leave a four at both ends. Seat 0 counts 2, the others have two of 22 tiles of 165 pips.
    unseen = ding_niu.from_tiles(["64 11", "64 22", "55 55", "33 33"])
    assert told(unseen, "[4:6]", *names) == pytest.approx([1, 0, 13, 13, 0])
    # Seat 0 holds it itself and counts 10, the others have two of 22 tiles of 157 pips.
    own = ding_niu.from_tiles(["64 64", "22 22", "55 55", "33 33"])
    ahead = 2 * 157 / 22 - 10
    assert told(own, "[4:6]", *names) == pytest.approx([0, 1, ahead, 0, ahead])
    # Nothing threatens beside [5:5], and nothing any more once the suan zhang is made.
    assert told(ding_niu.from_tiles(["55 11", "64 22", "64 44", "33 33"]), "[5:5]", *names[:2]) == [0, 0]
    made = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]", after_suan_zhang="play_on")
    assert told(made, "[6:4]", *names[:2]) == [0, 0]


# Da Ling


def test_what_the_groups_of_a_split_promise():
    # The target is 7 and the colour red. Among 24 unseen tiles [4:3] and the other [6:1] match with a red pip or more.
    hand = "61 52 55 66 41 11"
    position = da_ling.from_tiles("66 32", [hand, "43 61 22 22 33 33", "31 31 44 44 51 51", "62 63 53 42 21 54",
                                            "64 64 65 65 55 11"])  # fmt: skip
    split = "[6:1] / [6:6][4:1] / [5:5][5:2][1:1]"
    alone = (1 - 2 / 24) ** (2.5 * 4)
    names = "single_pips", "pair_pips", "single_chance", "triple_pips", "triple_chance"
    # The pair has 17 pips, 6 + 5 of them red; the triple [5:5][5:2][1:1] has 19 and does not match.
    assert told(position, split, *names) == pytest.approx([1, 11, alone, 0, 0])
    # Two of 276 unseen pairs match with so many red pips, [4:4][5:4] with twelve.
    pair = (1 - 2 / 276) ** (3.5 * 4)
    assert told(position, split, "pair_chance", "stake_chance") == pytest.approx([pair, 3 * alone + 7 * pair])


@pytest.mark.parametrize("options", VARIANTS["da-ling"], ids=str)
def test_the_share_of_strong_groups_among_the_unseen_tiles(options):
    views = Lanes(GAMES["da-ling"], 5, seed=3, **options).views()[0]
    for view in views:
        unseen = tiles_in(int(view.unseen))
        for tiles in (1, 2, 3):
            groups = [sum(int(WORTH[kind]) for kind in group) for group in combinations(unseen, tiles)]
            strengths = np.array([strength_of(group, int(view.target), int(view.red)) for group in groups])
            for pips in (0, 4, 9):
                share = ((strengths != NO_MATCH) & (strengths >= pips)).mean()
                assert share_as_strong(view, tiles, pips) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize("players", [2, 5])
def test_a_group_is_unmatched_about_as_often_as_its_chance_says(players):
    game, deals = GAMES["da-ling"], 4000
    lanes, player = Lanes(game, deals, seed=9, renew=False, players=players), make_agent("colour", game)
    strengths, chances = np.empty((2, players, deals, 3))
    for seat in range(players):
        views, keys = lanes.views()
        turns = Turns(views, lanes.masks.copy(), keys)
        split, lane = player.act(turns), np.arange(deals)
        strengths[seat] = views.strength[lane[:, None], SPLITS[split]]
        for group, name in enumerate(("single_chance", "pair_chance", "triple_chance")):
            chances[seat, :, group] = alone(game, name).worths(turns)[lane, split]
        lanes.step(split)
    for group in range(3):
        mine, chance = strengths[:, :, group], chances[:, :, group]
        best_other = np.array([np.delete(mine, seat, 0).max(0) for seat in range(players)])
        for low, high in ((0, 0.3), (0.3, 0.6), (0.6, 0.9), (0.9, 1)):
            some = (mine != NO_MATCH) & (low <= chance) & (chance <= high)
            if some.sum() > 300:
                assert (mine > best_other)[some].mean() == pytest.approx(chance[some].mean(), abs=0.06)


# Tiu-U. A set has four [6:6], six other tiles of ten pips or more, and so on; unseen is what lies nowhere.


def test_big_fish_and_piles():
    position = tiu_u.from_tiles(["66 66 11 44", "55"], "66 66 11 44 44 44")
    names = "points", "big", "pile"
    assert told(position, "[6:6] catches [6:6]", *names) == [48, 48, 0]
    assert told(position, "[1:1] catches [1:1]", *names) == [10, 0, 0]  # four red pips are rounded up to ten
    assert told(position, "[4:4] catches three", *names) == [64, 64, 1]
    assert told(position, "lay [6:6]", "third", "own_third", *names) == [1, 1, 0, 0, 0]
    assert told(position, "lay [1:1]", "third", "own_third") == [0, 0]
    assert told(position, "lay [4:4]", "third", "own_third") == [0, 0]  # it is the fourth
    drawn = tiu_u.from_tiles(["66 11", "55"], "66 66", drawn="66")
    assert told(drawn, "lay [6:6]", "third", "own_third") == [1, 1]
    assert told(tiu_u.from_tiles(["66 11", "55"], "66 66"), "lay [6:6]", "third", "own_third") == [1, 0]


def test_what_the_lake_gives_the_next_seat():
    # 61 tiles are unseen. The next seat has one of them and turns up another: one of two [6:6], or of the seven other
    # tiles of eight pips ([4:4] three, [5:3] and [6:2] two each).
    position = tiu_u.from_tiles(["66 44", "11"], "66")
    six, eight = 1 - (59 / 61) ** 2, 1 - (54 / 61) ** 2
    both = [24 * six + 16 * eight, max(24 * six, 16 * eight)]
    assert told(position, "lay [4:4]", "gives", "gives_best") == pytest.approx(both)
    assert told(position, "lay [6:6]", "gives", "gives_best") == pytest.approx([48 * six, 24 * six])
    assert told(position, "[6:6] catches [6:6]", "gives", "gives_best") == [0, 0]
    # Of three [6:6] one is caught by the last one, or all three where they are a closed pile.
    hands, lake = ["66 55", "11"], "66 66"
    last = 1 - (59 / 60) ** 2
    for locked in (False, True):
        pile = tiu_u.from_tiles(hands, lake, lock_triples=locked)
        gives = [72 * last, (72 if locked else 24) * last]
        assert told(pile, "lay [6:6]", "gives", "gives_best") == pytest.approx(gives)
    # Of three [5:1], a pip each, one is caught by one of 56 tiles: the last one, or the two [4:2]; closed by the last.
    for locked, baits in ((False, 3), (True, 1)):
        small = tiu_u.from_tiles(["51 44", "22"], "51 51 33 33 33 33", lock_triples=locked)
        assert told(small, "lay [5:1]", "gives") == pytest.approx([3 * (1 - (1 - baits / 56) ** 2)])
    # Four of them are caught one by one by the four [3:3] and the two [4:2], or never where they are closed.
    for locked, gives in ((False, 4 * (1 - (53 / 59) ** 2)), (True, 0)):
        four = tiu_u.from_tiles(["51 44", "22"], "51 51 51", lock_triples=locked)
        assert told(four, "lay [5:1]", "gives") == pytest.approx([gives])


# Small Mahjong

IDLE = [
    "[6:1][6:1][3:1][3:1][6:3]",
    "[4:2][4:1][5:1][5:1][6:4]",
    "[6:6][6:5][4:4][4:4][2:1]",
]  # claim no [5:2]
DOUBLE_SET = "[2:2][5:2][5:5]"


def test_pairs_that_are_kept():
    hands = ["22 55 54", "61 61 31 31 62", IDLE[1], IDLE[2]]
    laid_out = [["[3:3][6:3][6:6]"], [], [], []]
    position = small_mahjong.from_tiles(hands, melds=laid_out)
    # [2:2][5:5] waits for the [5:2] alone, [5:5][5:4] for [4:4] or [3:2], [2:2][5:4] for [3:2] or [6:2].
    for tile in ("[5:4]", "[2:2]", "[5:5]"):
        assert told(position, f"discard {tile}", "pairs", "twins", "closed") == [1, 0, 0]
    gone = small_mahjong.from_tiles(hands, melds=laid_out, discards=["52", "", "", ""])
    assert told(gone, "discard [5:4]", "pairs") == [0]
    assert told(gone, "discard [2:2]", "pairs") == [1]


def test_equal_tiles_that_are_kept():
    position = small_mahjong.from_tiles(["22 22 55 55 65 64", IDLE[0], "42 41 51 51 43", IDLE[2]])
    assert told(position, "discard [6:4]", "twins", "closed") == [2, 1]
    assert told(position, "discard [2:2]", "twins", "closed") == [1, 1]


@pytest.mark.parametrize(("seat", "feature"), [(1, "claim_near"), (2, "claim_middle"), (3, "claim_far")])
def test_a_claim_by_the_distance_of_the_discarder(seat, feature):
    hands = [IDLE[1], IDLE[0], "[6:2][6:5][4:4][4:4][2:1]"]
    hands.insert(seat, "[2:2][5:5][6:6][6:5][1:1]")
    names = "claim_near", "claim_middle", "claim_far"
    expected = [float(name == feature) for name in names]
    position = small_mahjong.from_tiles(hands, offered="52")
    assert position.state.to_act == seat
    assert told(position, f"claim {DOUBLE_SET}", *names, "closed") == [*expected, 0]
    assert told(position, "pass", *names, "closed") == [0, 0, 0, 1]
    joining = small_mahjong.from_tiles(hands, offered="52", expose_claims=False)
    assert told(joining, "claim into the hand", *names, "closed") == [*expected, 1]
