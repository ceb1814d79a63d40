"""Scenes of several games, and what their drawings show."""

from xml.etree import ElementTree

import numpy as np
import pytest

from gupai_env.render import Pile, Place, Scene
from gupai_env.render.image import draw_image
from gupai_env.render.svg import draw_svg

KINDS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
CHAIN = ((1, 2), (2, 4), (4, 1)) * 3  # turned the wrong way round, no two of these tiles would fit
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


SVG = "{http://www.w3.org/2000/svg}"


def drawn(scene, **how):
    """The root of a drawing."""
    return ElementTree.fromstring(draw_svg(scene, **how))
