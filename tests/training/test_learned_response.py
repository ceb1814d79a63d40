"""A network learns most of what can be won from a frozen agent, and is kept as a player."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks.learned_response import exact_gain, gain_of
from commands import gupai
from gupai_agents import DecisionBatch, make_agent
from gupai_agents.evaluation import Effort, find_best_response
from gupai_agents.networks.checkpoint import read_header
from gupai_agents.play.decisions import decisions
from gupai_env.vector import VectorEnv
from gupai_training import best_response as module
from gupai_training.best_response import learn_response, start_for
from trees import tiny_tree

TINY = {"deck": "tiny", "players": 2}


def test_network_finds_most_of_the_exact_gain():
    agent = make_agent("greedy", "ding-niu", **TINY)
    learned = learn_response("ding-niu", agent, minutes=60, most_targets=15_000, seed=1, **TINY)
    tree = tiny_tree("ding-niu")
    exact, found = exact_gain(tree, agent), gain_of(tree, learned.player, agent)
    assert 0.8 * exact < found <= exact + 1e-9
    effort = Effort("network", deals=1000)
    measured = find_best_response("ding-niu", agent, effort=effort, learned=learned.player, **TINY)
    assert measured.gain.mean == pytest.approx(found, abs=2 * measured.gain.half_width)


def test_same_seed_learns_the_same_and_another_one_other_weights():
    agent = make_agent("greedy", "pai-gow", **TINY)
    one, again, other = (
        learn_response("pai-gow", agent, minutes=60, most_targets=1, seed=seed, **TINY).player for seed in (1, 1, 2)
    )
    assert all((one.tensors[name] == again.tensors[name]).all() for name in one.tensors)
    assert any((one.tensors[name] != other.tensors[name]).any() for name in one.tensors)


def test_learning_and_measuring_use_different_deals(monkeypatch):
    met: list[set] = []
    reset = VectorEnv.reset

    def noting(envs, seed=None, *, seeds=None):
        reset(envs, seed, seeds=seeds)
        if seed or seeds is not None:  # lanes that are filled by hand afterwards have neither
            met.append(set(envs.seeds.tolist()))

    monkeypatch.setattr(VectorEnv, "reset", noting)
    agent = make_agent("greedy", "pai-gow", **TINY)
    learned = learn_response("pai-gow", agent, minutes=60, most_targets=600, seed=3, **TINY)
    learning = set.union(*met)
    met.clear()
    find_best_response("pai-gow", agent, effort=Effort("network", deals=500), learned=learned.player, seed=3, **TINY)
    measuring = set.union(*met)
    assert len(learning) >= 2 * module.TABLES and len(measuring) >= 500
    assert not learning & measuring


@pytest.mark.parametrize("begins_with", ["itself", "best", "nothing"])
def test_response_begins_with_the_network_of_the_agent_or_of_best(begins_with, tmp_path):
    best = make_agent("best", "jie-long")
    agent = {"itself": best, "best": make_agent("greedy", "jie-long"), "nothing": make_agent("greedy", "jie-long")}
    options = {"players": 4} if begins_with != "nothing" else TINY
    variant = best.game.variant.make(**options)
    found = start_for(best.game, variant, agent[begins_with])
    if begins_with == "nothing":
        assert found is None
        return
    np.testing.assert_array_equal(found.tensors["policy.weight"], best.tensors["policy.weight"])
    learner = module.ResponseLearner(best.game, variant, agent[begins_with], 0)
    np.testing.assert_array_equal(learner.player().tensors["policy.weight"], best.tensors["policy.weight"])


class Asked:
    """Plays the first legal action, and notes for whom it was asked."""

    name = "asked"

    def __init__(self) -> None:
        self.seats: set = set()

    def act(self, batch: DecisionBatch) -> np.ndarray:
        self.seats |= set(batch.views.seat.tolist())
        return batch.masks.argmax(1)


def test_learning_rate_falls_to_zero_with_progress():
    learner = module.ResponseLearner(make_agent("greedy", "pai-gow").game, _variant("pai-gow", TINY), Asked(), 0)
    for done in (0.0, 0.75, 1.0):
        learner.step(done)
        assert learner.optimizer.param_groups[0]["lr"] == pytest.approx(module.NEW_RATE * (1 - done))


def test_scoring_network_keeps_the_unit_of_its_scores():
    best = make_agent("best", "jie-long")
    learner = module.ResponseLearner(best.game, best.game.variant(), best, 0)
    scores = np.array([[1.0, 2.0, 6.0], [0.0, 4.0, 9.0]])
    values = 2.5 * np.array([[-2.0, -1.0, 3.0], [-2.0, 2.0, np.nan]])  # chips above the mean of legal actions
    assert learner.chips_per_unit(scores, values) == pytest.approx(2.5)


@pytest.mark.parametrize("sample", [False, True])
def test_frozen_network_plays_the_same_in_torch(sample):
    agent = make_agent("best", "tiu-u").drawing()  # a copy
    agent.sample, agent.ahead = sample, SimpleNamespace(corrected=lambda scores, batch: -scores)
    before = agent.score
    learner = module.ResponseLearner(agent.game, agent.game.variant(), agent, 0)
    assert learner.agent.score != before == agent.score
    envs = VectorEnv("tiu-u", 50, seed=4, renew=False, skip_forced=True)
    asked = alike = 0
    for _, batch, actions in decisions(envs, [learner.agent], np.zeros((50, 4), int)):
        asked += len(actions)
        alike += (actions == agent.act(batch)).sum()
    assert asked > 250 and alike > 0.99 * asked  # sums are added up in another order


def test_missing_gpu_is_refused():
    with pytest.raises(ValueError, match=r"device=cuda:99: torch finds .* here; choose"):
        learn_response("pai-gow", make_agent("greedy", "pai-gow"), minutes=0, device="cuda:99")


def test_partners_respond_together():
    agent = Asked()
    options = {"deck": "tiny", "players": 4}
    learner = module.ResponseLearner(make_agent("greedy", "deer-hunt").game, _variant("deer-hunt", options), agent, 0)
    learner.rng = SimpleNamespace(integers=lambda low, high, size: np.zeros(size, int))  # always for the first side
    learner.positions(learner.player(), module.Scorer(learner.player(), learner.device, module.torch.float32))
    sides = learner.game.sides(4)
    assert agent.seats == set(np.flatnonzero(sides != sides[0]).tolist())


def test_command_keeps_a_checkpoint_that_plays(tmp_path):
    file = tmp_path / "response.safetensors"
    words = ["best-response", "pai-gow", "greedy", "--method", "network", "--minutes", "0", "--deals", "50"]
    words += ["-o", "deck=tiny", "-o", "players=2"]
    printed = json.loads(gupai(*words, "--out", file, "--json").output)
    assert printed["best_response"] == f"checkpoint:{file}" and printed["method"] == "network"
    assert printed["targets"] > 0 and printed["minutes"] > 0 and printed["note"] == "it began as a new network"
    assert {"targets", "seed"} <= read_header(file).keys() and "minutes" not in read_header(file)
    kept = make_agent(f"checkpoint:{file}", "pai-gow", **TINY)
    again = find_best_response(
        "pai-gow", make_agent("greedy", "pai-gow", **TINY), effort=Effort("network", deals=50), learned=kept, **TINY
    )
    assert again.gain.mean == printed["gain"]["mean"]
    for wrong in ([*words[:4], "network", "--out", str(file)], [*words[:3], "--out", str(tmp_path / "other")]):
        assert gupai(*wrong).exit_code == 2
    with pytest.raises(ValueError, match="network alone needs it"):
        find_best_response("pai-gow", make_agent("greedy", "pai-gow"), effort=Effort("network"))


def _variant(game: str, options: dict):
    return make_agent("greedy", game).game.variant.make(**options)
