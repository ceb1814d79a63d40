"""A table as a drawing: where its parts stand, wide and narrow, and the words it says."""

from itertools import combinations, count
from xml.etree import ElementTree

import numpy as np
import pytest

from gupai_env import GAMES
from gupai_env.core.deal import Deal
from gupai_env.render import Pile, Place, Scene, letters
from gupai_env.render.image import draw_image
from gupai_env.render.svg import draw_svg, draw_table, lay_out
from scenes import SVG, drawn, every_scene


def test_highlight_of_the_seat_to_act_moves_with_it():
    def table(to_act):
        return draw_image(Scene("", (), tuple(Place("", to_act=seat == to_act) for seat in range(4))))

    gold = [(table(seat) == (245, 200, 96)).all(axis=2) for seat in range(4)]
    near, right, far, left = (np.argwhere(mask).mean(axis=0) for mask in gold)  # y, x
    assert near[0] > max(right[0], left[0]) and min(right[0], left[0]) > far[0]
    assert right[1] > max(near[1], far[1]) and min(near[1], far[1]) > left[1]
    assert not (table(None) == (245, 200, 96)).all(axis=2).any()


def test_seats_across_the_table_go_from_right_to_left():
    def table(to_act):
        return draw_image(Scene("", (), tuple(Place("", to_act=seat == to_act) for seat in range(5))))

    across = [np.argwhere((table(seat) == (245, 200, 96)).all(axis=2)).mean(axis=0) for seat in (2, 3)]
    assert across[0][1] > 480 > across[1][1]


def written(scene, **how):
    """All that a drawing says, and the class of its colour."""
    words = ElementTree.fromstring(draw_svg(scene, **how)).iter(f"{SVG}text")
    return {word.text: word.get("class").split()[1] for word in words}


def test_active_name_is_golden_and_a_stack_shows_its_count():
    places = Place("Adam", to_act=True), Place("Boris")
    said = written(Scene("", (Pile("wall", hidden=5, capacity=17, form="stack"),), places))
    assert said["Adam"] == "g-accent" != said["Boris"]
    assert "x 5" in said


NOTE = "+264 chips, -120 in the match, 51 points, tail 8"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_note_is_written_in_full_at_every_seat(seats):
    places = tuple(Place(f"Seat {seat}", (Pile("hand", hidden=3, capacity=8),), note=NOTE) for seat in range(seats))
    root = ElementTree.fromstring(draw_svg(Scene("Ce Deng", (), places)))
    said = [word.text for word in root.iter(f"{SVG}text")]
    assert " ".join(said).count(NOTE) == sum(text == NOTE for text in said) + 2 * (seats > 3)
    assert sum(text == NOTE for text in said) == seats - 2 * (seats > 3)
    assert not any(letters.DOTS in text for text in said)


def test_count_of_a_side_seat_moves_no_tile():
    def table(note):
        hand = (Pile("hand", ((6, 6), (5, 1)), capacity=8),)
        return draw_image(Scene("", (), tuple(Place("Seat", hand, note=note) for _ in range(4))))

    empty, printed = table(""), table("+62 chips, 34 points")
    np.testing.assert_array_equal(*((each[..., 0] > 150) & (each[..., 1] < 100) for each in (empty, printed)))
    changed = (empty != printed).any(2)
    assert changed[:, :200].any()
    assert not changed[270:540, :].any()  # below the names and notes of the side seats


def test_long_title_and_last_move_are_written_smaller():
    move = "Seat 2 plays [6:4], leaving 3 and 4 open; the deal ends here"
    title = "Jie Long (players=3, open_ends=2)"
    assert {title, move} <= set(written(Scene(title, last_move=move)))


def test_active_seat_is_shown_without_colour_too():
    scene = Scene("", (), (Place("A"), Place("B", to_act=True)))
    assert [each.text for each in drawn(scene).iter(f"{SVG}title")].count("to act") == 1


@every_scene
def test_narrow_drawing_has_no_part_outside_or_overlapping(scene):
    layout = lay_out([scene], narrow=True)
    boxes = [layout.centre, *layout.areas]
    for one, other in combinations(boxes, 2):
        across = one.x + one.w <= other.x or other.x + other.w <= one.x
        assert across or one.y + one.h <= other.y or other.y + other.h <= one.y
    assert max(box.y + box.h for box in boxes) <= layout.height
    table = draw_table(scene, layout)
    for part, area in zip([table.centre, *table.tiles], [layout.centre, *layout.areas], strict=True):
        for piece in part:
            if piece.tag == "text":
                continue
            # The box of a tile has a margin for its shadow.
            right = piece.x + piece.scale * (2 * piece.box.x + piece.box.w)
            bottom = piece.y + piece.scale * (2 * piece.box.y + piece.box.h)
            assert area.x <= piece.x and right <= area.x + area.w
            assert area.y <= piece.y and bottom <= area.y + area.h


def test_layout_of_several_tables_has_room_for_each():
    few, many = (Scene("", (), (Place("A", (Pile("", ((6, 5),) * number),)), Place("B"))) for number in (3, 40))
    both = lay_out([few, many], narrow=True)
    assert both == lay_out([many, few], narrow=True)
    assert both.areas[0].h == lay_out([many], narrow=True).areas[0].h > lay_out([few], narrow=True).areas[0].h


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
@pytest.mark.parametrize("others", [0, 10, 24], ids=["alone", "next to ten", "next to many"])
def test_selectable_tiles_are_large_enough_for_fingers(others, narrow):
    tiles = tuple((6, each % 6 + 1) for each in range(12))
    hand, catch = Pile("hand", tiles, capacity=12), Pile("catch", tiles[:4], capacity=others)
    near = Place("A", (hand, catch) if others else (hand,))
    scene = Scene("", (Pile("lake", tiles, capacity=28), Pile("stock", hidden=9, form="stack")), (near, Place("B")))
    layout = lay_out([scene], narrow=narrow)
    table = draw_table(scene, layout)
    widths = [piece.scale * 100 for piece in (*table.centre, *table.tiles[0][:12]) if "#g-" in piece.attributes]
    assert min(widths) * (371 if narrow else 881) / layout.width >= 32  # of a screen's pixels


def test_tiles_of_others_are_readable_on_a_phone():
    hands = Pile("hand", hidden=7, capacity=8), Pile("discards", ((6, 4),), hidden=2, capacity=8)
    scene = Scene("", (), (Place("A", hands), Place("B", hands)))
    layout = lay_out([scene], narrow=True)
    tiles = [piece for piece in draw_table(scene, layout).tiles[1] if "#g-" in piece.attributes]
    backs = [piece for piece in tiles if "#g-back" in piece.attributes]
    assert len(backs) == 3 + 2  # of a stack with its number, and next to the tile
    assert min(piece.scale * 100 for piece in tiles) * 358 / layout.width >= 21  # of a screen's pixels
    assert "x 7" in written(scene, narrow=True)


@pytest.mark.parametrize("game", GAMES)
def test_own_hand_is_on_the_first_page_of_a_phone(game):
    deal = Deal(GAMES[game], GAMES[game].variant())
    deal.start(3)
    for move in count():
        if deal.terminated:
            break
        if move % 8 == 0:
            scene = GAMES[game].scene(deal.variant, [deal.view(deal.seat)])
            layout = lay_out([scene], narrow=True)
            hand = [piece for piece in draw_table(scene, layout).tiles[0] if piece.face]
            bottom = max(piece.y + piece.scale * 225 for piece in hand[: len(scene.places[0].piles[0].tiles)])
            assert 84 + bottom * 371 / layout.width < 844  # pixels, with the page's head above
        deal.step(int(deal.mask().nonzero()[0][-1]))
