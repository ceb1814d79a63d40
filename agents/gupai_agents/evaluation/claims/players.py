"""The players of a claim: those of the command line without factories, which run code, and a few that are changed."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, check_agent, labels_of
from gupai_agents.evaluation.claims.schema import Changed, Player
from gupai_agents.players.identity import require_steady
from gupai_agents.registry import agent_of_code, agent_of_data, runs_code
from gupai_agents.shipped import BEST
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.streams import DISCARD_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games.claims import PlayerChange, vocabulary_of

SAME = "same"
UNSKILLED = "random"  # shown, but never counted
STRONG = (BEST, "search:playouts=20")  # opponents that take long: no doses are played against them


class ChangedAgent:
    """An agent with a change that its game offers."""

    agent: Agent
    change: PlayerChange
    value: Any

    def __init__(self, agent: Agent, change: PlayerChange, value: Any) -> None:
        """Hold an agent and what is different about it.

        Args:
            agent: Who is asked.
            change: How its play is changed.
            value: What the change takes, as in the file of a claim.
        """
        self.agent, self.change, self.value = agent, change, value
        self.name: str = f"{agent.name}, {change.label(value)}"
        self.memory: Any = getattr(agent, "memory", None)

    def act(self, batch: DecisionBatch, *memory: np.ndarray) -> Any:
        """Return one legal action a row, int16 [N], and of a stateful agent what it remembers then."""
        if self.change.shown:
            views = batch.views.copy()
            self.change.shown(views, self.value)
            batch = batch._replace(views=views)
        if self.change.barred is not None:
            others = batch.masks & ~self.change.barred
            batch = batch._replace(masks=np.where(others.any(1, keepdims=True), others, batch.masks))
        answer: Any = self.agent.act(batch, *memory)
        actions = np.array(answer[0] if memory else answer, np.int16)
        if self.change.drawn is not None:
            for row in np.flatnonzero(self.change.drawn[actions]).tolist():
                legal = np.flatnonzero(batch.masks[row] & self.change.drawn)
                actions[row] = legal[derive(int(batch.rng_keys[row]), DISCARD_STREAM) % len(legal)]
        return (actions, answer[1]) if memory else actions


def player(
    spec: Player,
    game: Game,
    variant: Variant,
    same: str = "",
    baseline: str = "",
    given: Mapping[str, Agent] = MappingProxyType({}),
) -> Agent:
    """Return a player; "same" is the opponent `same`, and "+feature=weight" adds to the `baseline`.

    Args:
        given: Players that were handed over, by the names by which they are called.

    Raises:
        ValueError: In one line for a player that there is not, or made for another variant.
    """
    if isinstance(spec, Changed):
        agent = player(spec.agent, game, variant, same, baseline, given)
        known = vocabulary_of(game).changes
        for key, value in spec.model_dump(exclude_none=True, exclude={"agent"}).items():
            if key not in known:
                raise ValueError(f"{key}: players of {game.id} cannot be changed like this")
            agent = ChangedAgent(agent, known[key], value)
        return agent
    name = named(spec, same, baseline)
    return given[name] if name in given else _made(name, game, variant)


def labels_in(panel: Sequence[str | Agent]) -> list[str]:
    """Return what the members of a panel are called: their texts, or of agents what tables call them."""
    agents = [player for player in panel if not isinstance(player, str)]
    texts = [player for player in panel if isinstance(player, str)]
    labels = iter(labels_of(agents, texts))
    return [player if isinstance(player, str) else next(labels) for player in panel]


def given_in(panel: Sequence[str | Agent], game: Game, variant: Variant) -> dict[str, Agent]:
    """Return the agents of a panel, and those that its factories and programs make, by what they are called.

    A panel is typed or handed over, and may run code; a file's may not. Raises: ValueError as `make_agent`.

    Args:
        panel: Names of players, and agents.
        game, variant: What they play.
    """
    agents: dict[str, Agent] = {}
    for label, player in zip(labels_in(panel), panel, strict=True):
        if not isinstance(player, str):
            check_agent(player, game, variant)
            agents[label] = player
        elif runs_code(player):
            agents[label] = agent_of_code(player, game, variant)
    for agent in agents.values():
        require_steady(agent, game, variant)
    return agents


def named(spec: str, same: str, baseline: str = "") -> str:
    """Return a player's name with "same" and a leading "+" filled in.

    Args:
        spec: The name, as the file of a claim has it.
        same: What "same" stands for.
        baseline: What a leading "+" is added to.
    """
    if spec.startswith("+"):
        base = named(baseline, same)
        return f"{base},{spec[1:]}" if "+" in base or base.startswith("heuristic:") else base + spec
    return spec.replace(SAME, same, 1) if spec == SAME or spec.startswith(f"{SAME}+") else spec


def _made(spec: str, game: Game, variant: Variant) -> Agent:
    if runs_code(spec):
        raise ValueError(f"{spec!r} runs code, which a claim may not; give the player by name")
    agent = agent_of_data(spec, game, variant)
    check_agent(agent, game, variant)
    return agent
