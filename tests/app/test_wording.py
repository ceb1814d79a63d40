"""What people and programs are told: figures end up in the right words, columns and rows."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation.matches.match import DuplicateResult
from gupai_agents.evaluation.statistics import Estimate
from gupai_agents.evaluation.tournaments.folder import Total
from gupai_app.play.session import Session
from gupai_app.play.terminal import Table
from gupai_app.review.analysis import luck
from gupai_app.shell.screen import put, table_of
from gupai_app.tournaments.routes import SavedTournament
from gupai_app.words.sentences import headline, result
from gupai_env import get_game
from gupai_env.core.scene import YOU
from gupai_env.games.guide import guide_of
from gupai_env.games.phrases import chips
from gupai_training.report import results_json
from gupai_training.run import FINAL_SEED, Row

JIE_LONG, DA_LING = get_game("jie-long"), get_game("da-ling")


# --- games under way ------------------------------------------------------------------------------


def played(deals=1, seed=3, moves=None):
    session = Session(JIE_LONG, JIE_LONG.variant(deals=deals), seed)
    while not session.terminated and (moves is None or len(session.actions) < moves):
        session.play(int(np.flatnonzero(session.mask())[0]))
    return session


def fields(state):
    """Without the bytes between them, which mean nothing."""
    return [np.asarray(state[name]).tolist() for name in state.dtype.names]


def contents_of(session):
    return (
        fields(session.state),
        list(session.actions),
        list(session.movers),
        list(session.payoffs),
        session.finished and fields(session.finished.state),
    )


@pytest.mark.parametrize("moves", [0, 5, 40])
def test_game_continues_from_a_copy_without_a_trace(moves):
    session = played(deals=3, moves=moves)
    kept, before = session.copy(), contents_of(session)
    other = kept.copy()
    assert contents_of(other) == before
    while not other.terminated:
        other.play(int(np.flatnonzero(other.mask())[-1]))
    assert contents_of(session) == before  # nothing of that in here
    while not session.terminated:
        session.play(int(np.flatnonzero(session.mask())[0]))
    assert contents_of(kept) == before  # nor in the copy
    assert contents_of(played(deals=3)) == contents_of(session)


def test_one_chip_is_written_in_the_singular():
    assert [str(chips(paid)) for paid in (1, -1, -0.0, 1.5)] == ["+1 chip", "-1 chip", "+0 chips", "+1.5 chips"]
    assert guide_of(DA_LING, DA_LING.variant(stakes=(1, 2, 3))).phrases["stakes"].words(1, {}).endswith(" one chip")


def test_end_of_a_deal_is_saved_with_its_payoffs():
    session, ends = Session(JIE_LONG, JIE_LONG.variant(deals=2), 3), []
    while not session.terminated:
        seat, move = session.seat, len(session.actions)
        paid = session.play(int(np.flatnonzero(session.mask())[0]))
        assert session.movers[move] == seat
        if paid is not None:
            ends.append((paid, session.finished.state))
    assert len(ends) == len(session.payoffs) == 2
    for paid, state in ends:
        assert state.payoff[:4].tolist() == paid == pytest.approx(paid)
        assert sum(paid) == pytest.approx(0)
        assert not state.hands[:4].any()  # as it ended, not as the next was dealt
    totals = np.sum([paid for paid, _ in ends], 0)
    assert session.state.total[:4].tolist() == totals.tolist()
    assert ends[1][1].total[:4].tolist() == totals.tolist()
    assert [each.won for each in luck(session.record(list("abcd")))] == totals.tolist()


def test_views_begin_with_the_requested_seat():
    session = played(moves=3)
    assert [int(view.seat) for view in session.views(2)] == [2, 3, 0, 1]
    for view in session.views(1):
        assert view.tobytes() == session.view(int(view.seat)).tobytes()


@pytest.mark.parametrize("you", range(4))
def test_person_is_told_their_own_result(you):
    said = []
    terminal = SimpleNamespace(say=said.append, paragraph=said.append, table=lambda scene, after=0: None)
    agents = [make_agent("greedy") for _ in range(4)]
    session = Session(JIE_LONG, JIE_LONG.variant(), 8)
    table = Table(session, agents, you, terminal)
    table.person = SimpleNamespace(choose=lambda turn, moved: int(agents[0].act(turn)[0]))
    table.play()
    assert said[-2] == result(session.payoffs[0][you])  # before what the others won
    assert len(set(session.payoffs[0])) == 4


# --- training -------------------------------------------------------------------------------------


def test_headline_names_the_reader_first_unless_they_won_most():
    names = [YOU, "North", "West"]
    assert headline(names, [38, 54, -92]) == "You win 38 chips. North wins 54 chips."
    assert headline(names, [-12, 12, 0]) == "You lose 12 chips. North wins 12 chips."
    assert headline(names, [54, -54, 0]) == "You win 54 chips."
    assert headline(names, [0, 1, -1]) == headline(names[1:], [1, -1]) == "North wins 1 chip."
    assert headline(names, [5, 5, -10]) == "You and North win 5 chips each."


def test_results_name_the_seats_of_the_agent():
    chips = np.zeros((2, 4, 4))
    for rotation in range(4):
        chips[:, rotation, 0] = 10 + rotation  # player 0 sits at the seat of the rotation's number
        chips[:, rotation, 1] = -99
    variant = JIE_LONG.variant()
    config = SimpleNamespace(variant={}, seed=3)
    run = SimpleNamespace(game=JIE_LONG, variant=variant, config=config, agent_file="f")
    printed = json.loads(results_json(run, [Row("me", "you", DuplicateResult(("me", *["you"] * 3), chips, 1))]))
    (row,) = printed["results"]
    assert (row["player"], row["against"], row["chips_per_deal"]["mean"]) == ("me", "you", 11.5)
    assert [each["mean"] for each in row["at_seats"]] == [10, 11, 12, 13]
    assert (printed["seed"], printed["deals_seed"]) == (3, 3 + FINAL_SEED)


# --- pages ----------------------------------------------------------------------------------------


def test_folder_standings_are_sorted_best_first():
    rest = {
        "win_share": 0.5,
        "p": 1.0,
        "places": [],
        "action_types": {},
        "rating": 0.0,
        "rating_width": 0.0,
        "alpha_rank": None,
    }
    totals = [
        Total(hero=0, mean=-1.0, low=-1.5, high=-0.5, n=9, **rest),
        Total(hero=1, mean=2.0, low=None, high=None, n=9, **rest),
        Total(hero=2, mean=0.5, low=0.25, high=0.75, n=9, **rest),
    ]
    agents = SimpleNamespace(agents=["a", "b", "c"])
    found = SavedTournament("name", Path(), manifest=agents, summary=SimpleNamespace(deals=9, totals=totals)).standings
    assert [each.name for each in found] == ["b", "c", "a"]
    assert [each.chips for each in found] == [
        Estimate.symmetric(2, float("inf"), 9),
        Estimate.symmetric(0.5, 0.25, 9),
        Estimate.symmetric(-1, 0.5, 9),
    ]
    assert SavedTournament("name", Path()).standings == []


@pytest.mark.parametrize("width", [34, 40, 60])
def test_table_numbers_are_never_broken_across_lines(width, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(width))
    table = table_of("a player with a long name", "against another one", "deals")
    numbers = ["+1234.56 ±0.12", "12,345,678"]
    table.add_row("heuristic:pips=1", *numbers)
    put(table)
    shown = capsys.readouterr().out
    assert all(part in shown for number in numbers for part in number.split())
