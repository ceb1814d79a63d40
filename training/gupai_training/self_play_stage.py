"""The stage of self-play: its learner, what happens between two updates, and what is saved to resume exactly."""

import json
import math
import time
from collections.abc import Callable

import numpy as np
import torch
from stable_baselines3.common.vec_env import VecEnv

from gupai_agents.networks.checkpoint import part, under
from gupai_agents.networks.network import NetworkAgent
from gupai_agents.registry import agent_of_data
from gupai_env.cuda_vector import plays_on
from gupai_training import resume
from gupai_training.config import SELF_PLAY, Config
from gupai_training.learner import NetworkPolicy, SelfPlayPPO
from gupai_training.network import device_of, precision_on
from gupai_training.opponents import Member, OpponentPool
from gupai_training.resume import counted, measured
from gupai_training.run_folder import RunFolder, Spent, done
from gupai_training.scorer import kernels_can_play, scored_by_torch
from gupai_training.selfplay import SelfPlayVecEnv


def build_learner(config: Config) -> SelfPlayPPO:
    """Return a new learner for a configuration, with a pool of the rule-based players."""
    (game, variant), ppo, chosen = config.played, config.ppo, config.pool
    rng = np.random.default_rng(config.seed)
    sides = game.sides(variant.players)
    pool = OpponentPool(variant.players, rng, chosen.self_share, chosen.size, chosen.rule_share, sides)
    for name in config.rules:
        pool.add(agent_of_data(name, game, variant), born=0, scripted=True)
    options = {"seed": config.seed, "payoff_scale": config.payoff_scale, **variant.changed()}
    return SelfPlayPPO(
        NetworkPolicy,
        lanes_on(device_of(config.device), config.precision, SelfPlayVecEnv(game, ppo.envs, pool, **options)),
        n_steps=ppo.steps,
        batch_size=ppo.batch_size,
        n_epochs=ppo.epochs,
        learning_rate=lambda progress: ppo.learning_rate * progress,
        gamma=ppo.gamma,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip_range,
        ent_coef=ppo.entropy,
        ent_coef_end=ppo.entropy_end,
        vf_coef=ppo.value_coef,
        max_grad_norm=ppo.max_grad_norm,
        target_kl=ppo.target_kl,
        average_rate=ppo.average_rate,
        precision=config.precision,
        policy_kwargs={"net": config.net},
        seed=config.seed,
        device=config.device,
    )


def lanes_on(device: torch.device, precision: str, lanes: SelfPlayVecEnv) -> VecEnv:
    """Return lanes on a GPU where it can play them with all of their opponents, else those of the processor."""
    if not plays_on(str(device)):
        return lanes
    dtype = getattr(torch, precision_on(device, precision))
    if not kernels_can_play(lanes.envs.game, [scored_by_torch(agent, device, dtype) for agent in lanes.pool.agents]):
        return lanes
    from gupai_training.cuda_selfplay import CudaSelfPlay

    return CudaSelfPlay(lanes, device, dtype)


class SelfPlayStage:
    """Runs self-play to its end: snapshots for the pool, evaluations, saves, and the progress of a timed run."""

    run: RunFolder
    learner: SelfPlayPPO
    config: Config

    def __init__(self, run: RunFolder, learner: SelfPlayPPO) -> None:
        self.run, self.learner, self.config = run, learner, run.config
        self.before: float = run.spent.seconds  # of earlier processes
        self.begun: float = time.monotonic()

    @property
    def pool(self) -> OpponentPool:
        """The learner's opponents; only self-play against a pool can be saved."""
        assert isinstance(self.learner.env.pool, OpponentPool)
        return self.learner.env.pool

    @property
    def seconds(self) -> float:
        """Seconds of self-play so far, in this process and before."""
        return self.before + time.monotonic() - self.begun

    def progress(self) -> float:
        """Return how much of the run is done, 0..1, by decisions or by time, whichever is further."""
        return done(self.learner.num_timesteps, self.config.decisions, self.seconds, self.config.max_minutes)

    def learn(self, go_on: bool, stop: Callable[[], bool]) -> bool:
        """Learn to the end of the stage; return whether it was reached.

        Args:
            go_on: Whether to resume from the last `save`.
            stop: Called between two updates.
        """
        learner, config, run = self.learner, self.config, self.run
        learner.set_logger(run.logger)
        learner.average.load_state_dict(learner.network.state_dict())  # restarts from the network as it is now
        learner.env.reset()
        if go_on:
            self.restore()
            run.forget_what_comes_again()
            self.before = run.spent.seconds
        else:
            self.save()  # what is logged from now on can be resumed
        next_snapshot = self._snapshot_due()
        run.reporter.begin("learning", self.progress())
        learner._current_progress_remaining = 1 - self.progress()
        in_time = learner._init_callback(lambda *_: not config.max_minutes or self.seconds < 60 * config.max_minutes)
        stopping = False
        while learner.num_timesteps < config.decisions and not (stopping := stop()):
            if not learner.collect_rollouts(learner.env, in_time, None, learner.n_steps):
                break
            learner._current_progress_remaining = 1 - self.progress()
            learner.train()
            if learner.num_timesteps >= config.decisions:
                break
            run.reporter.moved(self.progress(), learner.num_timesteps, "decisions", self.seconds)
            if config.pool.snapshots and self.progress() >= next_snapshot:
                leaving = self.pool.add(run.current_agent(f"update {learner.updates}"), learner.updates)
                if leaving is not None:
                    learner.env.forget(leaving)
                next_snapshot = self._snapshot_due()
            if learner.updates % config.evaluation.every == 0:
                self._evaluate()
            self._dump()
            if learner.updates % config.save_every == 0:
                self._count_seconds()
                self.save()
        if not stopping:
            self._evaluate()
            self._dump()
        self._count_seconds()
        self.save()
        return not stopping

    def _snapshot_due(self) -> float:
        intervals = self.config.pool.snapshots + 1
        return (math.floor(self.progress() * intervals) + 1) / intervals

    def _count_seconds(self) -> None:
        self.run.spent = self.run.spent._replace(seconds=self.seconds)

    def _evaluate(self) -> None:
        self._count_seconds()
        self.run.report_evaluation()

    def _dump(self) -> None:
        self.run.logger.dump(self.run.spent.targets + self.learner.num_timesteps)

    def save(self) -> None:
        """Write the player and everything that the next update depends on."""
        run, learner, env, pool = self.run, self.learner, self.learner.env, self.pool
        run.save_agent()
        tensors = under("average.", learner.average.tensors()) | under("env.", env.saved())
        tensors["noise"] = learner.noise.get_state().numpy()
        members = []
        for number, member in enumerate(pool.members):
            agent = member.agent
            if isinstance(agent, NetworkAgent):
                tensors |= under(f"member.{number}.", agent.tensors)
            members.append([agent.name, member.born, member.scripted, member.beaten, member.deals])
        header = {
            "members": members,
            "chance": json.dumps(pool.rng.bit_generator.state),
            "decisions": learner.num_timesteps,
            "updates": learner.updates,
            "played": env.decisions,
            "spent": run.spent._asdict(),
            "shares": learner.seconds,
        }
        saved = header, tensors
        resume.save(run.folder, SELF_PLAY, self.config, learner.network, learner.policy.optimizer, saved)

    def restore(self) -> None:
        """Restore a learner just built from the same configuration, and what was spent, to what `save` wrote.

        Raises:
            CheckpointError: If the file is damaged or belongs to another configuration.
        """
        run, learner, env, pool = self.run, self.learner, self.learner.env, self.pool
        optimizer = learner.policy.optimizer
        with resume.restored(run.folder, self.config, learner.network, optimizer) as (header, tensors):
            learner.average.take(part(tensors, "average."))
            learner.noise.set_state(torch.as_tensor(tensors["noise"]))
            pool.members = []
            for number, (name, born, scripted, beaten, deals) in enumerate(header["members"]):
                counted("born", born), counted("deals", deals), measured("beaten", beaten)
                agent = run.player(name) if scripted else run.network_player(name, part(tensors, f"member.{number}."))
                pool.members.append(Member(agent, born, scripted, beaten, deals))
            pool.rng.bit_generator.state = json.loads(header["chance"])
            env.put_back(part(tensors, "env."))
            if learner.seconds.keys() != header["shares"].keys():
                raise ValueError(f"shares are of {', '.join(learner.seconds)}")
            learner.seconds = {name: measured(name, seconds) for name, seconds in header["shares"].items()}
            env.decisions = counted("played", header["played"])
            learner.num_timesteps = counted("decisions", header["decisions"])
            learner.updates = counted("updates", header["updates"])
            spent = Spent(**header["spent"])
            measured("seconds", spent.seconds), measured("seconds", spent.search_seconds)
            counted("targets", spent.targets)
        run.spent = spent
