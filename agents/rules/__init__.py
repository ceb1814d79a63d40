"""Rule-based players: `policy(view, mask, key) -> action`, each a `@rule` compiled once and mapped over batches."""

import functools
from collections.abc import Callable

import numpy as np

from agents.agent import Turns
from agents.rules import connecting, da_ling, ding_niu, small_mahjong, tiu_u
from gupai_env.core.game import Game
from gupai_env.core.lanes import compiled, random_action, sources_digest
from gupai_env.core.rows import borrow_row
from gupai_env.core.rule import rule


@rule
def random(view, mask, key):
    """Any legal action, all alike."""
    return random_action(mask, key, 0)


# By game id; every game has `random` besides.
POLICIES: dict[str, dict[str, Callable]] = {
    "jie-long": {"greedy": connecting.greedy, "variety": connecting.variety},
    "ce-deng": {"greedy": connecting.greedy, "variety": connecting.variety},
    "ding-niu": {"greedy": ding_niu.greedy, "blocker": ding_niu.blocker},
    "da-ling": {"greedy": da_ling.greedy, "colour": da_ling.colour},
    "tiu-u": {"greedy": tiu_u.greedy, "careful": tiu_u.careful},
    "small-mahjong": {"greedy": small_mahjong.greedy, "counting": small_mahjong.counting},
}


def policies_of(game: Game) -> tuple[Callable, ...]:
    """Return the policies of all named players of a game, in the order of `agent_names`."""
    return (random, *POLICIES[game.id].values())


def policies_digest(*functions: Callable) -> int:
    """Return a number that changes with any edit of the engine, of `agents.rules` or of the functions' modules."""
    named = [policy for policies in POLICIES.values() for policy in policies.values()]
    return sources_digest(random, *named, *functions)


@functools.cache
def mapped(policy: Callable) -> Callable:
    """Return the compiled loop that asks `policy` for an action in every row of a batch."""
    digest = policies_digest(policy)

    def choose(views, masks, keys, actions):
        _ = digest
        for row in range(len(views)):
            actions[row] = policy(views[row], borrow_row(masks, row, masks.shape[1]), keys[row])

    return compiled(choose)


class RuleAgent:
    """A compiled policy as an `Agent`."""

    def __init__(self, name: str, policy: Callable) -> None:
        self.name, self.policy = name, policy

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        actions = np.empty(len(turns.keys), np.int16)
        mapped(self.policy)(turns.views, turns.masks, turns.keys, actions)
        return actions


class RandomAgent(RuleAgent):
    """Plays any legal action, all alike."""

    def __init__(self) -> None:
        super().__init__("random", random)

    def probabilities(self, turns: Turns) -> np.ndarray:
        """Return the probability of every action, float64 [N, num_actions]."""
        return turns.masks / turns.masks.sum(1, keepdims=True)
