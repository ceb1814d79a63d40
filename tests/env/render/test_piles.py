"""Piles in the space there is: rows that stay in place, backs, stacks, and a line that turns."""

import re

import numpy as np
import pytest

from gupai_env.render import Pile, Place, Scene, piles
from gupai_env.render.pieces import Box
from gupai_env.render.svg import draw_table
from scenes import CHAIN, alone, painted_pips


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


def test_thread_at_a_turn_of_the_line_stays_in_its_box():
    """A picture of pixels draws no more of a piece than its box."""
    tiles = tuple((each % 6 + 1, (each + 1) % 6 + 1) for each in range(24))
    scene = Scene("", (Pile("line", tiles, form="line"),), (Place("A"), Place("B")))
    threads = [each for each in draw_table(scene) if each.tag == "polyline"]
    assert threads
    for thread in threads:
        points = np.array(re.search(r'points="([^"]+)"', thread.attributes)[1].split(), float).reshape(-1, 2)
        margin = float(re.search(r'stroke-width="([^"]+)"', thread.attributes)[1]) / 2
        low, size = np.array(thread.box[:2]), np.array(thread.box[2:])
        assert (low <= points.min(0) - margin).all() and (points.max(0) + margin <= low + size).all()
        assert (size < np.ptp(points, axis=0) + 20).all()
