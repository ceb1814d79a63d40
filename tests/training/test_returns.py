"""Advantages link a seat's decision to the same seat's next one, and payoffs reach who is paid."""

import itertools

import numpy as np
import pytest
import torch

from gupai_env.core.episode import NOBODY
from gupai_training.returns import advantages_by_seat


def advantages(seats, values, payoffs, terminated, gamma=1.0, lam=0.95):
    given = (seats, np.int8), (values, np.float32), (payoffs, np.float32), (terminated, np.bool_)
    rollout = [torch.as_tensor(np.asarray(array, dtype)) for array, dtype in given]
    return [tensor.numpy() for tensor in advantages_by_seat(*rollout, gamma, lam)]


def reference(seats, values, payoffs, terminated, gamma, lam):
    """The definition, one lane and seat at a time: a list of decisions, each with reward and successor."""
    steps, envs = seats.shape
    out, weights = np.zeros(seats.shape), np.zeros(seats.shape)
    for lane in range(envs):
        for seat in range(payoffs.shape[2]):
            decisions = [t for t in range(steps) if seats[t, lane] == seat]
            following = {}
            for here, there in itertools.zip_longest(decisions, decisions[1:]):
                end = next((t for t in range(here, steps) if terminated[t, lane]), None)
                if end is not None and (there is None or end < there):
                    following[here] = (sum(payoffs[t, lane, seat] for t in range(here, end + 1)), None)
                elif there is not None:
                    following[here] = (sum(payoffs[t, lane, seat] for t in range(here, there)), there)
            for here in reversed(decisions):
                if here not in following:
                    continue  # the rollout ended first: weight 0, no advantage
                reward, there = following[here]
                after = 0.0 if there is None else values[there, lane]
                rest = 0.0 if there is None else out[there, lane]
                out[here, lane] = reward + gamma * after - values[here, lane] + gamma * lam * rest
                weights[here, lane] = 1
    return out, weights


def test_two_seats_equal_hand_calculation():
    # Seats 0, 1, 0, 1 decide; then the deal pays +3 and -3.
    out, weights = advantages(
        seats=[[0], [1], [0], [1]],
        values=[[1.0], [-1.0], [2.0], [-2.0]],
        payoffs=[[[0, 0]], [[0, 0]], [[0, 0]], [[3, -3]]],
        terminated=[[False], [False], [False], [True]],
        lam=0.5,
    )
    # last of seat 0: 3 - 2 = 1; first: 2 - 1 + 0.5 * 1 = 1.5. Seat 1: -3 + 2 = -1; -2 + 1 + 0.5 * -1 = -1.5
    assert out[:, 0].tolist() == [1.5, -1.5, 1.0, -1.0]
    assert weights.all()


def test_payoff_reaches_seats_without_the_last_move():
    out, _ = advantages([[0], [1]], [[0.0], [0.0]], [[[0, 0]], [[-5, 5]]], [[False], [True]])
    assert out[:, 0].tolist() == [-5, 5]


def test_next_movers_value_is_never_the_successor():
    seats, terminated = [[0], [1], [0]], [[False], [False], [True]]
    payoffs = np.zeros((3, 1, 2))
    quiet, _ = advantages(seats, [[0.0], [0.0], [0.0]], payoffs, terminated)
    loud, _ = advantages(seats, [[0.0], [1e6], [0.0]], payoffs, terminated)
    assert quiet[[0, 2]].tolist() == loud[[0, 2]].tolist()


def test_last_decision_without_successor_only_lends_its_value():
    out, weights = advantages([[0], [1], [0]], [[1.0], [2.0], [4.0]], np.zeros((3, 1, 2)), [[False]] * 3)
    assert weights[:, 0].tolist() == [1, 0, 0]
    assert out[0, 0] == 3.0  # 4 - 1


def test_match_chips_belong_to_the_decision_before_them():
    payoffs = [[[4, -4]], [[0, 0]], [[1, -1]]]
    out, _ = advantages([[0], [1], [0]], np.zeros((3, 1)), payoffs, [[False], [False], [True]], lam=0.0)
    assert out[:, 0].tolist() == [4, -1, 1]


@pytest.mark.parametrize(("gamma", "lam"), [(1.0, 0.95), (0.9, 0.5), (1.0, 0.0), (1.0, 1.0)])
def test_loop_equals_a_slow_reference(gamma, lam):
    rng = np.random.default_rng(7)
    for _ in range(20):
        steps, envs, players = rng.integers(1, 40), rng.integers(1, 5), rng.integers(2, 5)
        seats = rng.integers(-1, players, (steps, envs)).astype(np.int8)
        values = rng.normal(size=(steps, envs)).astype(np.float32)
        terminated = rng.random((steps, envs)) < 0.15
        payoffs = rng.normal(size=(steps, envs, players)).astype(np.float32)
        payoffs *= (terminated | (rng.random((steps, envs)) < 0.1))[:, :, None]
        found = advantages(seats, values, payoffs, terminated, gamma, lam)
        wanted = reference(seats, values, payoffs, terminated, gamma, lam)
        assert not found[1][seats == NOBODY].any()
        np.testing.assert_allclose(found[0], wanted[0], atol=1e-4)
        np.testing.assert_array_equal(found[1], wanted[1])
