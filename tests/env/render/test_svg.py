"""A table as a drawing: where its parts stand, and the words it says."""

from xml.etree import ElementTree

import numpy as np
import pytest

from gupai_env.render import Pile, Place, Scene, letters
from gupai_env.render.image import draw_image
from gupai_env.render.svg import WIDTH, draw_svg, draw_table, lay_out
from scenes import SVG, drawn


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


@pytest.mark.parametrize("others", [0, 10, 24], ids=["alone", "next to ten", "next to many"])
def test_selectable_tiles_are_large_enough_for_fingers(others):
    tiles = tuple((6, each % 6 + 1) for each in range(12))
    hand, catch = Pile("hand", tiles, capacity=12), Pile("catch", tiles[:4], capacity=others)
    near = Place("A", (hand, catch) if others else (hand,))
    scene = Scene("", (Pile("lake", tiles, capacity=28), Pile("stock", hidden=9, form="stack")), (near, Place("B")))
    layout = lay_out(2)
    tiles = [piece for piece in draw_table(scene) if "#g-" in piece.attributes]
    own = [piece for piece in tiles if piece.y >= layout.areas[0].y][:12]
    centre = [piece for piece in tiles if layout.centre.y <= piece.y < layout.areas[0].y]
    assert len(centre) > 12
    assert min(piece.scale * 100 for piece in centre + own) * 881 / WIDTH >= 32  # of a screen's pixels
