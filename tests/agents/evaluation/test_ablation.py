"""Features left out in turn: what matters is found, what does not is not, whoever shares the work."""

import json

import numpy as np
import pytest

from commands import gupai
from gupai_agents.evaluation import Budget, discover
from gupai_agents.evaluation import ablation as module
from gupai_agents.evaluation.ablation import planned_deals, problem_of, search_seed
from gupai_env import get_game

SMALL = Budget(seeds=4, generations=2, again=1, population=4, deals=20, fresh=50)
JIE_LONG = get_game("jie-long")
NAMES = [feature.name for feature in JIE_LONG.features]


def judged_by(contributions, noise=0.05):
    """What lets heuristics play: each wins what `contributions` of its weights says, and a little chance that all meet
    alike.
    """

    def play(heuristics, deals, key):
        luck = np.random.default_rng(key % (1 << 32)).normal(0, noise, (1, deals))
        return contributions(heuristics)[:, None] + luck

    return play


def test_ablation_finds_features_that_win_and_no_redundant_ones():
    """Chips peak where pips and twice the fit together weigh 1, and where `double` weighs 2; nothing else matters."""
    pips, fit, double = (NAMES.index(name) for name in ("pips", "own_fit", "double"))

    def contributions(heuristics):
        return -((heuristics[:, pips] + 2 * heuristics[:, fit] - 1) ** 2) - (heuristics[:, double] - 2) ** 2

    problem = problem_of(JIE_LONG, JIE_LONG.variant(), "greedy", judged_by(contributions))
    base, units = np.zeros_like(problem.base), np.ones_like(problem.units)
    problem = problem._replace(
        base=base, units=units, chosen=[pips, fit, double], groups=[(pips,), (fit,), (double,), (pips, fit)]
    )
    budget = Budget(seeds=2, generations=80, again=60, population=12, deals=4, fresh=4)
    found = search_seed(problem, budget, 1, 0)
    assert found.chips == pytest.approx(0, abs=0.2)
    lost = dict(zip(("pips", "fit", "double", "both"), found.lost, strict=True))
    assert lost["pips"] == pytest.approx(0, abs=0.1)
    assert lost["fit"] == pytest.approx(0, abs=0.1)
    assert lost["double"] == pytest.approx(4, abs=0.2)
    assert lost["both"] == pytest.approx(1, abs=0.1)
    assert found.dropped[0] + found.dropped[1] > 0.1  # merely set to zero both are missed
    assert found.weights[double] > 0


def test_ablation_states_in_one_half_and_tests_in_the_other():
    """A real loss, none, one that is only in the first half, and one that turns around."""
    noise = np.resize([0.1, -0.1, 0.05, -0.05], 12)
    first = np.arange(12) < 6
    columns = [1 + noise, noise, np.where(first, 1, 0) + noise, np.where(first, 1, -1) + noise]
    found = module.replicated(np.stack(columns, 1))
    assert set(found) == {0, 2, 3}
    assert found[0] < 0.01 and found[2] > 0.05 and found[3] > 0.9


def test_features_that_lose_nothing_are_seldom_found():
    generator = np.random.default_rng(3)
    false = sum(
        p < module.LEVEL for _ in range(200) for p in module.replicated(generator.normal(0, 1, (12, 30))).values()
    )
    assert false <= 20  # of 200 rankings of 30 features each: 5% of rankings may have one


def test_search_depends_on_its_seed_alone_and_plays_the_planned_deals():
    one = discover("jie-long", budget=SMALL, seed=3, threads=1).as_numbers()
    kept = {}
    two = discover("jie-long", budget=SMALL, seed=3, threads=2, keep=lambda each: kept.update({each.seed: each}))
    assert two.as_numbers() == one
    del kept[0]
    assert discover("jie-long", budget=SMALL, seed=3, kept=kept).as_numbers() == one
    counts = []
    found = discover("jie-long", budget=SMALL, seed=4, progress=counts.append)
    assert found.as_numbers() != one
    assert sum(counts) == planned_deals("jie-long", SMALL)
    singles = [contribution.features[0] for contribution in found.contributions if len(contribution.features) == 1]
    assert sorted([*singles, *found.idle]) == sorted(NAMES)
    assert all(each.holds <= each.stated for each in found.contributions)
    assert tuple(f"leave_{n}" for n in range(1, 7)) in [contribution.features for contribution in found.contributions]


def test_command_keeps_every_seed_and_takes_existing_ones(tmp_path, monkeypatch):
    words = ["discover", "jie-long", "--seeds", "4", "--generations", "1", "--again", "1", "--candidate-deals", "20"]
    words += ["--deals", "50", "--seed", "5", "--json"]
    whole = json.loads(gupai(*words).stdout)
    searched, once = module.search_seed, []

    def stopping(problem, budget, seed, number):
        if number:
            raise KeyboardInterrupt
        once.append(number)
        return searched(problem, budget, seed, number)

    kept = [*words, "--out", str(tmp_path), "--threads", "1"]
    with monkeypatch.context() as patch:
        patch.setattr(module, "search_seed", stopping)
        gupai(*kept)
    assert (tmp_path / "jie-long.part").exists()
    assert json.loads(gupai(*kept).stdout) == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jie-long.json", "lock"]
    again = gupai(*kept)
    assert json.loads(again.stdout) == whole
    assert again.stderr.endswith("jie-long.json: exists already and is kept\n")
    other = gupai(*kept, "--seed", "6")
    assert other.exit_code == 2
    assert "by another command" in other.output
    (tmp_path / "jie-long.json").write_text("{}")
    damaged = gupai(*kept)
    assert (damaged.exit_code, damaged.stdout) == (2, "")
    assert damaged.stderr == f"gupai: {tmp_path / 'jie-long.json'} is damaged; remove it\n"
