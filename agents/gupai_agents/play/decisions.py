"""The loop of all play by agents: the agent to act in each lane is asked, then all lanes are stepped.

`decisions` is that loop, one step at a time; `play_out` runs it to the end, with rule-based agents in compiled code.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, Memories
from gupai_agents.play.playouts import ASKED, finish, numbered
from gupai_env.core.episode import NOBODY
from gupai_env.core.game import Game
from gupai_env.core.kernels import WAIT
from gupai_env.core.variant import Variant
from gupai_env.vector import VectorEnv

After = Callable[[np.ndarray], None]  # called with the actions just played, int64 [B], WAIT where there was none


class Answers(NamedTuple):
    """The decisions of one step.

    rows: int [N], the lanes in which the game continues. batch: the decisions there. actions: int64 [N], the answers.
    """

    rows: np.ndarray
    batch: DecisionBatch
    actions: np.ndarray


def decisions(
    envs: VectorEnv,
    agents: Sequence[Agent],
    seating: np.ndarray | int = 0,
    after: After | None = None,
    *,
    quick: bool = False,
) -> Iterator[Answers]:
    """Yield the decisions of lanes that deal once (`renew=False`), step by step, until all are over.

    Each step is yielded before it is played: the caller may still change its actions. In lanes that skip forced
    decisions no agent is asked for the forced ones that are left.

    Args:
        envs: The deals, in any state.
        agents: The players.
        seating: Which of them sits where, int [B, seats] or one number for all; for any other number no agent is asked,
            and the caller sets the action.
        after: Called after every step.
        quick: Let rule-based agents play inside a compiled loop; only the steps of the others are yielded.

    Raises:
        ValueError: As `ask`.
    """
    if not isinstance(seating, np.ndarray):
        seating = np.full((envs.num_envs, envs.variant.players), seating)
    numbers, heuristics = numbered(envs.game, agents)
    memories = Memories(envs.num_envs, envs.variant.players)
    line_ups = numbers[seating] if quick and (numbers < ASKED).any() else None
    while True:
        if line_ups is not None:
            finish(envs, heuristics, line_ups)
        rows = np.flatnonzero(~envs.terminated)
        if not len(rows):
            return
        now = _answers(envs, agents, rows, seating[rows, envs.seats[rows]], memories)
        yield now
        actions = np.full(envs.num_envs, WAIT, np.int64)
        actions[rows] = now.actions
        envs.step(actions)
        if after is not None:
            after(actions)


def play_out(
    envs: VectorEnv, agents: Sequence[Agent], seating: np.ndarray | int = 0, after: After | None = None
) -> None:
    """Play every lane to its end; see `decisions`. With `after` all agents are asked; what is played is the same.

    Args:
        envs: Lanes that deal once.
        agents: Those that play.
        seating: Who sits where, numbers of agents [B, players]; or one agent for all seats.
        after: Called after every step, with the actions just played, int64 [B], WAIT where there was none.
    """
    for _ in decisions(envs, agents, seating, after, quick=after is None):
        pass


def chips_won(envs: VectorEnv) -> np.ndarray:
    """Return what every seat has won in the deals of its lane so far, chips per deal, float64 [B, seats]."""
    totals = envs.states.total[:, : envs.variant.players].astype(np.float64)
    return totals / envs.variant.deals


def answers(envs: VectorEnv, agents: Sequence[Agent], mover: np.ndarray, memories: Memories) -> np.ndarray:
    """Return one action per lane, int16 [B]; mover, int [B], says which agent is to act there, or NOBODY to wait.

    Args:
        memories: What the agents remember in these lanes, the same at every step.

    Raises:
        ValueError: As `ask`.
    """
    actions, rows = np.full(envs.num_envs, WAIT, np.int16), np.flatnonzero(mover != NOBODY)
    actions[rows] = _answers(envs, agents, rows, mover[rows], memories).actions
    return actions


def _answers(
    envs: VectorEnv, agents: Sequence[Agent], rows: np.ndarray, who: np.ndarray, memories: Memories
) -> Answers:
    """Ask the agents `who`, int [N], at the seats to act in some lanes, int [N]."""
    views, rng_keys = envs.views(rows)
    batch = DecisionBatch(views, envs.masks[rows], rng_keys)
    actions = batch.masks.argmax(1)
    if envs.skip_forced:
        who = np.where(batch.masks.sum(1) > 1, who, NOBODY)
    for number, agent in enumerate(agents):
        if len(mine := np.flatnonzero(who == number)):
            some, lanes = batch.at(mine), rows[mine]
            actions[mine] = memories.ask(number, agent, envs.game, envs.variant, some, envs.states, lanes)
    return Answers(rows, batch, actions)


def new_lanes(game: Game, variant: Variant, number: int) -> VectorEnv:
    """Return lanes that deal once and observe nothing.

    Args:
        game, variant: What is played.
        number: How many lanes, B.
    """
    return VectorEnv(game, number, observe=False, renew=False, **variant.changed())


def resume_lanes(game: Game, variant: Variant, states: np.ndarray) -> VectorEnv:
    """Return such lanes with deals under way in the given states.

    Args:
        game, variant: What is played.
        states: The deals, a record array [B] of full states; they are copied.
    """
    envs = new_lanes(game, variant, len(states))
    envs.states[:] = states
    envs.refresh()
    return envs
