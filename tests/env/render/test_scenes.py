"""Facts about the tables of the connecting games: what they show is so, and no seat sees more than it may."""

import os
from itertools import pairwise

import numpy as np
import pytest

from gupai_app.play.session import Session
from gupai_env import GAMES, ce_deng_v0, get_game, jie_long_v0
from gupai_env.core.deal import Deal
from gupai_env.core.tiles import ONE, PIPS, parse_tiles, tile_set, tiles_in
from gupai_env.games.connecting import rules as connecting
from gupai_env.render import draw_text

TABLES = {
    "jie_long": ("jie-long", {}),
    "forced_lock": ("jie-long", {"forced_play": True, "double_lock": True, "players": 3}),
    "two_arms": ("jie-long", {"open_ends": 2, "players": 2}),
    "ce_deng": ("ce-deng", {}),
    "match": ("ce-deng", {"deals": 3, "players": 3}),
    "tiny": ("ce-deng", {"deck": "tiny", "players": 2}),
}
every_table = pytest.mark.parametrize(("name", "options"), TABLES.values(), ids=TABLES)


def positions(name, options, deals=4):
    """Every position of some random deals."""
    game = get_game(name)
    rng = np.random.default_rng(1)
    for seed in range(deals):
        session = Session(game, game.variant.make(**options), seed)
        while not session.terminated:
            yield session
            session.play(int(rng.choice(session.mask().nonzero()[0])))
        yield session


def scene_from(session, *seats, payoffs=None, names=None):
    views = [session.view(seat) for seat in seats]
    return session.game.scene(session.variant, views, names, payoffs)


def pile(piles, label):
    return next(each for each in piles if each.label == label)


def faces(tiles):
    return sorted((int(PIPS[kind, 0]), int(PIPS[kind, 1])) for kind in tiles_in(int(tiles)))


def turned(tiles):
    return sorted((max(tile), min(tile)) for tile in tiles)


@every_table
def test_layout_is_a_line_in_which_neighbours_match(name, options):
    for session in positions(name, options):
        state, layout = session.state, pile(scene_from(session, 0).centre, "layout")
        assert turned(layout.tiles) == faces(sum(int(tiles) for tiles in state.played))
        assert all(left[1] == right[0] for left, right in pairwise(layout.tiles))
        if layout.tiles:
            ends = [layout.tiles[0][0], layout.tiles[-1][1]]
            assert layout.open_right == ends[1]
            assert sorted(state.ends) == (sorted(ends) if options.get("open_ends") == 2 else [ends[1]] * 2)


@every_table
def test_marked_tile_is_the_last_played_and_the_lead_stays_marked(name, options):
    for session in positions(name, options):
        state, layout = session.state, pile(scene_from(session, 0).centre, "layout")
        played = [action % 21 for action in state.record[: state.turn] if action < connecting.DISCARD]
        if played:
            assert turned([layout.tiles[layout.marked[0]]]) == faces(ONE[played[-1]])
            if layout.lead is not None:
                assert turned([layout.tiles[layout.lead]]) == faces(ONE[played[0]])


@every_table
def test_player_sees_its_own_tiles_and_how_many_the_others_have(name, options):
    for session in positions(name, options):
        state, players = session.state, session.variant.players
        for viewer in range(players):
            places = scene_from(session, viewer, names=list("0123"[:players])).places
            assert places[0].name == str(viewer)
            for place in places:
                seat = int(place.name)
                for label, tiles in (("hand", state.hands[seat]), ("discards", state.discards[seat])):
                    shown = pile(place.piles, label)
                    assert turned(shown.tiles) == (faces(tiles) if seat == viewer else [])
                    assert len(shown.tiles) + shown.hidden == len(tiles_in(int(tiles)))


@every_table
def test_redealing_what_a_player_cannot_know_keeps_its_table(name, options):
    for session in positions(name, options, deals=2):
        if session.terminated:
            continue
        for viewer in range(session.variant.players):
            deal = Deal(session.game, session.variant, session.states, compiled=True)
            redealt = session.game.scene(session.variant, [deal.redealt(viewer, 7).view(viewer)])
            assert redealt == scene_from(session, viewer)


@every_table
def test_spectator_sees_all_tiles_but_the_unused(name, options):
    for session in positions(name, options, deals=2):
        scene = scene_from(session, *range(session.variant.players))
        piles = [*scene.centre, *(each for place in scene.places for each in place.piles)]
        deck, unused = session.game.deck(session.rules), tiles_in(int(session.state.unused))
        assert sum(len(each.tiles) for each in piles) + len(unused) == len(deck)
        assert sum(each.hidden for each in piles) == len(unused)


@every_table
def test_places_follow_in_order_of_turn_and_one_is_to_act(name, options):
    for session in positions(name, options):
        if session.terminated or getattr(session.state, "rights", 0):
            continue
        players, seat, order = session.variant.players, session.seat, []
        for _ in range(players):
            order.append(str(seat))
            seat = (seat + int(session.state.direction)) % players
        places = scene_from(session, session.seat, names=list("0123"[:players])).places
        assert [place.name for place in places] == order
        assert [place.to_act for place in places] == [True] + [False] * (players - 1)


def asking(seat_asked, leader=0):
    """Ce Deng before the play: one seat holds seven doubles."""
    session = Session(get_game("ce-deng"), get_game("ce-deng").variant.make(leader=leader), 0)
    session.state.rights = 1 << seat_asked
    session.state.to_act = seat_asked
    return session


def test_question_before_the_play_is_shown_to_its_seat_alone():
    session = asking(2)
    for viewer in (0, 1, 3):
        assert [place.to_act for place in scene_from(session, viewer, names=list("0123")).places].index(True) == (
            -viewer
        ) % 4
        assert "asked" not in draw_text(scene_from(session, viewer))
    assert scene_from(session, 2).places[0].to_act
    assert "asked before the play: Seat 2" in scene_from(session, 2).notes
    assert [place.to_act for place in scene_from(session, 0, 1, 2, 3).places] == [False, False, True, False]


def counted(plays, leader=0):
    """The count of a deal of Ce Deng in which the seats laid so many tiles; its points are 0, 10, 20 and 51."""
    session = Session(get_game("ce-deng"), get_game("ce-deng").variant.make(leader=leader), 0)
    state = session.state
    discards = ["", "64", "64 55", "66 66 65 64 22 11"]
    for seat, (text, laid) in enumerate(zip(discards, plays, strict=True)):
        state.hands[seat], state.discards[seat] = 0, tile_set(parse_tiles(text))
        state.points[seat], state.plays[seat], state.drops[seat] = (0, 10, 20, 51)[seat], laid, 8 - laid
    state.turn, state.terminated = 32, 1
    session.game.payoffs(session.rules, state, state.payoff)
    return scene_from(session, 0, 1, 2, 3, payoffs=state.payoff)


def test_count_shows_a_tail_eight_against_a_pass():
    """The rulebook, "Ce Deng", "Tail eight against a pass": points 0 (pass), 10, 20 and 51 (tail eight)."""
    scene = counted([8, 7, 6, 0])
    assert [place.note for place in scene.places] == [
        "+264 chips, 0 points, pass",
        "+72 chips, 10 points",
        "+12 chips, 20 points",
        "-348 chips, 51 points, tail 8",
    ]
    assert not any(place.to_act for place in scene.places)


def test_count_shows_a_head_seven_of_the_leader_wherever_it_sits():
    places = counted([8, 1, 0, 6], leader=1).places
    assert [place.note.partition(" points")[2] for place in places] == [", pass", ", head 7", ", tail 8", ""]


def test_declaration_is_shown_as_the_last_move():
    session = asking(1)
    scene = scene_from(session, 0, 1, 2, 3, payoffs=[-88, 286, -120, -78])
    assert scene.last_move == "Seat 1 declares eight doubles"


def test_early_end_is_shown():
    session = next(each for each in positions("ce-deng", {}, 40) if each.terminated and each.state.turn < 32)
    assert scene_from(session, 0, payoffs=session.state.payoff).last_move.endswith("the deal ends here")


def test_viewer_is_addressed_as_you():
    session = Session(get_game("jie-long"), get_game("jie-long").variant.make(leader=0), 0)
    names = ["You", "Seat 1", "Seat 2", "Seat 3"]
    session.play(int(session.mask().nonzero()[0][0]))
    assert scene_from(session, 0, names=names).last_move.startswith("You play [")
    session.play(connecting.DISCARD + tiles_in(int(session.state.hands[1]))[0])
    assert scene_from(session, 0, names=names).last_move == "Seat 1 discards a tile"


def test_listed_games_have_a_table():
    for name in GAMES:
        session = Session(get_game(name), get_game(name).variant.make(), 3)
        assert draw_text(scene_from(session, 0)).startswith(session.game.title.split()[0])


@pytest.mark.parametrize("module", [jie_long_v0, ce_deng_v0], ids=lambda module: module.GAME.id)
def test_rendering_changes_nothing_and_shows_the_end(module):
    seen, silent = module.env(render_mode="ansi"), module.env()
    pictures = module.env(render_mode="rgb_array")
    for env in (seen, silent, pictures):
        env.reset(seed=5)
    while not all(silent.terminations.values()):
        before = seen.deal.states.tobytes()
        text = seen.render()
        assert seen.deal.states.tobytes() == before
        assert "[ : ]" not in text and all(agent in text for agent in seen.possible_agents)
        assert np.array_equal(seen.state(), silent.state())
        action = int(silent.observe(silent.agent_selection)["action_mask"].nonzero()[0][-1])
        for env in (seen, silent, pictures):
            env.step(action)
    assert f"{seen.rewards['seat_0']:+g} chips" in seen.render()
    while seen.agents:
        seen.step(None)
    assert "chips" in seen.render()
    picture = pictures.render()
    assert (picture.shape, picture.dtype) == ((720, 960, 3), np.uint8)


def test_rendering_without_a_mode_or_a_deal_warns():
    env = jie_long_v0.env()
    with pytest.warns(UserWarning, match="without specifying any render mode"):
        assert env.render() is None
    with pytest.raises(RuntimeError, match="call reset"):
        jie_long_v0.env(render_mode="ansi").render()


def test_window_opens_with_the_deal_and_can_be_closed_twice(monkeypatch):
    monkeypatch.setitem(os.environ, "SDL_VIDEODRIVER", "dummy")
    env = jie_long_v0.env(render_mode="human")
    env.metadata["render_fps"] = 0
    env.reset(seed=1)
    assert env.render() is None
    env.step(int(env.observe(env.agent_selection)["action_mask"].nonzero()[0][0]))
    env.close()
    env.close()


# What is told at the end of Da Ling


def da_ling_end(table, splits, **options):
    game = get_game("da-ling")
    hands = [split.replace("/", "") for split in splits]
    return game.positions.from_tiles(table, hands, splits, **options).scene()


SETTLED = [
    "[6:6] / [6:4][4:4] / [6:5][5:5][2:2]",
    "[6:1] / [6:4][3:1] / [5:5][5:1][2:2]",
    "[5:3] / [6:2][4:4] / [4:1][3:3][4:2]",
    "[3:1] / [6:1][5:4] / [5:2][2:1][1:1]",
]
ABSOLUTE = "[4:3] / [6:5][5:1] / [1:1][6:3][3:3]"


def test_matching_groups_and_their_winners_are_shown():
    scene = da_ling_end("[6:6][3:2]", SETTLED)
    game, won = get_game("da-ling"), dict.fromkeys(range(4), 0.0)
    for place in scene.places:
        for stake, group in zip((3, 7, 15), place.piles, strict=True):
            name, _, verdict = group.label.partition(": ")
            strength = game.positions.strength("[6:6][3:2]", group.tiles)
            assert verdict.split()[0] == ("no" if strength is None else str(strength))
            assert group.marked == (() if strength is None else tuple(range(len(group.tiles))))
            if "wins" in verdict:
                assert name in place.note.partition("wins ")[2]
                for seat in won:
                    won[seat] += 3 * stake if f"Seat {seat}" == place.name else -stake
    assert [place.note.partition(" chips")[0] for place in scene.places] == [f"{won[s]:+g}" for s in range(4)]
    assert any(won.values())


def test_match_of_all_three_takes_all():
    scene = da_ling_end("[6:6][3:2]", [ABSOLUTE, *SETTLED[:3]])
    assert scene.last_move == "All hands are open: Seat 0 matches all three"
    assert scene.places[0].note == "+75 chips, all match: 7, takes all stakes"
    assert [group.label for group in scene.places[0].piles] == ["single: 4 wins", "pair: 1 wins", "triple: 2 wins"]
    assert not any("wins" in group.label for place in scene.places[1:] for group in place.piles)


def test_tie_is_shown_and_wins_nothing():
    twice = "[2:2] / [6:1][1:1] / [6:6][6:4][5:5]", "[2:2] / [6:3][5:1] / [6:6][6:4][5:5]"
    scene = da_ling_end("[6:5][2:1]", twice)
    assert [place.piles[0].label for place in scene.places] == ["single: 4 ties"] * 2
    assert [place.note for place in scene.places] == ["+0 chips"] * 2
    assert scene.last_move == "All hands are open: nobody wins"


@pytest.mark.parametrize(
    ("name", "deck"), [(name, deck) for name in ("tiu-u", "shi-wu-hu") for deck in GAMES[name].variant.LIMITS]
)
def test_fishing_hands_and_stock_have_room_for_the_deal(name, deck):
    """In every deck, so that nothing moves while they empty."""
    game = get_game(name)
    session = Session(game, game.variant.make(deck=deck), 3)
    scene = scene_from(session, *range(session.variant.players))
    stock = pile(scene.centre, "stock")
    assert stock.capacity == stock.hidden > 0
    for place in scene.places:
        hand = pile(place.piles, "hand")
        assert hand.capacity == len(hand.tiles) > 0


# What the tables of all games say: notes, the last move, what is said of each seat, and what is marked

LED = {"hands": ["61 31", "64 52", "51 41", "33 22"], "leader": 1}
LED_TO_THE_END = "64", "41", "discard 33", "61", *(f"discard {tile}" for tile in ("52", "51", "22", "31"))
TRICK = {"hands": ["66 63 21 22", "43 53 31 54", "44 65 32 42", "51 33 41 55"], "leader": 1}
LAST_TRICK = {"hands": [hand[:2] for hand in TRICK["hands"]], "tricks": [4, 0, 3, 0], "to_lead": 2}
DEER = {"hands": ["66 61", "43 22", "44 65", "51 33"], "taken": ["", "42 52 53 62", "", ""], "escape": True}
CLAIM = {
    "hands": ["42 41 51 51 64", "22 55 66 65 11", "61 61 31 31 63", "22 55 66 65 62"],
    "offered": "52",
    "wall": "64 54 32",
}
NONE_OF_FOUR = [""] * 4
SHOWN = {
    "lead": (
        ("jie-long", LED),
        ["turn 1 of 8", "leader: Seat 1"],
        "The tiles are dealt: Seat 1 leads",
        ["0 points"] * 4,
        [],
    ),
    "one open end": (
        ("jie-long", LED, "64", "41", "discard 33"),
        ["open end 1", "turn 4 of 8", "leader: Seat 1"],
        "Seat 3 discards a tile",
        ["0 points", "0 points", "0 points", "6 points"],
        ["layout [4:1]"],
    ),
    "two open ends": (
        ("jie-long", {**LED, "open_ends": 2}, "64", "41"),
        ["open ends 1 and 6", "turn 3 of 8", "leader: Seat 1"],
        "Seat 2 plays [4:1], leaving 1 and 6 open",
        ["0 points"] * 4,
        ["layout [1:4]"],
    ),
    "count": (
        ("jie-long", LED, *LED_TO_THE_END),
        ["open end 6", "leader: Seat 1"],
        "Seat 0 discards a tile",
        ["+11 chips, 4 points", "-1 chips, 7 points", "+3 chips, 6 points", "-13 chips, 10 points"],
        ["layout [1:6]"],
    ),
    "doubles at the end": (
        ("ding-niu", {"hands": ["62 11", "31 33", "31 22", "63 55"], "leader": 1}, *("31", "[1:3]", "[3:6]", "[6:2]")),
        ["open ends 2 and 3", "leader: Seat 1", "classic suan zhang by Seat 0"],
        "Seat 0 plays [6:2], leaving 2 and 3 open; the deal ends here",
        ["-12 chips, 2 points", "+12 chips, 0 points", "+0 chips, 0 points", "+0 chips, 10 points"],
        ["layout [2:6]"],
    ),
    "a tie of two": (
        (
            "da-ling",
            {
                "table": "54 41",
                "hands": ["22 61 55 65 33 33", "31 64 51 66 51 44", "31 55 11 65 22 11"],
                "splits": ["22 / 61 55 / 65 33 33", "31 / 64 51 / 66 51 44", "31 / 55 11 / 65 22 11"],
            },
        ),
        ["target 4", "colour red: its pips are counted", "stakes 3, 7, 15"],
        "All hands are open: nobody wins",
        ["+0 chips"] * 3,
        ["Seat 0 single: 0 [2:2]", "Seat 1 single: 1 ties [3:1]", "Seat 2 single: 1 ties [3:1]"],
    ),
    "equal ones below the best": (
        (
            "da-ling",
            {
                "table": "51 33",
                "hands": ["11 43 31 65 53 33", "66 54 44 64 55 42", "11 63 22 51 41 32", "66 52 22 62 61 61"],
                "splits": [
                    *("11 / 43 31 / 65 53 33", "66 / 54 44 / 64 55 42"),
                    *("11 / 63 22 / 51 41 32", "66 / 52 22 / 62 61 61"),
                ],
            },
        ),
        ["target 2", "colour black: its pips are counted", "stakes 3, 7, 15"],
        "All hands are open",
        ["-15 chips", "-15 chips", "-15 chips", "+45 chips, wins triple"],
        [
            *("Seat 0 single: 0 [1:1]", "Seat 1 single: 6 ties [6:6]"),
            *("Seat 2 single: 0 [1:1]", "Seat 3 single: 6 ties [6:6]", "Seat 3 triple: 20 wins [6:2][6:1][6:1]"),
        ],
    ),
    "a push": (
        (
            "da-ling",
            {
                "table": "62 44",
                "hands": ["33 11 31 44 61 65", "33 31 66 51 55 64"],
                "splits": ["33 / 11 31 / 44 61 65", "33 / 31 66 / 51 55 64"],
                "absolute_tie": "push",
            },
        ),
        ["target 6", "colour red: its pips are counted", "stakes 3, 7, 15"],
        "All hands are open: nobody wins",
        ["+0 chips, all match: 12"] * 2,
        [
            *("Seat 0 single: 0 ties [3:3]", "Seat 0 pair: 3 [3:1][1:1]", "Seat 0 triple: 9 [6:5][6:1][4:4]"),
            *("Seat 1 single: 0 ties [3:3]", "Seat 1 pair: 7 [6:6][3:1]", "Seat 1 triple: 5 [6:4][5:5][5:1]"),
        ],
    ),
    "a catch": (
        ("tiu-u", {"hands": ["66 54", "65 11"], "lake": "66 22", "stock": "63 54"}, "[6:6] catches [6:6]"),
        ["bait from the stock", "leader: Seat 0"],
        "Seat 0 catches [6:6] with [6:6]",
        ["48 points", "0 points"],
        ["from the stock [6:3]", "Seat 0 catch [6:6]"],
    ),
    "a heaven pair": (
        ("tiu-u", {"hands": ["66 66", "65 11"], "lake": "54", "stock": "63", "heaven_pair": True}, "heaven pair"),
        ["bait from the stock", "leader: Seat 0"],
        "Seat 0 lays a heaven pair into the catch",
        ["48 points", "0 points"],
        ["from the stock [6:3]", "Seat 0 catch [6:6]"],
    ),
    "a tile laid": (
        ("shi-wu-hu", {"hands": ["66 54", "65 11"], "lake": "66 22", "stock": "54", "leader": 1}, "lay 11", "lay 54"),
        ["bait from the hand", "leader: Seat 1"],
        "Seat 1 lays [5:4] into the lake",
        ["0 points", "0 points"],
        ["lake [5:4]"],
    ),
    "asked": (
        ("small-mahjong", CLAIM),
        ["leader: Seat 0", "asked: Seat 1"],
        "Seat 0 discards [5:2]",
        NONE_OF_FOUR,
        ["discarded [5:2]"],
    ),
    "claimed": (
        ("small-mahjong", CLAIM, "claim [2:2][5:2][5:5]"),
        ["leader: Seat 0"],
        "Seat 1 claims [5:2]",
        ["", "3 points", "", ""],
        [],
    ),
    "claimed into the hand": (
        ("small-mahjong", {**CLAIM, "expose_claims": False}, "pass", "claim into the hand"),
        ["leader: Seat 0"],
        "Seat 3 claims [5:2] into the hand",
        NONE_OF_FOUR,
        [],
    ),
    "drawn": (
        ("small-mahjong", CLAIM, "pass", "pass"),
        ["leader: Seat 0"],
        "Seat 0 discards [5:2], Seat 1 draws",
        NONE_OF_FOUR,
        ["Seat 1 hand [6:4]"],
    ),
    "a trick is led": (
        ("tien-gow", TRICK, "31"),
        ["to beat: [3:1] of Seat 1"],
        "Seat 1 leads [3:1]",
        ["", "banker, times 2", "", ""],
        ["Seat 1 [3:1]"],
    ),
    "it is beaten": (
        ("tien-gow", TRICK, "31", "44", "discard 51"),
        ["to beat: [4:4] of Seat 2"],
        "Seat 3 discards 1 tile",
        ["", "banker, times 2", "", ""],
        ["Seat 2 [4:4]"],
    ),
    "it is taken": (
        ("tien-gow", TRICK, "31", "44", "discard 51", "66"),
        ["Seat 0 to lead"],
        "Seat 0 plays [6:6]",
        ["", "banker, times 2", "", ""],
        ["Seat 0 [6:6]"],
    ),
    "the last trick": (
        ("tien-gow", {**LAST_TRICK, "banker": "none"}, "44"),
        ["to beat: [4:4] of Seat 2", "the last trick"],
        "Seat 2 leads [4:4]",
        ["banker", "", "", ""],
        ["Seat 2 [4:4]"],
    ),
    "the last trick is taken": (
        ("tien-gow", LAST_TRICK, "44", "discard 51", "66", "discard 43"),
        [],
        "Seat 1 discards 1 tile",
        ["+22 chips, banker, times 2", "-10 chips", "-2 chips", "-10 chips"],
        ["Seat 0 [6:6]"],
    ),
    "deer": (
        ("deer-hunt", DEER, "61", "43", "44"),
        ["13 red pips, Seat 0 takes it", "dealer: Seat 0", "red pips: Seat 0 and Seat 2 0, Seat 1 and Seat 3 4"],
        "Seat 2 plays [4:4]",
        [f"{red} red pips taken" for red in (0, 4, 0, 0)],
        ["Seat 0 [6:1]"],
    ),
    "the deer escape": (
        ("deer-hunt", DEER, "61", "43", "44", "51"),
        ["dealer: Seat 0", "red pips: Seat 0 and Seat 2 0, Seat 1 and Seat 3 4"],
        "The deer escape; Seat 0 takes the trick, which counts for nobody",
        [f"{red} red pips taken" for red in (0, 4, 0, 0)],
        ["Seat 0 [6:1]"],
    ),
    "no escape": (
        ("deer-hunt", DEER, "61", "22", "44", "51"),
        ["dealer: Seat 0", "red pips: Seat 0 and Seat 2 10, Seat 1 and Seat 3 4"],
        "Seat 0 takes the trick with [6:1]: 10 red pips",
        [f"{red} red pips taken" for red in (10, 4, 0, 0)],
        ["Seat 0 [6:1]"],
    ),
    "groups that win, lose and push": (
        (
            "pai-gow",
            {
                "hands": ["66 63 44 11", "55 55 44 11", "53 62 61 31"],
                "splits": ["66 63 / 44 11", "55 55 / 44 11", "53 62 / 61 31"],
                "copy": "push",
            },
        ),
        ["banker: Seat 0"],
        "All hands are open: every player meets the banker",
        ["-1 chips, banker", "+1 chips", "+0 chips"],
        ["Seat 1 pair, wins [5:5][5:5]", "Seat 2 pair, wins [6:2][5:3]"],
    ),
}


@pytest.mark.parametrize(("deal", "notes", "last_move", "seats", "marked"), SHOWN.values(), ids=SHOWN)
def test_table_reports_and_marks_the_last_move(deal, notes, last_move, seats, marked):
    name, tiles, *moves = deal
    position = get_game(name).positions.from_tiles(**tiles).play(*moves)
    views = [position.view(seat) for seat in range(position.variant.players)]
    scene = position.game.scene(position.variant, views, None, position.paid() if position.terminated else None)
    assert (list(scene.notes), scene.last_move, [place.note for place in scene.places]) == (notes, last_move, seats)
    piles = [*(("", pile) for pile in scene.centre), *((f"{p.name} ", pile) for p in scene.places for pile in p.piles)]
    found = [(f"{where}{pile.label} ", [pile.tiles[at] for at in pile.marked]) for where, pile in piles if pile.marked]
    assert [where + "".join(f"[{a}:{b}]" for a, b in each) for where, each in found] == marked


def test_won_tricks_are_stacked_face_down_at_the_seats():
    stacked = set()
    for session in positions("tien-gow", {}):
        scene, taken = scene_from(session, 2), session.state.taken.tolist()
        stacks = [pile(place.piles, "tricks") for place in scene.places]
        assert [stack.hidden for stack in stacks] == [*taken[2:], *taken[:2]]
        assert all(stack.form == "stack" and not stack.tiles for stack in stacks)
        stacked.add(sum(taken))
    assert {0, 8} <= stacked


def test_lead_stays_the_lead_where_doubles_are_added_before_it():
    _, tiles, *moves = SHOWN["doubles at the end"][0]
    layout = get_game("ding-niu").positions.from_tiles(**tiles).play(*moves).scene().centre[0]
    assert layout.tiles == ((2, 2), (2, 6), (6, 3), (3, 1), (1, 3), (3, 3)) and layout.lead == 4


@pytest.mark.parametrize(("viewer", "hidden"), [(0, [0, 5, 5, 5]), (1, [5, 0, 5, 5]), (2, [6, 5, 0, 5])])
def test_hidden_discard_is_still_in_the_hand_for_others(viewer, hidden):
    position = get_game("small-mahjong").positions.from_tiles(**CLAIM)
    shown = position.game.scene(position.variant, [position.view(viewer)], list("0123"))
    found = {int(place.name): pile(place.piles, "hand").hidden for place in shown.places}
    assert [found[seat] for seat in range(4)] == hidden
    both = position.game.scene(position.variant, [position.view(2), position.view(1)], list("0123"))  # one who is asked
    assert {place.name: pile(place.piles, "hand").hidden for place in both.places}["0"] == 5
