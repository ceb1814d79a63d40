"""Layouts: the named sections of an observation."""

import numpy as np
import pytest

from gupai_env import GAMES
from gupai_env.core.layout import Layout, Section
from variants import variants
from walks import encoded, envs_of, views_of

LAYOUT = Layout(
    (
        Section("hand", (3,), 2, "copies"),
        Section("table", (2, 2), 9, "by seat"),
        Section("lead", (1,), 5, "points ahead", signed=True),
    )
)
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def test_sections_follow_each_other():
    assert LAYOUT.size == 8
    assert LAYOUT.starts == (0, 3, 7)


def test_range_is_0_to_high_or_signed():
    assert LAYOUT.low.tolist() == [0, 0, 0, 0, 0, 0, 0, -5]
    assert LAYOUT.high.tolist() == [2, 2, 2, 9, 9, 9, 9, 5]
    assert LAYOUT.low.dtype == LAYOUT.high.dtype == np.int8


def test_split_names_parts_without_copying():
    one = np.arange(8, dtype=np.int8)
    parts = LAYOUT.split(one)
    assert {name: part.tolist() for name, part in parts.items()} == {
        "hand": [0, 1, 2],
        "table": [[3, 4], [5, 6]],
        "lead": [7],
    }
    assert all(np.shares_memory(part, one) for part in parts.values())
    many = LAYOUT.split(np.zeros((5, 4, 8), np.int8))
    assert many["table"].shape == (5, 4, 2, 2)


def test_digest_depends_on_names_shapes_ranges_and_order_alone():
    def digest(*sections):
        return Layout(tuple(Section(*section) for section in sections)).digest

    same = digest(("a", (2,), 1, "x"), ("b", (1,), 1, "y"))
    assert same == digest(("a", (2,), 1, "other words"), ("b", (1,), 1, "y"))
    others = {
        digest(("c", (2,), 1, "x"), ("b", (1,), 1, "y")),
        digest(("a", (3,), 1, "x"), ("b", (1,), 1, "y")),
        digest(("a", (2,), 2, "x"), ("b", (1,), 1, "y")),
        digest(("a", (2,), 1, "x", True), ("b", (1,), 1, "y")),
        digest(("b", (1,), 1, "y"), ("a", (2,), 1, "x")),
    }
    assert len(others) == 5
    assert same not in others


@every_game
def test_layout_has_unique_documented_sections_that_fit_int8(game):
    sections = game.encoder.layout.sections
    assert len({section.name for section in sections}) == len(sections)
    for section in sections:
        assert 0 < section.high <= 127, section.name
        assert len(section.meaning) > 5, section.name


@pytest.mark.parametrize("encoder", sorted({game.encoder.name for game in GAMES.values()}))
def test_sections_are_all_used_by_some_variant(encoder):
    games = [game for game in GAMES.values() if game.encoder.name == encoder]
    layout = games[0].encoder.layout
    used = np.zeros(layout.size, bool)
    unused = list(layout.split(used))
    for game, variant in [(each, variant) for each in games for variant in variants(each)]:
        envs = envs_of(game, variant, 150, seed=1)
        for step in range(60 * bool(unused)):
            used |= envs.observations.any(0)
            used |= encoded(envs, views_of(envs, envs.states, 0)).any(0)  # some show off turn alone
            envs.step(envs.sample(step))
        unused = [name for name, part in layout.split(used).items() if not part.any()]
    assert unused == []
