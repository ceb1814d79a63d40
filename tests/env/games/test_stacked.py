"""Stacked lines of Jie Long and Ce Deng: eight tiles in a row, the ninth on the eighth, and what they cover."""

import numpy as np
import pytest
from gupai_env.positions.jie_long import from_tiles

from gupai_env import VectorEnv, get_game
from gupai_env.core.deal import Deal
from gupai_env.core.text import draw_text
from gupai_env.core.tiles import CARRYING, KINDS, PIPS
from gupai_env.games.claims import counts_of
from gupai_env.games.connecting.rules import DISCARD
from walks import Walk, encoded, random_walk, views_of

GAMES = {
    "jie-long": {},
    "jie-long, forced": {"forced_play": True},
    "jie-long, two ends": {"open_ends": 2},
    "ce-deng": {},
}


def walk_of(name: str) -> Walk:
    game = get_game(name.partition(",")[0])
    return random_walk(game, game.variant.make(stacked=True, **GAMES[name]), 100, 32, seed=5)


def seen_at(view: np.record, players: int, both_ends: bool) -> dict[str, np.ndarray]:
    """What the observation of a stacked line shows of it, from the moves and the tiles that lie open."""
    found = {"played": np.zeros((4, KINDS), int), "laid_at": np.zeros(KINDS, int), "missed": np.zeros((3, 6), int)}
    turns = [turn for turn in range(view.turn) if view.record[turn] < DISCARD]
    height: dict[int, int] = {}  # of the tile on top, by column
    for index, turn in enumerate(turns):
        row, along = divmod(index, 8)
        height[along if row % 2 == 0 else 7 - along] = turn
    ends: list[int] = []
    last = -1
    for turn in range(view.turn):
        action, place = int(view.record[turn]), (int(view.leader) + turn) % players
        if action < DISCARD:
            last = turn
            kind, end = action % KINDS, action // KINDS
            joins, leaves = int(PIPS[kind, 1 - end]), int(PIPS[kind, end])
            if not ends or not both_ends:
                ends = [joins, leaves] if both_ends else [leaves]
            else:
                ends[ends.index(joins)] = leaves
            if turn in height.values():
                found["played"][place, kind] += 1
                found["laid_at"][kind] = turn + 1
        elif place and last in height.values():
            for number in set(ends):
                found["missed"][place - 1, number - 1] += 1
    return found


@pytest.mark.parametrize("name", GAMES)
def test_observation_shows_only_the_tiles_that_lie_open(name):
    walk = walk_of(name)
    positions, variant = walk.positions(150, seed=1), walk.variant
    covered = 0
    for seat in range(variant.players):
        views = views_of(walk.envs, positions, seat)
        sections = walk.envs.layout.split(encoded(walk.envs, views))
        for view, *shown in zip(views, *(sections[each] for each in sections), strict=True):
            observed = dict(zip(sections, shown, strict=True))
            expected = seen_at(view, variant.players, variant.open_ends == 2)
            for section, values in expected.items():
                np.testing.assert_array_equal(observed[section], values, section)
            remembered = counts_of(np.array([sum(map(int, view.played))]))[0] - expected["played"].sum(0)
            unseen = counts_of(np.array([view.unseen]))[0] + remembered
            np.testing.assert_array_equal(observed["unseen"], unseen)
            suits = [
                sum(unseen[kind] > 0 for kind in range(KINDS) if CARRYING[n] >> (3 * kind) & 1) for n in range(1, 7)
            ]
            np.testing.assert_array_equal(observed["unseen_suits"], suits)
            np.testing.assert_array_equal(observed["void"], (expected["missed"] > 0) & (view.void[1:, 1:] > 0))
            covered += int(remembered.sum())
    assert covered > 20


@pytest.mark.parametrize("name", GAMES)
def test_play_equals_that_of_a_fully_visible_line(name):
    game, options = get_game(name.partition(",")[0]), GAMES[name]
    lanes = [VectorEnv(game, 50, seed=7, stacked=stacked, **options) for stacked in (False, True)]
    hidden = 0
    for move in range(100):
        actions = lanes[0].sample(move)
        for envs in lanes:
            envs.step(actions)
        for array in ("masks", "rewards", "seats", "terminated", "states"):
            np.testing.assert_array_equal(getattr(lanes[0], array), getattr(lanes[1], array))
        hidden += int((lanes[0].observations != lanes[1].observations).any(1).sum())
    assert hidden > 50


def test_histories_that_differ_in_covered_tiles_look_alike():
    """Of ten tiles the seventh and the eighth are covered."""
    shown, hands = "[6:6][6:5][5:5][5:4][4:4][4:6]{}[2:5][5:1]", ["[6:6]", "[1:1]"]
    one, other = (from_tiles(hands, shown.format(tiles), stacked=True) for tiles in ("[6:1][1:2]", "[6:3][3:2]"))
    np.testing.assert_array_equal(observed(one), observed(other))
    assert draw_text(one.scene()) == draw_text(other.scene())
    assert one.view(0).tobytes() != other.view(0).tobytes()  # who remembers can tell them apart
    layout = "  layout    [6:6] [6:5] [5:5] [5:4] [4:4] [4:6] [5:1]* [2:5]"
    assert layout in draw_text(one.scene()).splitlines()
    assert "open end 1 | covered tiles: 2 |" in draw_text(one.scene())


def observed(deal: Deal) -> np.ndarray:
    """The observation of the seat to act."""
    found = np.zeros(deal.game.encoder.layout.size, np.int8)
    deal.game.encode(deal.view(deal.seat), found)
    return found


@pytest.mark.parametrize("name", ["jie-long", "ce-deng"])
def test_openspiel_observation_is_a_text_of_open_tiles(name):
    pyspiel = pytest.importorskip("pyspiel")
    import gupai_env.openspiel  # noqa: F401

    states = {}
    for stacked in (False, True):
        game = pyspiel.load_game(f"python_gupai_{name.replace('-', '_')}", {"stacked": stacked, "rng_seed": 4})
        states[stacked] = game.new_initial_state()
        states[stacked].apply_action(0)
    while not states[True].is_terminal():
        action = states[True].legal_actions()[0]
        for state in states.values():
            state.apply_action(action)
    assert "record=" in states[False].observation_string(0)
    assert "record=" not in states[True].observation_string(0)
    played = np.array(states[True].observation_tensor(0))[63:147]
    assert f"played={played.astype(int).reshape(4, KINDS).tolist()}" in states[True].observation_string(0)
