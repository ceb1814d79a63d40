"""Text, pictures and windows: a scene is drawn in full, in its size, and other input is refused."""

import copy
import io
import re
import runpy
import sys

import numpy as np
import pytest
from PIL import Image
from resvg_py import svg_to_bytes

from checkout import ROOT
from gupai_env.core.text import wrap
from gupai_env.render import Pile, Place, Scene, draw_text, letters
from gupai_env.render.image import draw_image
from gupai_env.render.letters import FONT, known
from gupai_env.render.svg import draw_svg
from gupai_env.render.window import Window
from scenes import KINDS, SCENES, every_scene, piles_of


def plain(text):
    return re.sub(r"\x1b\[\d+m", "", text)


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


def test_names_in_other_scripts_can_be_drawn():
    draw_image(Scene("Jie Long 接龍", (), (Place("Žofie 𝄞"),), ("“note”",)))
    assert letters.known("Žofie 接龍 “ỹ”") == "Žofie ?? “y”"


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


@pytest.mark.parametrize("width", range(8, 30))
def test_chinese_lines_neither_begin_with_a_closing_mark_nor_end_with_an_opening_one(width):
    text = "「對子」最大，其次王、槓，然後比點數的尾數（模十）；[4:2] 和 [2:1] 可當 3 點或 6 點。"
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert not any(line[0] in "」）；，、。" or line[-1] in "「（" for line in lines)
