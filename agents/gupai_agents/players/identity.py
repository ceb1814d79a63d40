"""Who an agent is: what it was made from, the digest of every file of it, and what it answers to fixed questions.

The manifest of a tournament holds this of its players, so that it can be repeated, and so that another player under
the same name is noticed.
"""

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import Field

from gupai_agents.agent import Agent, DecisionBatch, ask, concatenated, first_memory, name_of, origin_of
from gupai_agents.failure import near
from gupai_agents.play.decisions import decisions, new_lanes
from gupai_agents.players.search import SearchAgent
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.storage.models import ADVICE, Stored, Text, checked

Digest = Annotated[
    str,
    Field(pattern="^[0-9a-f]{64}$", description="SHA-256", json_schema_extra={ADVICE: "write 64 hexadecimal digits"}),
]
QUESTIONS = 64  # decisions in which an agent is asked
DEALS, MOVES = 16, 200  # deals out of which these are, and most moves of each
SPREAD = 7919  # a prime, by which the moves of these deals go through the legal actions


class Player(Stored):
    """Who an agent is.

    name: what it calls itself. spec: the text that makes it, None for an object of a program. files: SHA-256 by path of
    those it was made from. moves: SHA-256 of its answers to decisions that are the same for all agents of a variant;
    None where its answers are not reproducible, as of a search with a limit in seconds.
    """

    name: Text
    spec: Text | None
    files: dict[Text, Digest]
    moves: Digest | None


def digest_of(path: str | Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def identity_of(agent: Agent, game: Game, variant: Variant) -> Player:
    """Return who an agent is; raises ValueError as `ask`, and for a name that no file may hold.

    Args:
        agent: Any agent.
        game, variant: What it plays; the questions are decisions of this variant.
    """
    origin = origin_of(agent)
    content = {
        "name": name_of(agent),
        "spec": origin.spec if origin else None,
        "files": {near(path): digest_of(path) for path in (origin.files if origin else ())},
        "moves": moves_of(agent, game, variant),
    }
    return checked(Player, content)


def moves_of(agent: Agent, game: Game, variant: Variant) -> str | None:
    """Return the SHA-256 of an agent's answers to fixed questions, None if they are not certain.

    Args:
        agent: Any agent; it is asked twice.
        game, variant: What it plays.
    """
    if isinstance(agent, SearchAgent) and agent.plan.seconds is not None:
        return None
    batch = questions(game, variant)
    first, second = (
        ask(agent, game, variant, batch, memory=first_memory(agent, len(batch.rng_keys))).astype("<i2").tobytes()
        for _ in range(2)
    )
    return hashlib.sha256(first).hexdigest() if first == second else None


def require_steady(agent: Agent, game: Game, variant: Variant) -> None:
    """Raise ValueError, in one line, for an agent of a program that answers the same decisions differently.

    Args:
        agent: Any agent; those of this package are not asked.
        game, variant: What it plays.
    """
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


def require_same(labels: Sequence[str], before: Sequence[Player], wanted: Sequence[Player]) -> None:
    """Raise ValueError, naming the first difference, unless the players are the same as before.

    Args:
        labels: Their labels.
        before: Who they were then.
        wanted: Who they are now.
    """
    for label, was, now in zip(labels, before, wanted, strict=True):
        for same, problem in (
            (was.name == now.name, f"called itself {was.name}, not {now.name}"),
            (was.spec == now.spec, f"was made from {was.spec}, not from {now.spec}"),
            (was.files == now.files, f"was made from other files ({', '.join({**was.files, **now.files})})"),
            (was.moves == now.moves, "played other moves; what makes it has changed"),
        ):
            if not same:
                raise ValueError(f"{label} {problem}")
