"""Recorded games as arrays: what an independent reader, the PettingZoo environment, finds in the same file."""

import hashlib
import json
import sys

import numpy as np
import pytest

from commands import gupai
from gupai_agents import make_agent
from gupai_agents.evaluation import RecordWriter, data_seed, duel, games_to_arrays, read_games, split_by_deal
from gupai_agents.evaluation.matches.match import key_of
from gupai_env.aec import GupaiEnv


def recorded(path, game="jie-long", **variant):
    with RecordWriter(path) as record:
        players = [make_agent(name, game, **variant) for name in ("greedy", "random")]
        duel(game, *players, 8, seed=1, record=record, **variant)
    return path


@pytest.mark.parametrize(("game", "variant"), [("jie-long", {"forced_play": True}), ("jie-long", {"deals": 3})])
def test_arrays_equal_the_environment(tmp_path, game, variant):
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
            assert (found.metadata["agents"][found.agents[row]], found.seeds[row]) == (record.agents[seat], record.seed)
            env.step(action)
            paid.append([env.rewards[agent] for agent in env.possible_agents])
            row += 1
        coming = np.cumsum(paid[::-1], 0)[::-1]
        seats = found.seats[first:row]
        np.testing.assert_array_equal(found.returns[first:row], coming[np.arange(len(seats)), seats])
    assert {len(column) for column in found.columns.values()} == {row}


def test_games_are_numbered_through_blocks(tmp_path, monkeypatch):
    path = recorded(tmp_path / "games.jsonl")
    whole = games_to_arrays(path)
    monkeypatch.setattr("gupai_agents.evaluation.records.arrays.GAMES_AT_ONCE", 5)
    for one, other in zip(whole, games_to_arrays(path), strict=True):
        np.testing.assert_array_equal(one, other)


def test_metadata_names_what_the_rows_share(tmp_path):
    path = recorded(tmp_path / "games.jsonl", forced_play=True)
    decisions = games_to_arrays(path, "random", licence="CC-BY-4.0")
    metadata = decisions.metadata
    assert (metadata["game"], metadata["version"], metadata["variant"]) == ("jie-long", 0, {"forced_play": True})
    assert (metadata["agents"], metadata["licence"]) == (["greedy", "random"], "CC-BY-4.0")
    assert set(decisions.agents) == {1}  # the other is still named: it sat at the same tables
    layout = GupaiEnv("jie-long").layout
    for section, (name, part) in zip(metadata["sections"], layout.split(decisions.observations).items(), strict=True):
        columns = decisions.observations[:, section["start"] :][:, : part[0].size]
        assert section["name"] == name
        np.testing.assert_array_equal(columns.reshape(-1, *section["shape"]), part)
    assert len(metadata["actions"]) == decisions.masks.shape[1]


def test_games_of_a_deal_stay_together_in_a_split(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "gupai_agents.evaluation.records.arrays.GAMES_AT_ONCE", 7
    )  # the deals of a block come again in others
    path = tmp_path / "games.jsonl"
    words = ["record", "jie-long", "greedy", "random", "--deals", "30", "--seed", "5", "--out", str(path)]
    done = gupai(*words)
    assert done.exit_code == 0 and done.stdout == f"{path}: 240 games of 30 deals\n"
    assert gupai(*words).exit_code == 2  # it replaces nothing
    decisions = games_to_arrays(path)
    records = list(read_games(path))
    assert [record.seed for record in records] == [
        key_of(data_seed(5), deal) for deal in range(30) for _ in range(4)
    ] * 2
    numbers = [deal for deal in range(30) for _ in range(4)] * 2
    np.testing.assert_array_equal(decisions.deals, [numbers[game] for game in decisions.games])

    train, test = split_by_deal(decisions.deals, 0.2, seed=1)
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(len(decisions.deals)))
    assert not set(decisions.deals[train]) & set(decisions.deals[test])
    assert len(set(decisions.deals[test])) == 6
    again, other = (split_by_deal(decisions.deals, 0.2, seed=seed)[1] for seed in (1, 2))
    assert np.array_equal(test, again) and not np.array_equal(test, other)
    first = {decisions.observations[row].tobytes() for row in train}
    assert all(decisions.observations[row].tobytes() not in first for row in test)  # each begins with a hand of its own


def test_evaluation_deals_are_not_those_recorded_for_learning():
    """Seeds of deals, of which evaluations, training and tuning derive theirs from other streams."""
    learned = {key_of(data_seed(seed), deal) for seed in range(40) for deal in range(100)}
    evaluated = {key_of(seed, deal) for seed in range(40) for deal in range(100)}
    assert len(learned) == 4000 and not learned & evaluated


@pytest.mark.parametrize(
    ("deals", "test", "message"),
    [
        ([0, 0, 0], 0.5, "leaves one side without a deal"),
        (np.arange(10), 0.01, "0.01 of 10 deals leaves one side without a deal"),
        (np.arange(10), 0.99, "leaves one side without a deal"),
        (np.arange(10), 1.5, "from 0 to 1"),
        (np.arange(10), float("nan"), "from 0 to 1"),
        (np.arange(10), "0.1", "from 0 to 1"),
        (np.zeros((2, 2), int), 0.5, r"not int64 \[2, 2\]"),
        ([0.5, 1.5], 0.5, "not float64"),
        ([], 0.5, "deal"),
    ],
)
def test_invalid_split_is_refused(deals, test, message):
    with pytest.raises(ValueError, match=message):
        split_by_deal(deals, test)


def test_command_writes_what_numpy_reads(tmp_path):
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.npz"
    words = ["export-dataset", str(path), "--out", str(out)]
    done = gupai(*words)
    assert done.exit_code == 0, done.output
    found = games_to_arrays(path)
    with np.load(out) as read:
        assert list(read) == list(found._fields)
        assert json.loads(str(read["metadata"])) == found.metadata
        for name, array in found.columns.items():
            np.testing.assert_array_equal(read[name], array)
    assert gupai(*words).exit_code == 2


def test_command_writes_the_decisions_of_one_agent_as_parquet(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.parquet"
    done = gupai("export-dataset", path, "--out", out, "--agent", "greedy")
    assert done.exit_code == 0, done.output
    found, table = games_to_arrays(path, "greedy"), parquet.read_table(out)
    assert table.column_names == list(found.columns)
    assert json.loads(table.schema.metadata[b"gupai"]) == found.metadata
    for name, array in found.columns.items():
        np.testing.assert_array_equal(np.array(table[name].to_pylist()), array)


def test_croissant_metadata_describes_every_column_and_the_bytes(tmp_path):
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.npz"
    words = ["export-dataset", str(path), "--out", str(out), "--croissant"]
    assert gupai(*words).exit_code == 0
    described = json.loads((tmp_path / "data.npz.croissant.json").read_text(encoding="utf-8"))
    (file,), (rows,) = described["distribution"], described["recordSet"]
    assert (file["contentUrl"], file["sha256"]) == ("data.npz", hashlib.sha256(out.read_bytes()).hexdigest())
    columns = games_to_arrays(path).columns
    assert [field["source"]["extract"]["column"] for field in rows["field"]] == list(columns)
    for field, array in zip(rows["field"], columns.values(), strict=True):
        assert field.get("arrayShape", "") == ",".join(map(str, array.shape[1:]))
        assert field["dataType"] == {"i": "sc:Integer", "b": "sc:Boolean", "f": "sc:Float"}[array.dtype.kind]
    out.unlink()
    assert gupai(*words).exit_code == 2 and not out.exists()  # the metadata are still there


def test_missing_pyarrow_is_reported_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path, out = recorded(tmp_path / "games.jsonl"), tmp_path / "data.parquet"
    done = gupai("export-dataset", path, "--out", out)
    assert done.exit_code == 2 and "pip install 'gupai[data]'" in done.stderr and not out.exists()


def test_agent_decisions_are_those_of_the_seats_with_its_name(tmp_path, monkeypatch):
    path = recorded(tmp_path / "games.jsonl")
    whole, agents = games_to_arrays(path), [record.agents for record in read_games(path)]
    monkeypatch.setattr("gupai_agents.evaluation.records.arrays.GAMES_AT_ONCE", 5)
    shares = []
    for name in ("greedy", "random"):
        own = np.array([agents[game][seat] == name for game, seat in zip(whole.games, whole.seats, strict=True)])
        shares.append(own.mean())
        for column, array in games_to_arrays(path, name).columns.items():
            np.testing.assert_array_equal(array, whole.columns[column][own])
    assert sum(shares) == 1 and 0.2 < shares[0] < 0.3  # one among three
    with pytest.raises(ValueError, match=r"no agent 'best'; there are greedy, random$"):
        games_to_arrays(path, "best")


def test_invalid_data_set_is_refused_in_one_line(tmp_path):
    path, other = recorded(tmp_path / "games.jsonl"), recorded(tmp_path / "other.jsonl", forced_play=True)
    mixed, empty = tmp_path / "mixed.jsonl", tmp_path / "empty.jsonl"
    mixed.write_bytes(path.read_bytes() + other.read_bytes())
    empty.write_bytes(b"")
    for file, said in ((mixed, "games of several variants"), (empty, "there is no game in it")):
        done = gupai("export-dataset", file, "--out", tmp_path / "data.npz")
        assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1
    done = gupai("export-dataset", path, "--out", tmp_path / "data.csv")
    assert done.exit_code == 2 and "ends with .npz or .parquet" in done.stderr
