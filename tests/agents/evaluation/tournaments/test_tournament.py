"""Tournaments: who sits with whom, and what is counted for whom."""

from collections import Counter
from itertools import combinations, permutations

import pytest

from gupai_agents import make_agent
from gupai_agents.evaluation import (
    RecordWriter,
    duel,
    play_duplicates,
    play_tournament,
    read_games,
    round_robin,
    schedule,
)
from gupai_agents.evaluation.statistics import t_test
from gupai_agents.evaluation.tournaments.tournament import MIXED, ONE, TWO, line_ups
from gupai_env.games import GAMES

NAMES = ("greedy", "variety", "random")


# --- who sits with whom ---------------------------------------------------------------------------


def test_one_form_seats_one_agent_among_equals():
    found = line_ups(3, 4, ONE)
    assert [each.agents for each in found] == [(a, b, b, b) for a, b in permutations(range(3), 2)]
    assert all(list(each.counted) == [0] for each in found)


def test_two_form_seats_two_against_two_in_both_orders():
    found = line_ups(3, 4, TWO)
    assert [each.agents for each in found] == [
        seats for a, b in combinations(range(3), 2) for seats in ((a, a, b, b), (a, b, a, b))
    ]
    assert all(list(each.counted) == [0, 1, 2, 3] for each in found)


@pytest.mark.parametrize(("number", "seats"), [(2, 4), (3, 4), (4, 4), (6, 4), (9, 4), (13, 4), (20, 5), (12, 3)])
def test_mixed_tables_seat_and_pair_all_equally_often(number, seats):
    found = [each.agents for each in line_ups(number, seats, MIXED)]
    assert len(set(Counter(who for each in found for who in each).values())) == 1
    if number >= seats:
        assert all(len(set(each)) == seats for each in found)
        meetings = Counter(frozenset(pair) for each in found for pair in combinations(each, 2))
        assert len(meetings) == number * (number - 1) // 2
        assert max(meetings.values()) <= 2 * min(meetings.values())
        assert number > 8 or len(set(meetings.values())) == 1


@pytest.mark.parametrize(("most", "found"), [(5, 5), (4, 10)])
def test_combinations_are_all_played_up_to_a_number(most, found, monkeypatch):
    monkeypatch.setattr("gupai_agents.evaluation.tournaments.tournament.MOST_COMBINATIONS", most)
    seated = [each.agents for each in line_ups(5, 4, MIXED)]
    assert (seated == list(combinations(range(5), 4))) == (most == 5)
    assert len(seated) == found


def test_all_form_plays_every_table():
    tables = Counter(each.table for each in line_ups(4, 4, "all"))
    assert tables == {ONE: 12, TWO: 12, MIXED: 1}
    assert {each.table for each in line_ups(3, 3, "all")} == {ONE, MIXED}
    assert {each.table for each in line_ups(2, 2, "all")} == {ONE}


def test_table_that_cannot_be_filled_is_refused():
    with pytest.raises(ValueError, match="choose one of one, two, mixed, all"):
        line_ups(3, 4, "three")
    with pytest.raises(ValueError, match="an even number, that play for themselves; there are 3"):
        schedule("jie-long", NAMES, 5, table=TWO, players=3)
    with pytest.raises(ValueError, match="needs two agents or more"):
        schedule("jie-long", ["greedy"], 5)


# --- what is counted for whom ---------------------------------------------------------------------


def test_line_ups_are_each_a_duplicate_match_of_their_own():
    found = play_tournament("jie-long", NAMES, 12, table="all", seed=2)
    for number, line_up in enumerate(found.line_ups):
        alone = play_duplicates("jie-long", [NAMES[each] for each in line_up.agents], 12, seed=2)
        assert (found.chips[number] == alone.chips).all()
    assert found.standings.chips[1, 0] == pytest.approx(duel("jie-long", NAMES[1], NAMES[0], 12, seed=2).chips[:, :, 0])
    assert (round_robin("jie-long", NAMES, 12, seed=2).chips == found.standings.chips).all()


@pytest.mark.parametrize("game", GAMES)
def test_decisions_are_those_of_the_records(game, tmp_path):
    with RecordWriter(tmp_path / "games.jsonl") as record:
        found = play_tournament(game, ["greedy", "random"], 5, seed=1, record=record, deals=2)
    counted = Counter()
    for number, played in enumerate(read_games(tmp_path / "games.jsonl")):
        counted[number // found.chips.shape[2] // 5] += len(played.actions)
    assert [int(each.sum()) for each in found.action_types] == [counted[0], counted[1]]


def test_decisions_are_counted_per_deal_in_matches_too():
    """Eight tiles are played or discarded in every deal."""
    for performance in play_tournament("jie-long", ["greedy", "random"], 4, deals=3).performances:
        assert sum(performance.action_types.values()) == pytest.approx(8)


def test_better_agents_are_higher_in_every_column():
    found = play_tournament("jie-long", NAMES, 300, table="all", seed=1)
    greedy, variety, random = found.performances
    assert variety.chips.mean > greedy.chips.mean > random.chips.mean
    assert variety.rating > greedy.rating > random.rating
    assert variety.alpha_rank > greedy.alpha_rank > random.alpha_rank
    assert variety.win_share > random.win_share
    assert random.action_types["discard"] > greedy.action_types["discard"]
    assert variety.p < 0.001 and random.p < 0.001
    assert max(found.standings.adjusted().values()) <= 1


def test_agent_against_itself_is_never_better():
    found = play_tournament("jie-long", ["greedy", "greedy"], 50, seed=1)
    assert [performance.p for performance in found.performances] == [1.0, 1.0]
    assert [performance.chips.mean for performance in found.performances] == [0.0, 0.0]
    assert found.performances[0].rating == pytest.approx(0, abs=1e-6)


def test_p_of_a_duel_is_adjusted_for_the_number_of_duels():
    found = play_tournament("jie-long", NAMES, 40, seed=1).standings
    alone = {pair: t_test(found.chips[pair].mean(1)) for pair in permutations(range(3), 2)}
    adjusted, (surest, *others) = found.adjusted(), sorted(alone, key=alone.get)
    assert adjusted[surest] == pytest.approx(6 * alone[surest], abs=0) and alone[surest] > 0
    assert all(adjusted[pair] >= max(alone[pair], adjusted[surest]) for pair in others)


@pytest.mark.parametrize("table", [ONE, TWO])
def test_deals_are_bounded_by_memory(table, monkeypatch):
    agents = [make_agent(name, "jie-long") for name in ("greedy", "random")]
    kept = play_tournament("jie-long", agents, 3, table=table).action_types.size // 3  # the largest array, of a deal
    monkeypatch.setattr("gupai_agents.evaluation.tournaments.tournament.MOST_FIGURES", 5 * kept)
    assert schedule("jie-long", ["a", "b"], 5, table=table).deals == 5
    with pytest.raises(ValueError, match="whole number from 1 to 5"):
        schedule("jie-long", ["a", "b"], 6, table=table)
