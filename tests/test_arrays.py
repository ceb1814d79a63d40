"""Recorded games as arrays: what an independent reader, the PettingZoo environment, finds in the same file."""

import sys

import numpy as np
import pytest
from typer.testing import CliRunner

from gupai_agents import make_agent
from gupai_agents.evaluation import RecordWriter, duel, games_to_arrays, read_games
from gupai_app.cli import app
from gupai_env.aec import GupaiEnv


def recorded(path, game="jie-long", **variant):
    with RecordWriter(path) as record:
        players = [make_agent(name, game, **variant) for name in ("greedy", "random")]
        duel(game, *players, 8, seed=1, record=record, **variant)
    return path


@pytest.mark.parametrize(("game", "variant"), [("jie-long", {"forced_play": True}), ("jie-long", {"deals": 3})])
def test_arrays_hold_what_the_environment_shows(tmp_path, game, variant):
    path = recorded(tmp_path / "games.jsonl", game, **variant)
    found, row = games_to_arrays(path), 0
    for number, record in enumerate(read_games(path)):
        assert len(record.payoffs) == variant.get("deals", 1)
        env = GupaiEnv(game, **record.variant.changed())
        env.reset(seed=record.seed)
        for _ in range(record.episode):
            env.reset()
        first, paid = row, []
        for action in record.actions:
            seat = env.possible_agents.index(env.agent_selection)
            shown = env.observe(env.agent_selection)
            np.testing.assert_array_equal(found.observations[row], shown["observation"])
            np.testing.assert_array_equal(found.masks[row], shown["action_mask"])
            assert (found.actions[row], found.seats[row], found.games[row]) == (action, seat, number)
            env.step(action)
            paid.append([env.rewards[agent] for agent in env.possible_agents])
            row += 1
        coming = np.cumsum(paid[::-1], 0)[::-1]
        seats = found.seats[first:row]
        np.testing.assert_array_equal(found.returns[first:row], coming[np.arange(len(seats)), seats])
    assert row == len(found.actions) and len({len(each) for each in found}) == 1


def test_games_are_numbered_through_blocks(tmp_path, monkeypatch):
    path = recorded(tmp_path / "games.jsonl")
    whole = games_to_arrays(path)
    monkeypatch.setattr("gupai_agents.evaluation.arrays.GAMES_AT_ONCE", 5)
    for one, other in zip(whole, games_to_arrays(path), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_command_writes_what_numpy_reads(tmp_path):
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.npz"
    words = ["export-dataset", str(path), "--out", str(out)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    found = games_to_arrays(path)
    with np.load(out) as read:
        assert list(read) == list(found._fields)
        for name, array in found._asdict().items():
            np.testing.assert_array_equal(read[name], array)
    assert CliRunner().invoke(app, words).exit_code == 2


def test_the_command_writes_the_decisions_of_one_agent_as_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.parquet"
    done = CliRunner().invoke(app, ["export-dataset", str(path), "--out", str(out), "--agent", "greedy"])
    assert done.exit_code == 0, done.output
    found, table = games_to_arrays(path, "greedy"), parquet.read_table(out)
    assert table.column_names == list(found._fields)
    for name, array in found._asdict().items():
        np.testing.assert_array_equal(np.array(table[name].to_pylist()), array)


def test_without_pyarrow_the_command_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.parquet"
    done = CliRunner().invoke(app, ["export-dataset", str(path), "--out", str(out)])
    assert done.exit_code == 2 and "pip install 'gupai[data]'" in done.stderr and not out.exists()


def test_the_decisions_of_one_agent_are_those_of_the_seats_that_have_its_name(tmp_path, monkeypatch):
    path = recorded(tmp_path / "games.jsonl")
    whole, agents = games_to_arrays(path), [record.agents for record in read_games(path)]
    monkeypatch.setattr("gupai_agents.evaluation.arrays.GAMES_AT_ONCE", 5)
    shares = []
    for name in ("greedy", "random"):
        own = np.array([agents[game][seat] == name for game, seat in zip(whole.games, whole.seats, strict=True)])
        shares.append(own.mean())
        for one, other in zip(games_to_arrays(path, name), whole, strict=True):
            np.testing.assert_array_equal(one, other[own])
    assert sum(shares) == 1 and 0.2 < shares[0] < 0.3  # one among three
    with pytest.raises(ValueError, match=r"no agent 'best'; there are greedy, random$"):
        games_to_arrays(path, "best")


def test_what_is_no_data_set_is_refused_in_a_line(tmp_path):
    path, other = recorded(tmp_path / "games.jsonl"), recorded(tmp_path / "other.jsonl", forced_play=True)
    mixed, empty = tmp_path / "mixed.jsonl", tmp_path / "empty.jsonl"
    mixed.write_bytes(path.read_bytes() + other.read_bytes())
    empty.write_bytes(b"")
    for file, said in ((mixed, "games of several variants"), (empty, "there is no game in it")):
        done = CliRunner().invoke(app, ["export-dataset", str(file), "--out", str(tmp_path / "data.npz")])
        assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    done = CliRunner().invoke(app, ["export-dataset", str(path), "--out", str(tmp_path / "data.csv")])
    assert done.exit_code == 2 and "ends with .npz or .parquet" in done.stderr
