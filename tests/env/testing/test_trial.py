"""A check at work: where its findings are, what it copies and plays to the end, and how it keeps to its time."""

import re
from dataclasses import replace

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete

from broken_envs import DEFECTS
from gupai_env.testing import CHECKS, ConformanceError, check_env
from gupai_env.testing.trial import Stopwatch
from little_dragon import BARE, HOOKS, SEATS, LittleDragon, clone, hooks_for

GAMES = 2
WIDE = 4000  # actions


def test_finding_names_check_seed_move_seat_and_difference():
    leaky = next(defect for defect in DEFECTS if defect.make.__name__ == "LeakedInTable")
    report = check_env(leaky.make, leaky.hooks, seed=40, games=2, checks=["information-set"])
    error = report["information-set"].error
    assert (error.check, error.seed) == ("information-set", 40)
    assert 0 < error.move < 9
    assert error.seat in LittleDragon().possible_agents
    assert error.what == "what else is shown to it changes when what it cannot know is dealt again"
    assert str(error) == f"information-set: seed 40, move {error.move}, {error.seat}: {error.what}"
    with pytest.raises(ConformanceError, match="information-set: seed 40"):
        report.raise_for_failures()


def test_game_passes_with_a_clone_hook_in_place_of_replays():
    report = check_env(LittleDragon, replace(HOOKS, clone=clone), games=1)
    assert set(report.passed) == set(CHECKS), str(report)


class SeatsLeaveEarly(LittleDragon):
    """A seat is out, and leaves the table, as soon as its hand is empty; nobody is paid."""

    def finish(self):
        self.terminations = dict.fromkeys(self.agents, True)

    def step(self, action):
        was_out = bool(self.agents) and self.terminations[self.agent_selection]
        super().step(action)
        if not was_out:
            for agent in self.agents:
                self.terminations[agent] = not self.hands[self.possible_agents.index(agent)]
            self._deads_step_first()


def test_seats_may_leave_before_the_game_is_over():
    report = check_env(SeatsLeaveEarly, BARE, games=2)
    assert not report.failed, str(report)
    env = SeatsLeaveEarly()
    env.reset(seed=0)
    seats = set()
    while env.agents:
        seats.add(len(env.agents))
        env.step(None if env.terminations[env.agent_selection] else np.flatnonzero(env.last()[0]["action_mask"])[0])
    assert seats == set(range(1, SEATS + 1))


class WideDragon(LittleDragon):
    """Little Dragon with thousands of actions that are never legal; `steps` counts what was tried in all."""

    steps = 0

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.action_spaces = dict.fromkeys(self.possible_agents, Discrete(WIDE))
        for agent in self.possible_agents:
            spaces = self.observation_spaces[agent].spaces
            self.observation_spaces[agent] = Dict({**spaces, "action_mask": Box(0, 1, (WIDE,), np.int8)})

    def mask(self, seat):
        mask = super().mask(seat)
        return np.concatenate([mask, np.zeros(WIDE - len(mask), mask.dtype)])

    def step(self, action):
        WideDragon.steps += 1
        super().step(action)


def test_budget_bounds_the_checks_and_the_report_names_the_rest():
    checks = ["illegal-actions", "mask-completeness", "refusal-purity"]
    before = WideDragon.steps
    report = check_env(WideDragon, hooks_for(WideDragon), games=1, checks=checks, budget=0.5)
    assert not report.failed, str(report)
    assert WideDragon.steps - before < 20 * WIDE  # a game has 15 positions, and each check tries all
    tried = re.search(r"in its time: (?:(\d+) of (\d+) positions, )?(\d+) of (\d+) actions", str(report))
    assert int(tried[3]) < int(tried[4])
    assert str(report["illegal-actions"]).count("in its time") == 1


def test_ample_time_leaves_nothing_out():
    report = check_env(LittleDragon, HOOKS, games=GAMES, budget=600)
    assert set(report.passed) == set(CHECKS)
    assert report.left_out == ""
    assert "in its time" not in str(report)


def test_zero_time_still_lets_every_check_see_a_position():
    report = check_env(LittleDragon, HOOKS, games=5, budget=1e-6)
    assert set(report.passed) == set(CHECKS), str(report)
    assert report.left_out == "1 of 5 games"
    assert "(within the budget: 1 of 5 games)" in str(report)
    assert "in its time: 1 of " in str(report["observation-form"])


@pytest.mark.parametrize("defect", ["LeakedHand", "MaskTooWide", "OffTurnMask", "NegativeWraps"])
def test_defect_that_shows_everywhere_is_found_quickly(defect):
    found = next(each for each in DEFECTS if each.make.__name__ == defect)
    report = check_env(found.make, found.hooks, games=GAMES, budget=2)
    assert set(report.failed) == set(found.checks), str(report)


def test_positions_are_skipped_evenly():
    stopwatch = Stopwatch(seconds=10.0)
    looked = []
    for at in range(100):
        if stopwatch.looks(at / 100, first=at == 0):
            looked.append(at)
            stopwatch.spent += 1.0
    assert looked == [0, *range(10, 100, 10)]
    assert (stopwatch.looked, stopwatch.passed_over) == (10, 90)


@pytest.mark.parametrize("budget", [0, -1, float("inf"), float("nan")])
def test_budget_is_a_number_of_seconds(budget):
    with pytest.raises(ValueError, match="budget is a number of seconds above 0"):
        check_env(LittleDragon, HOOKS, budget=budget)
