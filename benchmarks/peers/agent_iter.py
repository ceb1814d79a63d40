"""One PettingZoo game after another through agent_iter: theirs and ours by the same loop."""

from itertools import count
from random import random

from benchmarks.peers.protocol import Play, Watch

COUNTED = "agent_iter, last (observation and action mask) and step of raw_env, without wrappers."


def play_aec(env) -> Play:
    """Return a function that plays one game of an AEC environment whose observation holds the mask."""
    seeds = count()

    def play(watch: Watch | None) -> int:
        env.reset(seed=next(seeds))
        decisions = 0
        rewards: list[float] = []
        for _ in env.agent_iter():
            observation, reward, termination, truncation, _ = env.last()
            if termination or truncation:
                rewards.append(reward)
                env.step(None)
                continue
            if watch:
                watch.turn([observation["observation"].tobytes()])
            legal = observation["action_mask"].nonzero()[0]
            env.step(legal[int(random() * len(legal))])
            decisions += 1
        if watch:
            watch.ended_alone(rewards)
        return decisions

    return play
