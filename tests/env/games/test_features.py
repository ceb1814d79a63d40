"""What the features of an action say: in positions worked out by hand, within their ranges, from the view alone."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from adapters import ADAPTERS
from facts import Line, Sight, first_block, joined, tiles_of, unseen_tiles
from gupai_agents import DecisionBatch
from gupai_agents.players.heuristics import HeuristicAgent
from gupai_env import GAMES, VectorEnv
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.heuristic import SPARE
from gupai_env.core.position import Position
from gupai_env.core.rng import derive
from gupai_env.core.tiles import RED, kind_of, tile_set, tiles_in
from gupai_env.games.da_ling.players import groups_as_strong
from gupai_env.games.da_ling.rules import NO_MATCH, VALUE, strength_of
from gupai_env.games.deer_hunt import players as deer_hunt_players
from gupai_env.games.pai_gow import players as pai_gow_players
from gupai_env.games.shi_wu_hu import players as shi_wu_hu_players
from gupai_env.games.tiu_u import players as tiu_u_players
from gupai_env.positions import da_ling, ding_niu, shi_wu_hu, small_mahjong, tiu_u
from referees.ding_niu import suan_zhang
from referees.tiles import Tile, is_double
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
    "shi-wu-hu": (
        {},
        {"players": 3, "deck": "tiles", "supreme_match": "sixes"},
        {"group": "one_one", "tens_match": True, "heaven_earth": True},
        {"players": 2, "deck": "tiny"},
    ),
    "small-mahjong": ({}, {"expose_claims": False, "auto_win": False}, {"players": 3}, {"players": 2, "deck": "tiny"}),
    "tien-gow": ({}, {"civil_supreme": True, "combinations": "pairs"}, {"players": 2, "deck": "tiny"}),
    "deer-hunt": ({}, {"escape": True, "fair_deal": "heaven"}, {"deck": "tiny"}),
    "pai-gow": ({}, {"players": 8}, {"zero": "tile", "wild": False}, {"players": 2, "deck": "tiny"}),
}
ENVS, STEPS = 300, 24
# Eight doubles in hand, one deal in a million, and 1,000 points, which nobody has so early:
RARE = {"declare", "redeal", "play_on", "thousand"}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def alone(game: Game, feature: str) -> HeuristicAgent:
    return HeuristicAgent(game, feature, {feature: 1.0})


@every_game
def test_features_stay_within_range_and_vary(game):
    found: dict[str, set[float]] = {feature.name: set() for feature in game.features}
    for options in VARIANTS[game.id]:
        envs = VectorEnv(game, ENVS, seed=4, **options)
        for step in range(STEPS):
            views, rng_keys = envs.views()
            turns = DecisionBatch(views, envs.masks.copy(), rng_keys)
            for feature in game.features:
                scores = alone(game, feature.name).scores(turns)[turns.masks]
                # To an action that it says nothing about a feature is 0.
                assert scores.min() >= min(feature.low, 0), feature.name
                assert scores.max() <= feature.high, feature.name
                found[feature.name].update(np.unique(scores).tolist())
            envs.step(envs.sample(derive(5, step)))
    assert {name for name, values in found.items() if len(values) < 2} <= RARE


@every_game
def test_hidden_tiles_change_no_feature(game):
    weights = dict(zip((f.name for f in game.features), np.random.default_rng(2).normal(size=99), strict=False))
    agent = HeuristicAgent(game, "all", weights)
    for options in VARIANTS[game.id]:
        envs = VectorEnv(game, ENVS, seed=6, **options)
        for step in range(8):
            views, rng_keys = (each.copy() for each in envs.views())
            masks, drawn = envs.masks.copy(), game.new_states(ENVS)
            envs.kernels.determinize(envs.rules, views, rng_keys, drawn)
            again = views.copy()
            for seat in range(game.max_seats):
                mine = drawn.to_act == seat
                again[mine] = views_of(envs, drawn[mine].view(np.recarray), seat)
            one, other = (
                agent.scores(DecisionBatch(each.view(np.recarray), masks, rng_keys)) for each in (views, again)
            )
            np.testing.assert_allclose(one, other, atol=1e-9)
            envs.step(envs.sample(derive(7, step)))


def short_repr(position: Position, action: str, *features: str) -> list[float]:
    """What features say about an action of the seat to act, in plain Python."""
    game, view = position.game, position.view(int(position.state.to_act))
    legal = np.flatnonzero(position.mask())
    number = next(int(at) for at in legal if game.action_name(int(at), view) == action)
    return [float(game.module.score(view, number, game.heuristic({name: 1.0}))) for name in features]


# The connecting games


def numbers_on(tiles: list[Tile]) -> set[int]:
    return {number for tile in tiles for number in tile}


def features_of_a_line(sight: Sight, action: int) -> dict[str, float]:
    """What the shared features say, from where all tiles lie and the moves that were made; the others are 0."""
    forced = getattr(sight.variant, "forced_play", True)
    line, hand = Line(sight, sight.game == "ding-niu"), sight.hand(sight.viewer)
    if getattr(sight.variant, "open_ends", 1) == 2:
        line = Line(sight, True)
    verb, tile, *leaves = ADAPTERS[sight.game].moves[action]
    kept = hand.copy()
    kept.remove(tile)
    unseen, left = unseen_tiles(sight), sum(len(sight.hand(seat)) for seat in sight.order)
    # A view does not tell a line with one open end from one whose ends are equal.
    two_ends = sight.game == "ding-niu" or line.ends[0] != line.ends[1]
    ends = set(line.ends if verb == "discard" else joined(line.ends, tile, leaves[0], two_ends))
    fitting = {
        "own_next": sum(bool(ends & {*each}) for each in kept),
        "unseen_next": sum(bool(ends & {*each}) for each in unseen),
    }
    found = fitting | {
        "variety": len(numbers_on(kept)),
        "gives_up": len(numbers_on(hand)) - len(numbers_on(kept)),
        "answers": sum(bool(numbers_on(kept) & {*each}) for each in unseen),
    }
    if verb == "discard":
        return found | {"discard": 1, "discard_pips": sum(tile)}
    terminated = line.turns / (line.turns + left)
    void = [forced and all(line.missed[seat][end - 1] for end in ends) for seat in sight.others]
    found |= {
        "pips": sum(tile),
        "late_pips": sum(tile) * terminated,
        "double": is_double(tile),
        "double_early": is_double(tile) * (1 - terminated),
        "own_fit": fitting["own_next"],
        "unseen_fit": fitting["unseen_next"],
        "next_void": [*void, False].index(False),
    }
    for end in ends:
        own, hidden = (sum(end in each for each in tiles) for tiles in (kept, unseen))
        found |= {f"leave_{end}": 1, f"attack_{end}": own > 0, f"attack_short_{end}": own > 0 and hidden <= own}
    return found


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("jie-long", {"forced_play": True, "players": 3}),
        ("jie-long", {"open_ends": 2, "forced_play": True}),
        ("jie-long", {}),
        ("ce-deng", {}),
        ("ding-niu", {"after_suan_zhang": "play_on"}),
        ("ding-niu", {"forced_play": False}),
    ],
    ids=str,
)
def test_shared_features_of_the_connecting_games(name, options):
    envs = VectorEnv(name, 6, seed=11, **options)
    game = envs.game
    shared = [feature.name for feature in GAMES["jie-long"].features]
    weights = {name: game.heuristic({name: 1.0}) for name in shared}
    found: dict[str, set[float]] = {name: set() for name in shared}
    for step in range(40):
        views = envs.views()[0] if step % 3 == 0 else []
        for view, state, mask in zip(views, envs.states, envs.masks, strict=False):
            for action in np.flatnonzero(mask & (np.arange(len(mask)) < 63)):
                expected = features_of_a_line(Sight(name, envs.variant, state, int(state.to_act)), int(action))
                for feature in shared:
                    says = float(game.module.score(view, int(action), weights[feature]))
                    assert says == pytest.approx(float(expected.get(feature, 0))), (feature, int(action))
                    found[feature].add(says)
        envs.step(envs.sample(derive(12, step)))
    # That tiles with a number run short is rare in random play; one number shows it for all.
    short = {feature: feature.startswith("attack_short") for feature in shared}
    found["attack_short_1"] = set().union(*(found.pop(feature) for feature in shared if short[feature]))
    hardly = {"next_void"} if not getattr(envs.variant, "forced_play", True) else set()
    assert {feature for feature, values in found.items() if len(values) < 2} <= hardly


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
@pytest.mark.parametrize("mirrored", [False, True])
def test_kind_of_a_suan_zhang(feature, mirrored):
    layout, tile = BLOCKS[feature]
    layout = layout.replace("[", "<").replace("]", "[").replace("<", "]")[::-1] if mirrored else layout
    laid = layout.count(":")
    rest = [f"[{n}:{n}]" for n in (2, 6, 4)]
    hands = [""] * (laid % 4) + [tile] + rest[: 3 - laid % 4]
    says = dict(zip(BLOCKS, short_repr(ding_niu.from_tiles(hands, layout), tile, *BLOCKS), strict=True))
    assert says == {name: float(name == feature) for name in BLOCKS}


def test_count_when_a_suan_zhang_is_made():
    position = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]")
    # Of 177 pips the maker sees 10 + 10 + 2; [1:1] stays in its hand, seat 0 has a tile left, one of 21 unseen ones.
    ahead = 155 / 21 - 2
    # The [4:4] are laid by whoever holds them, and weigh nothing.
    assert short_repr(position, "[6:4]", "ahead", "block_ahead", "block_won") == pytest.approx([ahead, 139 / 21 - 2, 1])
    assert short_repr(position, "[4:6]", "ahead", "block_ahead") == pytest.approx([ahead, 0])  # both ends six
    # A tile counts in the hand as on the discards; a [4:4] of the maker's own weighs nothing either.
    may_discard = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]", forced_play=False)
    assert short_repr(may_discard, "discard [1:1]", "ahead") == pytest.approx([155 / 21 - 12])
    own_four = ding_niu.from_tiles(["44", "64 44", "55 55", "11 22"], "[4:6]")
    assert short_repr(own_four, "[6:4]", "ahead", "block_ahead") == pytest.approx([149 / 21 - 8, 141 / 21])


def test_suan_zhang_threats_of_tiles():
    names = "threat", "own_threat", "ahead", "threat_ahead", "own_threat_ahead"
    # The other [6:4] would leave a four at both ends. Seat 0 counts 2, the others have two of 22 tiles of 165 pips.
    unseen = ding_niu.from_tiles(["64 11", "64 22", "55 55", "33 33"])
    assert short_repr(unseen, "[4:6]", *names) == pytest.approx([1, 0, 13, 13, 0])
    # Seat 0 holds it itself and counts 10, the others have two of 22 tiles of 157 pips.
    own = ding_niu.from_tiles(["64 64", "22 22", "55 55", "33 33"])
    ahead = 2 * 157 / 22 - 10
    assert short_repr(own, "[4:6]", *names) == pytest.approx([0, 1, ahead, 0, ahead])
    # Nothing threatens beside [5:5], and nothing any more once the suan zhang is made.
    assert short_repr(ding_niu.from_tiles(["55 11", "64 22", "64 44", "33 33"]), "[5:5]", *names[:2]) == [0, 0]
    made = ding_niu.from_tiles(["44", "64 11", "55 55", "11 22"], "[4:6]", after_suan_zhang="play_on")
    assert short_repr(made, "[6:4]", *names[:2]) == [0, 0]


@pytest.mark.parametrize("options", [{}, {"after_suan_zhang": "play_on", "smothered_numbers": (1, 6)}], ids=str)
def test_threats_are_the_tiles_that_make_a_suan_zhang_next(options):
    envs = VectorEnv("ding-niu", 60, seed=13, **options)
    game, found = envs.game, set()
    deck = tiles_of(ADAPTERS[game.id].deck_of(envs.variant))
    weights = [game.heuristic({name: 1.0}) for name in ("own_threat", "threat")]
    for step in range(30):
        some = np.flatnonzero(envs.states.turn >= 8)[:6] if step % 2 else []
        for lane in some:
            state, view = envs.states[lane], envs.views(slice(lane, lane + 1))[0][0]
            sight = Sight("ding-niu", envs.variant, state, int(state.to_act))
            for action in np.flatnonzero(envs.masks[lane]):
                expected = threats_after(sight, int(action), deck)
                assert [float(game.module.score(view, int(action), each)) for each in weights] == expected
                double = is_double(ADAPTERS["ding-niu"].moves[action][1])
                found.add((any(expected), int(action) < 42 and double, view.suan_zhang > 0))
        envs.step(envs.sample(derive(14, step)))
    assert {(True, True, False), (True, False, False), (False, True, False)} <= found


def threats_after(sight: Sight, action: int, deck: list[Tile]) -> list[float]:
    """How many tiles make the first suan zhang of the deal after a move: of those kept, and of the unseen ones."""
    line, smothered = Line(sight, True), sight.variant.smothered_numbers
    layout, ends = [tile for laid in line.laid for tile in laid], line.ends
    verb, tile, *leaves = ADAPTERS[sight.game].moves[action]
    kept = sight.hand(sight.viewer)
    kept.remove(tile)
    if verb != "discard":
        ends, layout = joined(ends, tile, leaves[0], True), [*layout, tile]
    made = not is_double(tile) and verb != "discard" and suan_zhang(layout, ends, smothered, deck)
    if made or first_block(sight, sight.variant)[1]:
        return [0, 0]

    def threatens(tile: Tile) -> bool:
        return not is_double(tile) and any(
            joins in ends and suan_zhang([*layout, tile], joined(ends, tile, opens, True), smothered, deck)
            for joins, opens in (tile, tile[::-1])
        )

    return [sum(map(threatens, tiles)) for tiles in (kept, unseen_tiles(sight))]


# Da Ling


def test_promise_of_the_groups_of_a_split():
    # The target is 7 and the colour red. Among 24 unseen tiles [4:3] and the other [6:1] match with a red pip or more.
    hand = "61 52 55 66 41 11"
    position = da_ling.from_tiles("66 32", [hand, "43 61 22 22 33 33", "31 31 44 44 51 51", "62 63 53 42 21 54",
                                            "64 64 65 65 55 11"])  # fmt: skip
    split = "[6:1] / [6:6][4:1] / [5:5][5:2][1:1]"
    alone = (1 - 2 / 24) ** (2.5 * 4)
    names = "single_pips", "pair_pips", "single_probability", "triple_pips", "triple_probability"
    # The pair has 17 pips, 6 + 5 of them red; the triple [5:5][5:2][1:1] has 19 and does not match.
    assert short_repr(position, split, *names) == pytest.approx([1, 11, alone, 0, 0])
    # Two of 276 unseen pairs match with so many red pips, [4:4][5:4] with twelve.
    pair = (1 - 2 / 276) ** (3.5 * 4)
    assert short_repr(position, split, "pair_probability", "stake_probability") == pytest.approx(
        [pair, 3 * alone + 7 * pair]
    )


def test_stakes_and_pips_of_the_groups_that_match():
    rest = ["66 61 22 33 44 51", "65 62 53 21 31 55"]
    names = "stakes", "pips", "stake_pips", "absolute"
    two = da_ling.from_tiles("66 32", ["61 52 55 66 41 11", *rest[1:], "43 22 33 44 51 42"])
    assert short_repr(two, "[6:1] / [6:6][4:1] / [5:5][5:2][1:1]", *names) == [3 + 7, 1 + 11, 3 * 1 + 7 * 11, 0]
    every = da_ling.from_tiles("66 32", ["43 65 51 11 63 33", *rest[:1]])
    split = "[4:3] / [6:5][5:1] / [6:3][3:3][1:1]"
    assert short_repr(every, split, *names) == [3 + 7 + 15, 4 + 1 + 2, 3 * 4 + 7 * 1 + 15 * 2, 1]


@pytest.mark.parametrize("options", VARIANTS["da-ling"], ids=str)
def test_share_of_strong_groups_among_the_unseen_tiles(options):
    views = VectorEnv(GAMES["da-ling"], 5, seed=3, **options).views()[0]
    for view in views:
        unseen = tiles_in(int(view.unseen))
        for tiles in (1, 2, 3):
            groups = [sum(int(VALUE[kind]) for kind in group) for group in combinations(unseen, tiles)]
            strengths = np.array([strength_of(group, int(view.target), int(view.red)) for group in groups])
            for pips in (0, 4, 9):
                strong = ((strengths != NO_MATCH) & (strengths >= pips)).sum()
                assert groups_as_strong(view, tiles, pips) == strong


# Tiu-U. A set has four [6:6], six other tiles of ten pips or more, and so on; unseen is what lies nowhere.


def test_catch_adds_to_the_one_before():
    position = tiu_u.from_tiles(["66 66 11 44", "55"], "11", catches=["31 31", ""], heaven_pair=True)
    names = "points", "red", "big"
    # Two red pips are counted as ten, and six are too.
    assert short_repr(position, "[1:1] catches [1:1]", *names) == [0, 4, 0]
    assert short_repr(position, "heaven pair", *names, "catch", "pile") == [48, 0, 48, 1, 0]
    # It leaves the lake as it is, with one [1:1]; of 57 unseen tiles two are like it.
    caught = 1 - (1 - 2 / 57) ** 2
    assert short_repr(position, "heaven pair", "gives") == pytest.approx([2 * caught])
    assert short_repr(position, "heaven pair", "exposed", "later") == [2 * 2, 2]  # by the [1:1] that is kept


def test_tile_laid_that_another_one_of_the_hand_may_catch():
    # Eight pips have, unseen, three [4:4] and with [5:3] four others, of 61 tiles; the next seat meets two.
    risk, names = 1 - (55 / 61) ** 2, ("laid", "risk", "again")
    fits, none = tiu_u.from_tiles(["44 53", "11"], "66"), tiu_u.from_tiles(["44 51", "11"], "66")
    assert short_repr(fits, "lay [4:4]", *names) == pytest.approx([16, 16 * risk, 16 * (1 - risk)])
    seven = 1 - (54 / 61) ** 2
    assert short_repr(none, "lay [4:4]", *names) == pytest.approx([16, 16 * seven, 0])
    # The tile from the stock is not in the hand: one like it there is enough.
    drawn = tiu_u.from_tiles(["53", "11"], "66", drawn="44")
    assert short_repr(drawn, "lay [4:4]", *names) == pytest.approx([16, 16 * risk, 16 * (1 - risk)])


def test_lake_given_to_the_next_seat():
    # 61 tiles are unseen. The next seat has one of them and turns up another: one of two [6:6], or of the seven other
    # tiles of eight pips ([4:4] three, [5:3] and [6:2] two each).
    position = tiu_u.from_tiles(["66 44", "11"], "66")
    six, eight = 1 - (59 / 61) ** 2, 1 - (54 / 61) ** 2
    both = [24 * six + 16 * eight, max(24 * six, 16 * eight)]
    assert short_repr(position, "lay [4:4]", "gives", "gives_best") == pytest.approx(both)
    assert short_repr(position, "lay [6:6]", "gives", "gives_best") == pytest.approx([48 * six, 24 * six])
    assert short_repr(position, "[6:6] catches [6:6]", "gives", "gives_best") == [0, 0]
    # Of three [6:6] one is caught by the last one, or all three where they are a closed pile.
    hands, lake = ["66 55", "11"], "66 66"
    last = 1 - (59 / 60) ** 2
    for locked in (False, True):
        pile = tiu_u.from_tiles(hands, lake, lock_triples=locked)
        gives = [72 * last, (72 if locked else 24) * last]
        assert short_repr(pile, "lay [6:6]", "gives", "gives_best") == pytest.approx(gives)
    # Of three [5:1], a pip each, one is caught by one of 56 tiles: the last one, or the two [4:2]; closed by the last.
    for locked, baits in ((False, 3), (True, 1)):
        small = tiu_u.from_tiles(["51 44", "22"], "51 51 33 33 33 33", lock_triples=locked)
        assert short_repr(small, "lay [5:1]", "gives") == pytest.approx([3 * (1 - (1 - baits / 56) ** 2)])
    # Four of them are caught one by one by the four [3:3] and the two [4:2], or never where they are closed.
    for locked, gives in ((False, 4 * (1 - (53 / 59) ** 2)), (True, 0)):
        four = tiu_u.from_tiles(["51 44", "22"], "51 51 51", lock_triples=locked)
        assert short_repr(four, "lay [5:1]", "gives") == pytest.approx([gives])


@pytest.mark.parametrize(("positions", "players"), [(tiu_u, tiu_u_players), (shi_wu_hu, shi_wu_hu_players)])
def test_tiles_that_may_catch_and_be_caught(positions, players):
    # Tiles of as many pips catch each other: eight have [4:4], [5:3] and [6:2], and [6:6] catches its own kind alone.
    position = positions.from_tiles(["44 53 66", "11"], "66")
    view, value = position.view(0), players.VALUE
    man, heaven = kind_of(4, 4), kind_of(6, 6)
    assert short_repr(position, "lay [4:4]", "catchers", "own_catchers") == [view.rivals[man], 1]
    drawn = positions.from_tiles(["53 66", "11"], "66", drawn="44")
    assert short_repr(drawn, "lay [4:4]", "own_catchers") == [1]
    # With [4:4] laid and [5:3] and [6:6] kept, both tiles of the lake may be caught later.
    exposed = int(value[man]) * int(view.rivals[man]) + int(value[heaven]) * int(view.rivals[heaven])
    assert short_repr(position, "lay [4:4]", "exposed", "later") == [exposed, value[man] + value[heaven]]
    assert short_repr(position, "lay [6:6]", "later") == [0]  # nothing kept catches [6:6]
    assert short_repr(position, "[6:6] catches [6:6]", "exposed", "later", "catchers") == [0, 0, 0]


def test_lake_locked_in_piles_is_caught_with_the_fourth_tile():
    hands, lake = ["66 55", "11"], "66 66"
    for locked in (False, True):
        pile = tiu_u.from_tiles(hands, lake, lock_triples=locked)
        assert short_repr(pile, "lay [6:6]", "exposed") == [3 * 24 * 1]
    # Of four [5:1], seven tiles match each; where they are closed none can be caught any more.
    for locked, exposed in ((False, 4 * 6), (True, 0)):
        four = tiu_u.from_tiles(["51 44", "22"], "51 51 51", lock_triples=locked)
        assert short_repr(four, "lay [5:1]", "exposed") == [exposed]


# Small Mahjong

IDLE = ["[6:1][6:1][3:1][3:1][6:3]", "[4:2][4:1][5:1][5:1][6:4]", "[6:6][6:5][4:4][4:4][2:1]"]  # claim no [5:2]
DOUBLE_SET = "[2:2][5:2][5:5]"


def test_tiles_completing_a_hand_after_a_discard():
    hands = ["22 55 54", "61 61 31 31 62", IDLE[1], IDLE[2]]
    position = small_mahjong.from_tiles(hands, melds=[["[3:3][6:3][6:6]"], [], [], []])
    names = "weighted_outs", "outs", "breaks"
    # The triplet laid out has 3 points. One [5:2] makes a double set, 6 in all; of [5:5][5:4] two [4:4] do, and one
    # [3:2] makes a set and a straight; [2:2][5:4] with [3:2] or two [6:2] too.
    assert short_repr(position, "discard [5:4]", *names) == [1 * 7, 1, 0]
    assert short_repr(position, "discard [2:2]", *names) == [2 * 7 + 1 * 6, 3, 0]
    assert short_repr(position, "discard [5:5]", *names) == [2 * 6, 2, 0]
    # [2:2][5:2][5:5] is a triplet already: its tiles are not to be broken, the others may go.
    held = small_mahjong.from_tiles(["22 52 55 66 11 53", IDLE[0], "42 41 51 51 43", "66 65 44 44 21"])
    for tile, breaks in (("[2:2]", 1), ("[5:2]", 1), ("[5:5]", 1), ("[6:6]", 0), ("[1:1]", 0), ("[5:3]", 0)):
        assert short_repr(held, f"discard {tile}", "breaks") == [breaks]


def claiming(hand: str, offered: str, **options) -> Position:
    """Seat 1 is asked about a tile of the seat before it."""
    others = ["42 41 51 51 65", "61 61 31 31 43", "65 64 44 44 21"]
    position = small_mahjong.from_tiles([others[0], hand, *others[1:]], offered=offered, **options)
    assert position.state.to_act == 1
    return position


def test_use_of_a_claim():
    names = "claim", "claim_win", "claim_first", "join_first", "claim_points", "claim_win_points"
    # Another triplet beside [2:2][5:2][5:5]; the first one; the last one, of 3 + 3 points.
    for hand, offered, claimed, laid, joining in (
        ("22 52 55 66 11", "62", "[2:2][6:2][6:6]", [1, 0, 0, 0, 3, 0], [1, 0, 0, 0, 0, 0]),
        ("22 55 66 11 32", "52", "[2:2][5:2][5:5]", [1, 0, 1, 0, 3, 0], [1, 0, 1, 1, 0, 0]),
        ("22 55 66 63 33", "52", "[2:2][5:2][5:5]", [1, 1, 0, 0, 0, 6.3], [1, 1, 0, 0, 0, 0]),
    ):
        assert short_repr(claiming(hand, offered), f"claim {claimed}", *names) == pytest.approx(laid)
        into_the_hand = claiming(hand, offered, expose_claims=False)
        assert short_repr(into_the_hand, "claim into the hand", *names) == joining


def test_gain_of_a_claim():
    # [6:6][1:1] waited for two [6:1], each a win of 6. Now [5:5][5:2] wait for the other [2:2] (6 points) and for
    # [4:3] or two [3:1] (5 points).
    position = claiming("22 52 55 66 11", "62")
    assert short_repr(position, "claim [2:2][6:2][6:6]", "claim_gain") == [(1 * 7 + 3 * 6) - 2 * 7]


def test_equal_tiles_that_are_kept():
    position = small_mahjong.from_tiles(["22 22 55 55 65 64", IDLE[0], "42 41 51 51 43", IDLE[2]])
    assert short_repr(position, "discard [6:4]", "twins", "closed") == [2, 1]
    assert short_repr(position, "discard [2:2]", "twins", "closed") == [1, 1]


@pytest.mark.parametrize(("seat", "feature"), [(1, "claim_near"), (2, "claim_middle"), (3, "claim_far")])
def test_claim_by_the_distance_of_the_discarder(seat, feature):
    hands = [IDLE[1], IDLE[0], "[6:2][6:5][4:4][4:4][2:1]"]
    hands.insert(seat, "[2:2][5:5][6:6][6:5][1:1]")
    names = "claim_near", "claim_middle", "claim_far"
    expected = [float(name == feature) for name in names]
    position = small_mahjong.from_tiles(hands, offered="52")
    assert position.state.to_act == seat
    assert short_repr(position, f"claim {DOUBLE_SET}", *names, "closed") == [*expected, 0]
    assert short_repr(position, "pass", *names, "closed") == [0, 0, 0, 1]
    joining = small_mahjong.from_tiles(hands, offered="52", expose_claims=False)
    assert short_repr(joining, "claim into the hand", *names, "closed") == [*expected, 1]


def test_trick_of_deer_is_red_if_all_of_its_tiles_are():
    red, black = np.flatnonzero(RED > 0)[:2], np.flatnonzero(RED == 0)[0]
    for lying, all_red in ((red, True), ([red[0], black], False), ([], True)):
        trick = np.full(4, NOBODY)
        trick[1 : 1 + len(lying)] = lying
        found = deer_hunt_players.lying_trick(SimpleNamespace(lying=len(lying), trick=trick))
        assert found == (RED[lying].sum() if len(lying) else 0, all_red)


def test_banker_of_pai_gow_wins_with_a_copy():
    weights = np.zeros(len(pai_gow_players.FEATURES) + 1)
    weights[pai_gow_players.AT.high_probability] = 1
    values = np.array([[50, 20]])
    player, banker = (
        pai_gow_players.score(SimpleNamespace(values=values, tiles=[0, 1, 2, 3], table=0, banker=who), 0, weights)
        for who in (1, 0)
    )
    assert (player, banker) == tuple(pai_gow_players.SHARES[0, 0, [50, 51]]) and player < banker


@pytest.mark.parametrize(("lying", "tiles"), [(0, 1 + 5), (1, 1), (2, 1), (3, 0)])
def test_opponents_still_to_play_may_hold_a_stronger_tile(lying, tiles):
    view = SimpleNamespace(
        above=[2], sizes=[9, 1, 9, 5], lying=lying, unseen=tile_set(range(20)), trick=[NOBODY, 0, 0, 0], taking=1
    )
    none, chances = np.prod([(20 - dealt - tiles) / (20 - dealt) for dealt in range(2)]), np.zeros(SPARE)
    partner, _, _ = deer_hunt_players.prepare(view, np.zeros(1), chances)
    assert chances[2] == pytest.approx(none)
    # The partner plays last if only one tile lies, and takes the trick if it holds one of the two.
    taken = 1 - np.prod([(20 - dealt - 9) / (20 - dealt) for dealt in range(2)])
    assert partner == pytest.approx(taken if lying == 1 else 0)
