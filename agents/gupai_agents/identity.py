"""Who an agent is: what it was made from, the digest of every file of it, and what it answers to fixed questions.

The manifest of a tournament holds this of its players, so that it can be repeated, and so that another player under
the same name is noticed.
"""

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, ask, concatenated, first_memory, name_of, origin_of
from gupai_agents.decisions import decisions, new_lanes
from gupai_agents.failure import near
from gupai_agents.search import SearchAgent
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant

QUESTIONS = 64  # decisions in which an agent is asked
DEALS, MOVES = 16, 200  # deals out of which these are, and most moves of each
SPREAD = 7919  # a prime, by which the moves of these deals go through the legal actions


def digest_of(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def identity_of(agent: Agent, game: Game, variant: Variant) -> dict[str, Any]:
    """Return who an agent is, as plain data.

    Returns:
        name: what it calls itself. spec: the text that makes it, None for an object of a program. files: SHA-256 by
        path of those it was made from. moves: SHA-256 of its answers to decisions that are the same for all agents of a
        variant; None where its answers are not reproducible, as of a search with a limit in seconds.

    Raises:
        ValueError: As `ask`.
    """
    origin = origin_of(agent)
    files = origin.files if origin else ()
    return {
        "name": name_of(agent),
        "spec": origin.spec if origin else None,
        "files": {near(path): digest_of(path) for path in files},
        "moves": moves_of(agent, game, variant),
    }


def moves_of(agent: Agent, game: Game, variant: Variant) -> str | None:
    """Return the SHA-256 of an agent's answers to fixed questions, None if they are not certain."""
    if isinstance(agent, SearchAgent) and agent.plan.seconds is not None:
        return None
    batch = questions(game, variant)
    first, second = (
        ask(agent, game, variant, batch, memory=first_memory(agent, len(batch.rng_keys))).astype("<i2").tobytes()
        for _ in range(2)
    )
    return hashlib.sha256(first).hexdigest() if first == second else None


def require_steady(agent: Agent, game: Game, variant: Variant) -> None:
    """Raise ValueError, in one line, for an agent of a program that answers the same decisions differently."""
    if not type(agent).__module__.startswith("gupai_agents.") and moves_of(agent, game, variant) is None:
        raise ValueError(
            f"{name_of(agent)} answers equal decisions differently: draw from their RNG keys, or give the agent a "
            "memory (docs/writing-an-agent.md)"
        )


@functools.lru_cache(maxsize=32)  # asked of every agent; `ask` hands out copies
def questions(game: Game, variant: Variant) -> DecisionBatch:
    """Return fixed decisions in which there is a choice, out of all moments of a few deals."""
    envs = new_lanes(game, variant, DEALS)
    envs.reset(seeds=np.arange(DEALS))
    batches: list[DecisionBatch] = []
    for move, (rows, batch, actions) in zip(range(1, MOVES + 1), decisions(envs, []), strict=False):
        batches.append(batch.at(batch.masks.sum(1) > 1))
        for index, (row, mask) in enumerate(zip(rows, batch.masks, strict=True)):
            legal = np.flatnonzero(mask)
            actions[index] = legal[move * SPREAD * (row + 1) % len(legal)]
    together = concatenated(batches)
    count = len(together.rng_keys)
    return together.at(np.unique(np.linspace(0, count - 1, min(QUESTIONS, count)).astype(int)))


def require_same(labels: Sequence[str], before: Sequence[dict[str, Any]], wanted: Sequence[dict[str, Any]]) -> None:
    """Raise ValueError, naming the first difference, unless the players are the same as before, by `identity_of`.

    Args:
        labels: Their labels.
        before: Their identities then.
        wanted: Their identities now.
    """
    for label, was, now in zip(labels, before, wanted, strict=True):
        for key in now:
            if was.get(key) != now[key]:
                message = {
                    "name": f"called itself {was.get('name')}, not {now['name']}",
                    "spec": f"was made from {was.get('spec')}, not from {now['spec']}",
                    "files": f"was made from other files ({', '.join({**was.get('files', {}), **now['files']})})",
                    "moves": "played other moves; what makes it has changed",
                }[key]
                raise ValueError(f"{label} {message}")
