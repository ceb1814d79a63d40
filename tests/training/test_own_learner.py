"""A learner in a file of its own is registered, configured, trained and resumed as PPO is."""

import numpy as np
import pytest
import torch

from gupai_agents import make_agent
from gupai_agents.networks.checkpoint import AGENT_FILE, read_checkpoint, read_header, write_checkpoint
from gupai_training import config, load_run, train
from gupai_training.config import CONFIG_FILE, RESUME_FILE, parse, register_learner, saved_config
from gupai_training.learner import SelfPlay
from gupai_training.run import Run
from gupai_training.stage import Stage

TINY = {"deck": "tiny", "players": 2}
SMALL = {
    "game": "jie-long",
    "variant": TINY,
    "decisions": 32 * 8 * 6,
    "threads": 1,
    "device": "cpu",
    "network": {"hidden": [16]},
    "ppo": {"envs": 32, "steps": 8, "batch_size": 64},
    "evaluation": {"every": 3, "deals": 2, "final_deals": 2, "baselines": ["random"]},
}


@pytest.fixture
def example(monkeypatch):
    """The file of the example, which registers its learner where it is imported first."""
    from examples import magnetic_ppo

    monkeypatch.setitem(config.LEARNERS, "magnetic-ppo", magnetic_ppo.MagneticPPO)
    return magnetic_ppo


def magnetic(**settings):
    return parse({**SMALL, "learner": "magnetic-ppo", "learner_settings": settings}, "test")


def test_registered_learner_resumes_exactly_and_its_player_draws(example, tmp_path):
    whole = Run.begin(magnetic(), tmp_path)
    assert isinstance(whole.learner, example.MagneticPPO) and whole.learn()
    asked = iter([False, False, True])
    stopped = Run.begin(magnetic(), tmp_path)
    assert not stopped.learn(stop=lambda: next(asked))
    again = Run(saved_config(stopped.folder), stopped.folder)
    assert again.learn(go_on=True)
    assert (again.folder / AGENT_FILE).read_bytes() == (whole.folder / AGENT_FILE).read_bytes()
    assert read_header(again.agent_file)["mixes"] and load_run(again.folder).player.sample
    assert load_run(again.folder).finished


def test_magnet_draws_the_policy_to_the_average(example, tmp_path):
    learner = Run.begin(magnetic(magnet=2.0, magnet_end=1.0), tmp_path).learner
    batch = {"observations": torch.zeros(1, learner.env.envs.layout.size, dtype=torch.int8)}
    batch["masks"] = torch.zeros(1, learner.env.envs.game.num_actions, dtype=torch.bool)
    batch["masks"][0, :2] = True
    with torch.no_grad():
        learner.average.policy.bias[:2] = torch.tensor([1.0, 0.0]).log_softmax(0)
        learner.average.policy.weight[:] = 0
    policy = torch.tensor([[0.5, 0.5]]).log()
    policy = torch.cat([policy, torch.full((1, batch["masks"].shape[1] - 2), -1e9)], 1)
    magnet = torch.tensor([1.0, 0.0]).log_softmax(0)
    distance = float((0.5 * (policy[0, :2] - magnet)).sum())
    for share, weight in ((0, 2.0), (0.5, 1.5)):
        learner.count = share * learner.goal
        assert float(learner.penalty(batch, policy)) == pytest.approx(weight * distance, rel=1e-5)


def test_magnet_halves_the_exploitability_within_seconds(example, tmp_path):
    run = train(example.settings_of("jie-long", "magnetic-ppo", 1, 65_536), runs=tmp_path)
    drawn = [row["exploitability"]["drawn"] for row in run.evaluations]
    assert drawn[-1] < 0.5 * drawn[0], drawn


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"learner": "magic"}, r"^test: learner='magic' is not known here; there are magnetic-ppo, ppo$"),
        ({"learner_settings": {"magnet": 1}}, r"^test: learner_settings is for other learners than ppo;"),
        ({"learner": "magnetic-ppo", "learner_settings": {"magnet": 0}}, r"^test: learner_settings: magnet=0 is not"),
        ({"learner": "magnetic-ppo", "learner_settings": {"magnt": 1}}, r"^test: learner_settings: magnt is not known"),
    ],
)
def test_learner_that_cannot_be_is_refused_in_one_line(example, settings, problem):
    with pytest.raises(ValueError, match=problem):
        parse({**SMALL, **settings}, "test")


def test_name_of_a_learner_is_taken_once(example):
    register_learner("magnetic-ppo", example.MagneticPPO)
    with pytest.raises(ValueError, match=r"learner 'ppo' is taken by that of gupai_training\.learner; choose"):
        register_learner("ppo", example.MagneticPPO)
    assert config.LEARNERS["ppo"] is SelfPlay


def test_settings_of_other_learners_leave_files_of_ppo_as_they_were(tmp_path):
    run = Run.begin(parse(SMALL, "test"), tmp_path)
    assert not run.learn(stop=lambda: True)
    assert "learner" not in (run.folder / CONFIG_FILE).read_text()
    assert not {"learner", "learner_settings"} & read_header(run.folder / RESUME_FILE)["config"].keys()


class Still(Stage):
    """Learns nothing, in two steps."""

    name, unit = "still", "decisions"

    def __init__(self, config, network):
        super().__init__(config, network, torch.optim.Adam(network.parameters()), goal=2)

    def step(self):
        self.count, self.updates = self.count + 1, self.updates + 1
        return {}


class Noting(Still):
    """Depends on something of its own."""

    name, noted = "noting", 0

    def step(self):
        self.noted += 1
        return super().step()

    def saved(self):
        return {"noted": self.noted}, {"noted": np.full(2, self.noted)}

    def put_back(self, header, tensors):
        ((name, noted),) = tensors.items()
        assert (name, noted.tolist()) == ("noted", [header["noted"]] * 2)
        self.noted = header["noted"]


class Endless(Still):
    """Counts nothing."""

    def step(self):
        return {}


def configured(monkeypatch, learner):
    monkeypatch.setitem(config.LEARNERS, learner.name, learner)
    return parse({**SMALL, "decisions": 2, "learner": learner.name}, "test")


@pytest.fixture
def still(monkeypatch):
    return configured(monkeypatch, Still)


def stopped_and_resumed(settings, folder):
    run = Run.begin(settings, folder)
    asked = iter([False, True])
    assert not run.learn(stop=lambda: next(asked))
    again = Run(settings, run.folder)
    assert again.learn(go_on=True) and (again.learner.count, again.learner.updates) == (2, 2)
    return again


def test_stage_saves_its_own_besides_counts_and_network(monkeypatch, tmp_path):
    assert stopped_and_resumed(configured(monkeypatch, Noting), tmp_path).learner.noted == 2


def test_stage_that_counts_nothing_is_refused(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match=r"^Endless\.step\(\) added nothing to count, so it would never end$"):
        Run.begin(configured(monkeypatch, Endless), tmp_path).learn()


def test_stage_needs_a_step_alone(still, tmp_path):
    again = stopped_and_resumed(still, tmp_path)
    tensors = read_checkpoint(again.agent_file)[1]
    for name, tensor in again.network.tensors().items():
        assert (tensors[name] == tensor).all()
    make_agent(f"checkpoint:{again.folder}", "jie-long", **TINY)


def test_run_of_another_learner_is_not_resumed(still, tmp_path):
    run = Run.begin(still, tmp_path)
    run.learn(stop=lambda: True)
    with pytest.raises(ValueError, match="saved in a stage that is unknown here, 'still'"):
        Run(parse(SMALL, "test"), run.folder).learn(go_on=True)
    header, tensors = read_checkpoint(run.folder / RESUME_FILE)
    header["updates"] = -1
    write_checkpoint(run.folder / RESUME_FILE, header, tensors)
    with pytest.raises(ValueError, match="it does not fit this run"):
        Run(still, run.folder).learn(go_on=True)
