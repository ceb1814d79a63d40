"""The conformance kit: it passes a correct game, names each planted defect, and skips nothing in silence."""

import importlib
import inspect
import re
import warnings
from collections import Counter
from dataclasses import replace
from functools import partial

import numpy as np
import pettingzoo
import pytest
from gymnasium.spaces import Box
from pettingzoo import AECEnv
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils import wrappers

from broken_envs import DEFECTS, IllegalTaken, MaskTooWide, SeedHashed
from checkout import ROOT
from gupai_env.testing import CHECKS, ConformanceError, Hooks, check_env
from little_dragon import BARE, HOOKS, TILES, LittleDragon, clone, hooks_for, legal_actions, tiles

GAMES = 2
PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")

# The eight that reliability asks for above all: PettingZoo's kit lets each of them pass.
PASSED_BY_PETTINGZOO = {
    "LeakedHand", "MaskTooWide", "MaskTooNarrow", "OffTurnMask", "SameDealEveryGame", "NotZeroSum",
    "WinnerSwapped", "RenderChangesState",
}  # fmt: skip


def pettingzoo_passes(make_env) -> bool:
    """PettingZoo's verdict, with the action spaces seeded so that it is the same every time."""
    env = make_env()
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(number)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of every Dict observation
        try:
            api_test(env)
            seed_test(make_env)
        except Exception:
            return False
    return True


def test_correct_game_passes_every_check():
    report = check_env(LittleDragon, HOOKS, games=GAMES)
    assert report.passed == [result.check for result in report.results], str(report)
    assert set(report.passed) == set(CHECKS)
    report.raise_for_failures()


def test_pettingzoo_passes_the_correct_game_too():
    assert pettingzoo_passes(LittleDragon)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.make.__name__)
def test_planted_defect_fails_its_own_checks_and_no_others(defect):
    games = GAMES if "lanes-equal-single" in defect.checks else 1  # one lane is never out of step with others
    slow = {"no-crash", "second-process"} - {*defect.checks}  # they take half a second
    report = check_env(defect.make, defect.hooks, games=games, checks=[each for each in CHECKS if each not in slow])
    assert set(report.failed) == set(defect.checks), str(report)


@pytest.mark.parametrize(
    "defect",
    [defect for defect in DEFECTS if defect.pettingzoo_passes is not None],
    ids=lambda defect: defect.make.__name__,
)
def test_pettingzoo_reports_the_defect_as_listed(defect):
    assert pettingzoo_passes(defect.make) == defect.pettingzoo_passes


def test_checks_are_each_proven_on_a_defect():
    proven = {name for defect in DEFECTS for name in defect.checks}
    assert proven == set(CHECKS)
    passed_by_pettingzoo = {defect.make.__name__ for defect in DEFECTS if defect.pettingzoo_passes}
    assert passed_by_pettingzoo >= PASSED_BY_PETTINGZOO


def test_report_of_several_failures_names_them_all():
    report = check_env(IllegalTaken, BARE, checks=["illegal-actions", "mask-completeness", "zero-sum"])
    # Without the rules nobody can say which of the two is wrong, the mask or step.
    assert report.failed == ["mask-completeness", "illegal-actions"]
    assert str(report).startswith("Conformance of little_dragon_v0: 1 passed, 2 failed, 0 not run\nfailed")
    with pytest.raises(ConformanceError, match=r"mask-completeness.*also failed: illegal-actions"):
        report.raise_for_failures()


def test_missing_hook_is_reported_and_named():
    report = check_env(LittleDragon, BARE, games=1)
    assert report.not_run == {
        "plain-rules": "missing hook: rules",
        "information-set": "missing hook: redeal",
        "hidden-tiles-move": "missing hook: redeal, hidden",
        "sampled-actions": "missing hook: sample",
        "public-differences": "missing hook: public",
        "seat-rotation": "missing hook: rotate",
        "tile-conservation": "missing hook: tiles, deck",
        "payoff-recomputed": "missing hook: score",
        "lanes-equal-single": "missing hook: lane_games",
    }
    assert not report.failed
    assert report["mask-soundness"].notes == ("judged by step alone, missing hook: legal_actions or rules_accept",)
    assert report["reward-delivery"].notes == ("rewards against last() only, missing hook: payoffs",)
    for check in report.not_run:
        assert f"not run  {check}" in str(report)


def test_hook_that_redeals_nothing_proves_nothing():
    hooks = replace(HOOKS, redeal=lambda env, agent, rng: clone(env))
    report = check_env(LittleDragon, hooks, games=1, checks=["information-set"])
    assert "proves nothing" in report["information-set"].error.what


def test_deterministic_redeal_is_found_without_another_hook():
    hooks = replace(BARE, redeal=lambda env, agent, rng: env.redealt(agent, np.random.default_rng(1)))
    report = check_env(LittleDragon, hooks, games=1, checks=["information-set"])
    assert "hook redeal ignores its random numbers" in report["information-set"].error.what


def test_hook_that_raises_is_a_finding_with_its_cause():
    def lose_count(env):
        raise RuntimeError("lost count")

    report = check_env(LittleDragon, replace(HOOKS, tiles=lose_count), checks=["tile-conservation"])
    assert report["tile-conservation"].error.what == "the environment or a hook raised RuntimeError: lost count"
    assert isinstance(report["tile-conservation"].error.__cause__, RuntimeError)


def test_mask_rules_for_single_actions_find_a_wide_mask():
    hooks = replace(BARE, rules_accept=lambda env, action: action in set(legal_actions(env)))
    masks = ["mask-soundness", "mask-completeness"]
    assert check_env(LittleDragon, hooks, checks=masks).passed == masks
    assert check_env(MaskTooWide, hooks, checks=masks).failed == ["mask-soundness"]


class MaskInInfo(LittleDragon):
    """The observation is a plain vector; the mask is in the info alone, and in bool."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self.observation_spaces = {
            agent: Box(0, 31, self.observation_spaces[agent]["observation"].shape, np.int8)
            for agent in self.possible_agents
        }

    def mask(self, seat):
        return super().mask(seat).astype(bool)

    def observe(self, agent):
        return self.view(self.possible_agents.index(agent))


def test_mask_may_be_in_the_info():
    report = check_env(MaskInInfo, hooks_for(MaskInInfo), games=1)
    assert set(report.passed) == set(CHECKS), str(report)


class NoMask(LittleDragon):
    """No mask anywhere: every action is offered."""

    def info(self, seat):
        return {}

    def observe(self, agent):
        return {"observation": super().observe(agent)["observation"]}


def test_environment_without_masks_has_no_mask_to_check():
    report = check_env(NoMask, BARE, games=1)
    why = "there is no action_mask in the observation or in the info"
    masks = {"mask-form", "non-empty-mask", "off-turn-masks", "mask-soundness", "mask-completeness"}
    assert {name for name, reason in report.not_run.items() if reason == why} == masks


def wrapped_dragon(render_mode=None) -> AECEnv:
    """Little Dragon in the usual stack of wrappers, where an illegal action ends the game."""
    env = wrappers.TerminateIllegalWrapper(LittleDragon(render_mode), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def test_refusals_are_counted_explicitly():
    refusals = ["illegal-actions", "malformed-actions", "refusal-purity"]
    both = check_env(wrapped_dragon, Hooks(max_moves=9), games=1, checks=refusals)
    assert both.passed == refusals, str(both)
    assert both["illegal-actions"].notes == ("seen: end",)
    raising = check_env(wrapped_dragon, BARE, games=1, checks=refusals)
    # The wrapper looks up mask[False], an empty array, which is false to numpy before 2.2 and an error since.
    ended = ["malformed-actions"] if np.lib.NumpyVersion(np.__version__) < "2.2.0" else []
    assert raising.failed == ["illegal-actions", *ended]
    assert raising["illegal-actions"].error.what.endswith("is illegal, but step takes it")
    silent = check_env(LittleDragon, Hooks(max_moves=9, illegal=()), games=1, checks=[*refusals, "mask-completeness"])
    assert set(silent.not_run) == {*refusals, "mask-completeness"}


class Overflowing(LittleDragon):
    """Numbers that are too large for numpy are refused by numpy, as where gymnasium is older than 1.4."""

    def step(self, action):
        if action is not None:
            np.int64(action)
        super().step(action)


def test_number_too_large_for_numpy_may_be_refused_by_it():
    with pytest.raises(OverflowError):
        Overflowing().step(1 << 63)
    checks = ["malformed-actions"]
    assert check_env(Overflowing, Hooks(max_moves=9), games=1, checks=checks).passed == checks


def test_second_process_is_needed_to_see_a_hash():
    assert check_env(SeedHashed, BARE, games=1, checks=["second-process"]).failed == ["second-process"]
    hidden = check_env(lambda: SeedHashed(), BARE, games=1, checks=["second-process"])
    assert "make it an importable function" in hidden.not_run["second-process"]


@pytest.mark.parametrize("name", ["classic/tictactoe-v3", "classic/connect_four-v3"])
def test_pettingzoo_games_pass_without_a_hook(name):
    """All is well but for copies: EzPickle keeps the arguments of an environment and forgets the game."""
    pytest.importorskip("pettingzoo", "1.27", reason="older ones have no registry")
    report = check_env(partial(pettingzoo.make, "aec", name), Hooks(max_moves=50, chance=False), games=2)
    assert report.failed == ["deepcopy-round-trip", "pickle-round-trip"], str(report)
    assert {"mask-soundness", "mask-completeness", "render-purity", "second-process"} <= set(report.passed)


def test_conservation_names_the_tiles():
    lost = next(defect for defect in DEFECTS if defect.make.__name__ == "TileLost")
    env = lost.make()
    env.reset(seed=0)
    missing = list((Counter(TILES) - Counter(tiles(env))).elements())
    report = check_env(lost.make, lost.hooks, checks=["tile-conservation"])
    assert report["tile-conservation"].error.what == f"missing {missing}, too many []"


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: check_env(LittleDragon, checks=["mask"]), "no check is called mask; there are "),
        (lambda: check_env(LittleDragon, games=0), "games is a whole number from 1, not 0"),
        (lambda: check_env(object), "make_env makes a object, not a pettingzoo AECEnv"),
        (lambda: Hooks(illegal="raise"), "illegal is a tuple of"),
        (lambda: Hooks(illegal=("shrug",)), "illegal is a tuple of"),
        (lambda: Hooks(max_moves=0), "max_moves is a whole number from 1, not 0"),
    ],
)
def test_wrong_call_is_reported(call, text):
    with pytest.raises(ValueError, match=text):
        call()


def test_documented_example_runs_and_catches_a_leak(tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "high_tile.py").write_text(blocks[0])
    (tmp_path / "test_high_tile.py").write_text(blocks[1])
    monkeypatch.syspath_prepend(tmp_path)
    example = importlib.import_module("test_high_tile")
    example.test_high_tile()
    printed = capsys.readouterr().out.splitlines()
    shown = re.search(r"```text\n(Conformance.*?)\.\.\.", PAGE, re.DOTALL)[1].splitlines()
    assert printed[: len(shown)] == shown

    def observe_all(env, agent):
        return {"observation": np.array([*env.hands, -1], np.int8), "action_mask": honest(env, agent)["action_mask"]}

    honest = example.HighTile.observe
    monkeypatch.setattr(example.HighTile, "observe", observe_all)
    with pytest.raises(ConformanceError, match="information-set: seed 0, move 0, player_0: its observation"):
        example.test_high_tile()


def test_documentation_lists_every_check_hook_and_defect():
    assert f"[{len(DEFECTS)} copies" in PAGE
    assert f"they pass {sum(d.pettingzoo_passes is True for d in DEFECTS)}." in PAGE
    for defect in DEFECTS:
        said = " ".join(defect.make.__doc__.split())[:-1]
        fails = ", ".join(f"`{name}`" for name in defect.checks)
        assert f"| `{defect.make.__name__}` | {said} | {fails} |" in PAGE
    for name in [*CHECKS, *inspect.signature(Hooks).parameters]:
        assert f"| `{name}`" in PAGE or f"| `{name}(" in PAGE, name


# What it found in other libraries' games


class TellsTheMover(LittleDragon):
    """As Leduc and Texas hold'em do: every seat is shown the mask of the seat to act."""

    def observe(self, agent):
        seen = super().observe(agent)
        if self.agents:
            seen["action_mask"] = super().observe(self.agent_selection)["action_mask"]
        return seen


def test_defect_of_leduc_and_texas_holdem_is_found():
    report = check_env(TellsTheMover, HOOKS, games=1)
    assert "off-turn-masks" in report.failed
    assert "its mask allows actions while" in str(report["off-turn-masks"])
    assert "information-set" in report.failed  # the mask tells of the mover's hand


@pytest.mark.parametrize("name", ["leduc_holdem_v4", "texas_holdem_v4"])
def test_leduc_and_texas_holdem_pass(name):
    pytest.importorskip("rlcard")
    pytest.importorskip("pettingzoo", "1.27", reason="older ones have no registry")
    make = partial(pettingzoo.make, "aec", f"classic/{name.replace('_v', '-v')}")
    report = check_env(make, games=2)
    assert set(report.failed) == {"off-turn-masks", "deepcopy-round-trip", "pickle-round-trip"}
