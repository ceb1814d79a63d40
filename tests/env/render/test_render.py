"""Facts about the drawn table: what the rulebook says of the tiles can be read off text and picture."""

import copy
import io
import re
import runpy
import sys
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from resvg_py import svg_to_bytes

from checkout import ROOT
from gupai_env import GAMES
from gupai_env.core.deal import Deal
from gupai_env.render import Pile, Place, Scene, draw_text, letters, piles
from gupai_env.render.image import draw_image
from gupai_env.render.letters import FONT, known
from gupai_env.render.pieces import COLOURS, DARK, LIGHT, THEMES, Box, pips_of
from gupai_env.render.svg import draw_svg, draw_table, lay_out
from gupai_env.render.window import Window

KINDS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
CHAIN = ((1, 2), (2, 4), (4, 1)) * 3  # turned the wrong way round, no two of these tiles would fit


def red_and_black(tile):
    """The rulebook, "The tiles": every one and every four is red; on [6:6] six of the twelve pips are."""
    red = 6 if tile == (6, 6) else sum(number for number in tile if number in (1, 4))
    return red, sum(tile) - red


SCENES = {
    "jie_long": Scene(
        "Jie Long",
        (Pile("layout", CHAIN, marked=(8,), capacity=32, form="line", open_right=1),),
        (
            Place(
                "Adam",
                (Pile("hand", ((6, 6), (5, 1)), capacity=8), Pile("discards", ((2, 1),), capacity=8)),
                True,
                "3 points",
            ),
            *(
                Place(name, (Pile("hand", hidden=3), Pile("discards", hidden=2)))
                for name in ("Boris", "Celine", "Dominik")
            ),
        ),
        ("open end 1", "turn 13 of 32"),
        "Dominik plays [4:1]",
    ),
    "tiu_u": Scene(
        "Tiu-U",
        (Pile("lake", tuple(KINDS[:20] * 2), capacity=40), Pile("stock", hidden=24, capacity=24, form="stack")),
        (
            Place(
                "Adam",
                (Pile("hand", ((6, 6),), capacity=12), Pile("catch", tuple(KINDS), marked=(20,), capacity=40)),
                True,
            ),
            Place("Boris", (Pile("hand", hidden=1, capacity=12), Pile("catch", ((5, 4), (6, 3)), capacity=40))),
        ),
        ("bait from the hand",),
    ),
    "small_mahjong": Scene(
        "Small Mahjong",
        (Pile("wall", hidden=7, capacity=12),),
        tuple(
            Place(
                name,
                (
                    Pile("hand", hidden=2),
                    Pile("double set, 3 points", ((2, 2), (5, 2), (5, 5))),
                    Pile("discards", ((4, 2),)),
                ),
            )
            for name in ("Adam", "Boris", "Celine")
        ),
        last_move="Celine claims [5:5], and this sentence goes on until it is wider than a narrow terminal",
    ),
    "da_ling": Scene(
        "Da Ling",
        (Pile("table", ((6, 6), (3, 2))),),
        tuple(
            Place(name, (Pile("single", ((4, 3),)), Pile("pair", hidden=2), Pile("triple", hidden=3)), note="-25 chips")
            for name in ("Adam", "Boris", "Celine", "Dominik", "Eva")
        ),
        ("target 7", "colour red"),
    ),
}

every_scene = pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)


def blobs(mask):
    """The middles (x, y) of the connected areas of a bool [H, W] mask."""
    left = set(map(tuple, np.argwhere(mask)))
    middles = []
    while left:
        area, edge = [], [left.pop()]
        while edge:
            y, x = edge.pop()
            area.append((x, y))
            near = {(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)} & left
            left -= near
            edge.extend(near)
        middles.append(tuple(np.mean(area, axis=0)))
    return middles


def painted_pips(image):
    """The middles of the red and of the black pips in a picture without face-down tiles and text."""
    red, green, blue = np.moveaxis(image.astype(int), 2, 0)
    return blobs((red > 150) & (green < 100) & (blue < 100)), blobs(image.max(axis=2) < 45)


def alone(pile):
    return draw_image(Scene("", (pile,)))


def piles_of(scene):
    return [*scene.centre, *(pile for place in scene.places for pile in place.piles)]


def plain(text):
    return re.sub(r"\x1b\[\d+m", "", text)


@pytest.mark.parametrize("tile", KINDS, ids=str)
def test_drawn_red_and_black_pips_equal_the_rulebook(tile):
    red, black = painted_pips(alone(Pile("", (tile,))))
    assert (len(red), len(black)) == red_and_black(tile)
    table = pips_of(tile)
    assert sum(pip.red for pip in table) == len(red)
    assert len(table) == sum(tile)


def test_tile_has_its_first_number_on_top():
    red, black = painted_pips(alone(Pile("", ((1, 5),))))
    assert red[0][1] < min(y for _, y in black)


def test_double_six_has_three_red_pips_on_each_end():
    pips = pips_of((6, 6))
    assert [sum(pip.red and (pip.y < 0) == upper for pip in pips) for upper in (True, False)] == [3, 3]
    assert {(pip.x, pip.y, pip.red) for pip in pips} == {(-pip.x, -pip.y, pip.red) for pip in pips}


def test_drawn_line_that_turns_back_reads_from_end_to_end():
    red, black = painted_pips(alone(Pile("", CHAIN, form="line")))
    # The tiles are 54 pixels wide: the pips of an end lie within half of that, ends and rows further apart.
    rows = {}
    for x, y in red + black:
        rows.setdefault(next((key for key in rows if abs(key - y) < 40), y), []).append(x)
    read = []
    for at, row in enumerate(sorted(rows)):
        ends = np.split(np.sort(rows[row]), 1 + np.flatnonzero(np.diff(np.sort(rows[row])) > 27))
        read += [len(end) for end in (ends if at % 2 == 0 else ends[::-1])]
    assert len(rows) == 2
    assert read == [number for tile in CHAIN for number in tile]


@pytest.mark.parametrize("grows", ["left", "right"])
def test_line_with_two_arms_stays_while_one_arm_grows(grows):
    tiles, lead = ((1, 2), (2, 4), (4, 4), (4, 3)), 2
    before = Pile("", tiles, capacity=24, form="line", lead=lead)
    longer = Pile("", ((6, 1), *tiles), capacity=24, form="line", lead=lead + 1)
    if grows == "right":
        longer = Pile("", (*tiles, (3, 1)), capacity=24, form="line", lead=lead)
    changed = np.flatnonzero((alone(before) != alone(longer)).any(axis=(0, 2)))
    assert changed.size
    assert changed.max() < 480 if grows == "left" else changed.min() > 480


@every_scene
@pytest.mark.parametrize("width", [40, 80, 132])
def test_text_holds_every_tile_in_order_in_short_lines(scene, width):
    text = draw_text(scene, width=width)
    assert max(map(len, text.splitlines())) <= width
    shown = piles_of(scene)
    body = text[text.index("\n\n") :]  # past the title, the notes and the last move, which may name tiles too
    assert [(int(a), int(b)) for a, b in re.findall(r"\[(\d):(\d)\]", body)] == [t for p in shown for t in p.tiles]
    assert sum(int(n or 1) for n in re.findall(r"\[ : \](?: x (\d+))?", body)) == sum(p.hidden for p in shown)
    assert body.count("*") == sum(len(pile.marked) for pile in shown)
    assert [line[2:].split("  ")[0] for line in body.splitlines() if line.startswith(">")] == [
        place.name for place in scene.places if place.to_act
    ]


@every_scene
def test_coloured_text_without_its_escapes_is_the_plain_text(scene):
    coloured = draw_text(scene, colour=True)
    assert coloured != draw_text(scene)
    assert plain(coloured) == draw_text(scene)


def test_text_colours_ones_fours_and_one_six_of_double_six_red():
    text = draw_text(Scene("", (Pile("", tuple(KINDS)),)), colour=True)
    cells = re.findall(r"\[(\x1b\[31m)?(\d)(?:\x1b\[39m)?:(\x1b\[31m)?(\d)(?:\x1b\[39m)?\]", text)
    assert [(int(first), int(second)) for _, first, _, second in cells] == KINDS
    for first_red, first, second_red, second in cells:
        expected = (True, False) if first == second == "6" else (first in "14", second in "14")
        assert (bool(first_red), bool(second_red)) == expected


@every_scene
def test_picture_has_a_constant_size_and_drawing_changes_nothing(scene):
    before = copy.deepcopy(scene)
    image = draw_image(scene)
    assert image.shape == (720, 960, 3) and image.dtype == np.uint8
    again = image.copy()
    image[:] = 0  # a caller may write into its picture
    np.testing.assert_array_equal(draw_image(scene), again)
    assert scene == before
    assert draw_image(scene, width=400).shape == (300, 400, 3)


@every_scene
def test_picture_is_the_drawing_painted_at_once(scene):
    whole = svg_to_bytes(svg_string=known(draw_svg(scene)), skip_system_fonts=True, font_files=[str(FONT)])
    expected = np.array(Image.open(io.BytesIO(whole)).convert("RGB")).astype(int)
    difference = draw_image(scene) - expected
    assert np.abs(difference).mean() < 4  # of 255: pieces stand at whole pixels
    height, width = (size // 10 for size in expected.shape[:2])
    blocks = difference.reshape(height, 10, width, 10, 3).mean((1, 3, 4))
    assert np.abs(blocks).max() < 20  # and nothing is cut off


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


def test_marked_tile_has_a_golden_rim_in_a_row_as_in_a_line():
    for form in ("row", "line"):
        plainly, marked = (alone(Pile("", ((6, 5), (5, 3)), marked=at, form=form)) for at in ((), (1,)))
        rim = (marked != plainly).any(2)
        assert rim.any() and (marked[rim][:, 0] > marked[rim][:, 2]).mean() > 0.8


def test_tiles_face_down_are_drawn_as_backs():
    def backs(pile):
        picture = alone(pile).astype(int)
        return int((picture[..., 2] - picture[..., 0] > 60).sum())

    one, two = (backs(Pile("", ((6, 5),), hidden=hidden, capacity=4)) for hidden in (1, 2))
    assert two == 2 * one > 0 == backs(Pile("", ((6, 5),), capacity=4))
    assert backs(Pile("", form="stack")) == 0 < backs(Pile("", hidden=1, form="stack"))


def test_tiles_stay_in_place_as_a_pile_fills():
    fewer, more = (painted_pips(alone(Pile("", tiles, capacity=8))) for tiles in ([(6, 5)], [(6, 5), (4, 2)]))
    assert set(fewer[1]) <= set(more[1])


def test_tiles_are_as_large_as_their_box_allows():
    box = Box(0, 0, 200, 100)
    for tiles in (2, 12, 60):
        size, rows = piles.fit((Pile("", ((6, 5),) * tiles),), box, 40, 0.0)
        assert piles.height_of(rows, 0.0, piles.gap_of(size)) <= 100
        assert (size == 40) == (tiles == 2)


def test_ends_of_a_line_show_their_open_numbers():
    def ends(left, right):
        picture = alone(Pile("", ((2, 4), (4, 3)), form="line", lead=0, open_left=left, open_right=right, capacity=24))
        return picture[:, :450], picture[:, 540:]

    both, left, right = ends(2, 3), ends(2, 2), ends(3, 3)
    np.testing.assert_array_equal(both[0], left[0])
    np.testing.assert_array_equal(both[1], right[1])
    assert (both[0] != right[0]).any() and (both[1] != left[1]).any()


SVG = "{http://www.w3.org/2000/svg}"


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


def test_names_in_other_scripts_can_be_drawn():
    draw_image(Scene("Jie Long 接龍", (), (Place("Žofie 𝄞"),), ("“note”",)))
    assert letters.known("Žofie 接龍 “ỹ”") == "Žofie ?? “y”"


def drawn(scene, **how):
    """The root of a drawing."""
    return ElementTree.fromstring(draw_svg(scene, **how))


def shapes(scene, **how):
    """All there is in a drawing, its heuristics aside."""
    return [
        (each.tag, tuple(each.attrib.items()), each.text)
        for each in drawn(scene, **how).iter()
        if "style" not in each.tag
    ]


@every_scene
@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_drawn_tiles_have_names_and_all_references_are_defined(scene, narrow):
    root = drawn(scene, narrow=narrow)
    titles = {each.get("id"): each.findtext(f"{SVG}title") for each in root.iter() if each.get("id")}
    names = [titles[each.get("href")[1:]] or "" for each in root.iter(f"{SVG}use")]
    printed = sorted(name for name in names if name.startswith("["))
    assert printed == sorted(f"[{a}:{b}]" for pile in piles_of(scene) for a, b in pile.tiles)
    backs = sum(min(pile.hidden, 3) if pile.form == "stack" else pile.hidden for pile in piles_of(scene))
    assert names.count("face down") == backs
    assert names.count("marked") == sum(len(pile.marked) for pile in piles_of(scene))


@every_scene
def test_themes_differ_in_colours_alone(scene):
    dark, light = (shapes(scene, theme=theme) for theme in (DARK, LIGHT))
    assert dark == light
    assert COLOURS[DARK].keys() == COLOURS[LIGHT].keys()
    assert (draw_image(scene, theme=DARK) != draw_image(scene, theme=LIGHT)).any()


def luminance(colour, seen=None):
    """How bright a colour is, as the web's guidelines count it; seen: how its light mixes for a colour-blind eye."""
    shares = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    light = np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)
    return (light if seen is None else np.clip(seen @ light, 0, 1)) @ [0.2126, 0.7152, 0.0722]


def contrast(one, other, seen=None):
    brighter, darker = sorted((luminance(one, seen), luminance(other, seen)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


# Machado, Oliveira and Fernandes (2009), severity 1.
PROTAN = np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]])
DEUTAN = np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]])


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seen", [None, PROTAN, DEUTAN], ids=["all colours", "no red", "no green"])
def test_pips_and_words_stand_out_for_every_eye(theme, seen):
    colours = COLOURS[theme]
    for one, other in (("red", "black"), ("red", "ivory"), ("black", "ivory")):
        assert contrast(colours[one], colours[other], seen) >= 3, (one, other)
    for words in ("ink", "quiet", "accent"):
        for ground in ("felt", "felt-edge", "panel"):
            least = 4 if words == "accent" else 4.5  # names and moves are large
            assert contrast(colours[words], colours[ground], seen) >= least, (words, ground)


def test_active_seat_is_shown_without_colour_too():
    scene = Scene("", (), (Place("A"), Place("B", to_act=True)))
    assert [each.text for each in drawn(scene).iter(f"{SVG}title")].count("to act") == 1


HOSTILE = "</text><script>alert(1)</script>\x00\x1b]]>&amp;'\"\ud800"


@pytest.mark.parametrize("narrow", [False, True], ids=["wide", "narrow"])
def test_hostile_name_is_escaped(narrow):
    pile = Pile(HOSTILE, ((1, 2),), capacity=9)
    scene = Scene(HOSTILE, (pile,), (Place(HOSTILE, (pile,), note=HOSTILE),), (HOSTILE,), HOSTILE)
    tame = Scene("a", (pile,), (Place("b", (pile,), note="c"),), ("d",), "e")
    root, plain = drawn(scene, narrow=narrow), drawn(tame, narrow=narrow)
    assert {each.tag for each in root.iter()} == {each.tag for each in plain.iter()}
    assert any(each.text.startswith("</text><script>") for each in root.iter(f"{SVG}text"))
    draw_image(scene)


@pytest.mark.parametrize("narrow", [False, True])
def test_thread_at_a_turn_of_the_line_stays_in_its_box(narrow):
    """A picture of pixels draws no more of a piece than its box."""
    tiles = tuple((each % 6 + 1, (each + 1) % 6 + 1) for each in range(24))
    scene = Scene("", (Pile("line", tiles, form="line"),), (Place("A"), Place("B")))
    threads = [each for each in draw_table(scene, lay_out([scene], narrow=narrow)).pieces if each.tag == "polyline"]
    assert threads
    for thread in threads:
        points = np.array(re.search(r'points="([^"]+)"', thread.attributes)[1].split(), float).reshape(-1, 2)
        margin = float(re.search(r'stroke-width="([^"]+)"', thread.attributes)[1]) / 2
        low, size = np.array(thread.box[:2]), np.array(thread.box[2:])
        assert (low <= points.min(0) - margin).all() and (points.max(0) + margin <= low + size).all()
        assert (size < np.ptp(points, axis=0) + 20).all()


@every_scene
def test_narrow_drawing_has_no_part_outside_or_overlapping(scene):
    layout = lay_out([scene], narrow=True)
    boxes = sorted([layout.centre, *layout.areas], key=lambda box: box.y)
    assert all(one.y + one.h <= other.y for one, other in pairwise(boxes))
    assert boxes[-1].y + boxes[-1].h <= layout.height
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


def test_table_of_widths_is_that_of_the_font():
    pytest.importorskip("fontTools")
    script = runpy.run_path(str(ROOT / "tools" / "letters.py"))
    assert letters.WIDTHS.read_text(encoding="utf-8") == script["widths"](letters.FONT), "python tools/letters.py"


def test_text_is_as_wide_as_its_letters():
    font = pytest.importorskip("PIL.ImageFont").truetype(str(letters.FONT), 100)
    for text in ("Seat 0 greedy", "[6:4] + 3.5 ÷ 2", "Žluťoučký kůň…"):
        assert letters.length(text, 100) == pytest.approx(font.getlength(text), abs=1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Pile("hand", ((7, 1),)), "numbers from 1 to 6"),
        (lambda: Pile("hand", hidden=-1), "hidden must not be negative"),
        (lambda: Pile("lake", ((1, 1),), marked=(1,)), "positions among its 1 tiles"),
        (lambda: Pile("layout", hidden=1, form="line"), "a line lies face up"),
        (lambda: Pile("stock", ((1, 1),), form="stack"), "a fan face down"),
        (lambda: Pile("layout", lead=0), "positions among its 0 tiles"),
        (lambda: draw_text(Scene(""), width=39), "at least 40 columns"),
        (lambda: draw_image(Scene(""), width=319), "at least 320 pixels"),
        (lambda: draw_image(Scene(""), theme="blue"), "theme must be dark or light, got 'blue'"),
        (lambda: draw_svg(Scene(""), theme="blue"), "theme must be dark or light, got 'blue'"),
    ],
)
def test_undrawable_input_is_refused_with_a_reason(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.fixture
def window(monkeypatch):
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    window = Window()
    yield window
    window.close()


def test_window_shows_the_given_picture(window):
    import pygame

    for width in (320, 400, 400):
        image = draw_image(SCENES["da_ling"], width=width)
        assert window.show(image)
        np.testing.assert_array_equal(pygame.surfarray.array3d(pygame.display.get_surface()), image.swapaxes(0, 1))


def test_window_closed_by_its_user_stays_closed(window):
    import pygame

    image = draw_image(SCENES["da_ling"], width=320)
    assert window.show(image)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    assert not window.show(image)
    assert window.closed
    assert not window.show(image)
    assert pygame.display.get_surface() is None


def test_window_refuses_other_than_pictures(window):
    with pytest.raises(ValueError, match=r"uint8 \[H, W, 3\], got float64 \[2, 2\]"):
        window.show(np.zeros((2, 2)))


def test_missing_pygame_is_named_with_its_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"pip install gupai\[render\]"):
        Window()


def test_pile_words_are_tiles_ends_and_counts_within_the_width():
    shown = (
        Pile("line", ((6, 4), (4, 1)), open_left=6, open_right=1, form="line", marked=(1,)),
        Pile("hand", ((6, 4), (1, 1)), marked=(0,)),
        Pile("down", hidden=3),
        Pile("none"),
        Pile("long", ((1, 1), (2, 2), (3, 3), (4, 4), (5, 5)), marked=(0, 1, 2, 3)),
    )
    lines = draw_text(Scene("Title", (), (Place("You", shown, to_act=True),), (), ""), width=40).splitlines()
    assert lines[-7:] == [
        "> You",
        "  line  (6) [6:4][4:1]* (1)",
        "  hand  [6:4]* [1:1]",
        "  down  [ : ] x 3",
        "  none  -",
        "  long  [1:1]* [2:2]* [3:3]* [4:4]*",
        "        [5:5]",
    ]


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
    assert len(backs) == 9
    assert min(piece.scale * 100 for piece in tiles) * 358 / layout.width >= 21  # of a screen's pixels
    steps = [round(there.x - here.x, 1) for here, there in pairwise(backs[:7])]
    assert len(set(steps)) == 1 and steps[0] < backs[0].scale * 100 / 2


@pytest.mark.parametrize("game", GAMES)
def test_own_hand_is_on_the_first_page_of_a_phone(game):
    deal = Deal(GAMES[game], GAMES[game].variant())
    deal.start(3)
    layout = lay_out([GAMES[game].scene(deal.variant, [deal.view(deal.seat)])], narrow=True)
    assert layout.areas[0].y * 358 / layout.width < 700  # of 844 pixels, with the page's head above
