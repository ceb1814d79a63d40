"""Where every equilibrium mixes: what is proved by policies agrees with linear programs, which know no policies."""

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_matrix, hstack, vstack

from gupai_agents.evaluation.exact import mixing as module
from gupai_agents.evaluation.exact.mixing import CLEAR, mixing, never_mixing, reach_of, sure_of
from gupai_agents.evaluation.exact.tree import build_tree, solve
from gupai_env.games import get_game


def won_by_program(tree, seat: int, barred=()) -> float:
    """The most that a seat can be sure of by a plan without some sequences (Koller, Megiddo and von Stengel)."""
    total = int(tree.first[-1])
    owner = np.concatenate([np.arange(2), np.repeat(tree.seats, np.diff(tree.first))])
    mine, theirs = np.flatnonzero(owner == seat), np.flatnonzero(owner != seat)
    row_of, column_of = np.full(total, -1), np.full(total, -1)
    column_of[mine], row_of[theirs] = np.arange(len(mine)), np.arange(len(theirs))
    ends, other = tree.ends, 1 - seat
    won = tree.probability * tree.payoffs[:, seat]
    chips = coo_matrix((won, (row_of[ends[:, other]], column_of[ends[:, seat]])), (len(theirs), len(mine)))
    sets = [np.flatnonzero(tree.seats == player) for player in (seat, other)]
    # What the other seat leaves in its sets: that of each sequence is at most what follows from it.
    set_rows, set_columns, signs = [0], [0], [1.0]  # variable 0 is the value of the game
    for number, index in enumerate(sets[1], 1):
        for sequence in range(tree.first[index], tree.first[index + 1]):
            set_rows.append(row_of[sequence]), set_columns.append(number), signs.append(1.0)
        set_rows.append(row_of[tree.before[index]]), set_columns.append(number), signs.append(-1.0)
    left = coo_matrix((signs, (set_rows, set_columns)), (len(theirs), 1 + len(sets[1])))
    # Plans: the empty sequence has probability 1, and those of a set that of the sequence before it.
    plan_rows, plan_columns, plan_signs = [0], [0], [1.0]
    for number, index in enumerate(sets[0], 1):
        for sequence in range(tree.first[index], tree.first[index + 1]):
            plan_rows.append(number), plan_columns.append(column_of[sequence]), plan_signs.append(1.0)
        plan_rows.append(number), plan_columns.append(column_of[tree.before[index]]), plan_signs.append(-1.0)
    plans = coo_matrix((plan_signs, (plan_rows, plan_columns)), (1 + len(sets[0]), len(mine)))
    nothing = coo_matrix((1 + len(sets[0]), 1 + len(sets[1])))
    target = np.zeros(len(mine) + 1 + len(sets[1]))
    target[len(mine)] = -1
    bounds = [(0, 0) if sequence in barred else (0, None) for sequence in mine.tolist()]
    ones = np.zeros(1 + len(sets[0]))
    ones[0] = 1
    result = linprog(
        target,
        A_ub=hstack([-chips, left]),
        b_ub=np.zeros(len(theirs)),
        A_eq=vstack([hstack([plans, nothing])]),
        b_eq=ones,
        bounds=bounds + [(None, None)] * (1 + len(sets[1])),
    )
    assert result.status == 0
    return -float(result.fun)


@pytest.fixture(scope="module")
def ding_niu():
    return build_tree("ding-niu", **{**get_game("ding-niu").variant.tiny_options(), "leader": 0})


def test_costs_of_not_mixing_are_those_of_linear_programs(ding_niu):
    tree, result = ding_niu, mixing(ding_niu)
    assert result.mixed and result.tried == 12
    values = [won_by_program(tree, seat) for seat in (0, 1)]
    assert result.values == pytest.approx(values, abs=2e-4)
    for position in result.mixed[:2]:
        here = range(tree.first[position.number], tree.first[position.number + 1])
        seat = int(tree.seats[position.number])
        for sequence, cost in zip(here, position.costs, strict=True):
            true = values[seat] - won_by_program(tree, seat, {*here} - {sequence})
            assert CLEAR < cost <= true + 1e-6 and cost == pytest.approx(true, abs=2e-3)
        assert sum(position.probabilities) == pytest.approx(1) and max(position.probabilities) < 1


def test_policies_that_never_mix_win_less_where_mixing_matters(ding_niu):
    result = mixing(ding_niu)
    for seat, (value, pure) in enumerate(zip(result.values, result.pure, strict=True)):
        held = [position for position in result.mixed if ding_niu.seats[position.number] == seat]
        assert value - pure > max((min(position.costs) for position in held), default=-1e-9) - 1e-6


def test_a_policy_that_never_mixes_is_improved(ding_niu, monkeypatch):
    policy = solve(ding_niu, 200)
    weights = reach_of(ding_niu, policy)
    better = never_mixing(ding_niu, policy, 1, weights)
    monkeypatch.setattr(module, "FLIPPED", 0)
    assert never_mixing(ding_niu, policy, 1, weights) < better < sure_of(ding_niu, policy)[1]


def test_sets_come_up_as_often_as_they_are_played(ding_niu):
    policy = ding_niu.uniform()
    reach = reach_of(ding_niu, policy)
    first = ding_niu.before < 2  # nobody of the seat has decided before: the leader's come up once in each deal
    assert reach[first & (ding_niu.seats == 0)].sum() == pytest.approx(1) and (reach > 0).all() and reach.max() <= 1


def test_solving_keeps_to_allowed_sequences(ding_niu):
    allowed = np.ones(ding_niu.first[-1], bool)
    number = int(np.argmax((np.diff(ding_niu.first) > 1) & (ding_niu.before == 0)))
    allowed[ding_niu.first[number]] = False
    policy = solve(ding_niu, 50, allowed=allowed)
    assert policy[ding_niu.first[number]] == 0
    assert policy[ding_niu.first[number] : ding_niu.first[number + 1]].sum() == pytest.approx(1)
    assert sure_of(ding_niu, policy)[0] <= won_by_program(ding_niu, 0, {int(ding_niu.first[number])}) + 1e-9
    free = solve(ding_niu, 200, allowed=np.ones(len(policy), bool))
    assert sure_of(ding_niu, free) == pytest.approx(sure_of(ding_niu, solve(ding_niu, 200)), abs=1e-3)


def test_mixing_of_teams_is_refused():
    tree = build_tree("deer-hunt", **get_game("deer-hunt").variant.tiny_options())
    with pytest.raises(ValueError, match="mixing is known of two seats, not of 4"):
        mixing(tree)
