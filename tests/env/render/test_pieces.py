"""Pieces of a drawing: tiles as the rulebook describes them, colours that every eye can tell, and tame words."""

import numpy as np
import pytest

from gupai_env.render import Pile, Place, Scene
from gupai_env.render.image import draw_image
from gupai_env.render.pieces import COLOURS, DARK, LIGHT, THEMES, pips_of
from scenes import KINDS, SVG, alone, drawn, every_scene, painted_pips, piles_of


def red_and_black(tile):
    """The rulebook, "The tiles": every one and every four is red; on [6:6] six of the twelve pips are."""
    red = 6 if tile == (6, 6) else sum(number for number in tile if number in (1, 4))
    return red, sum(tile) - red


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


def shapes(scene, **how):
    """All there is in a drawing, its heuristics aside."""
    return [
        (each.tag, tuple(each.attrib.items()), each.text)
        for each in drawn(scene, **how).iter()
        if "style" not in each.tag
    ]


@every_scene
def test_drawn_tiles_have_names_and_all_references_are_defined(scene):
    root = drawn(scene)
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


HOSTILE = "</text><script>alert(1)</script>\x00\x1b]]>&amp;'\"\ud800"


def test_hostile_name_is_escaped():
    pile = Pile(HOSTILE, ((1, 2),), capacity=9)
    scene = Scene(HOSTILE, (pile,), (Place(HOSTILE, (pile,), note=HOSTILE),), (HOSTILE,), HOSTILE)
    tame = Scene("a", (pile,), (Place("b", (pile,), note="c"),), ("d",), "e")
    root, plain = drawn(scene), drawn(tame)
    assert {each.tag for each in root.iter()} == {each.tag for each in plain.iter()}
    assert any(each.text.startswith("</text><script>") for each in root.iter(f"{SVG}text"))
    draw_image(scene)
