"""Facts about the tables of the connecting games: what they show is so, and no seat sees more than it may."""

import os
from itertools import pairwise

import numpy as np
import pytest

from gupai_app.play.session import Session
from gupai_env import GAMES, get_game, jie_long_v0
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


def test_count_shows_a_head_seven_of_the_leader_wherever_it_sits():
    places = counted([8, 1, 0, 6], leader=1).places
    assert [place.note.partition(" points")[2] for place in places] == [", pass", ", head 7", ", tail 8", ""]


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
    position = get_game("ding-niu").positions.from_tiles(["62 11", "31 33", "31 22", "63 55"], leader=1)
    layout = position.play("31", "[1:3]", "[3:6]", "[6:2]").scene().centre[0]
    assert layout.tiles == ((2, 2), (2, 6), (6, 3), (3, 1), (1, 3), (3, 3)) and layout.lead == 4


@pytest.mark.parametrize(("viewer", "hidden"), [(0, [0, 5, 5, 5]), (1, [5, 0, 5, 5]), (2, [6, 5, 0, 5])])
def test_hidden_discard_is_still_in_the_hand_for_others(viewer, hidden):
    hands = ["42 41 51 51 64", "22 55 66 65 11", "61 61 31 31 63", "22 55 66 65 62"]
    position = get_game("small-mahjong").positions.from_tiles(hands, offered="52", wall="64 54 32")
    shown = position.game.scene(position.variant, [position.view(viewer)], list("0123"))
    found = {int(place.name): pile(place.piles, "hand").hidden for place in shown.places}
    assert [found[seat] for seat in range(4)] == hidden
    both = position.game.scene(position.variant, [position.view(2), position.view(1)], list("0123"))  # one who is asked
    assert {place.name: pile(place.piles, "hand").hidden for place in both.places}["0"] == 5
