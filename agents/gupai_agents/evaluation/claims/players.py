"""The players of a claim: those of the command line without factories, which run code, and a few that are changed."""

from typing import Any

import numpy as np

from gupai_agents.agent import Agent, DecisionBatch, check_agent
from gupai_agents.evaluation.claims.schema import Changed, Player
from gupai_agents.registry import KINDS, agent_of_data
from gupai_agents.shipped import BEST
from gupai_env.core.claims import PlayerChange, vocabulary_of
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.streams import DISCARD_STREAM
from gupai_env.core.variant import Variant

SAME = "same"
UNSKILLED = "random"  # shown, but never counted
STRONG = (BEST, "search:playouts=20")  # opponents that take long: no doses are played against them


class ChangedAgent:
    """An agent with a change that its game offers."""

    def __init__(self, agent: Agent, change: PlayerChange, value: Any) -> None:
        self.agent, self.change, self.value = agent, change, value
        self.name = f"{agent.name}, {change.label(value)}"

    def act(self, turns: DecisionBatch) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        if self.change.shown:
            views = turns.views.copy()
            self.change.shown(views, self.value)
            turns = turns._replace(views=views)
        actions = np.array(self.agent.act(turns), np.int16)
        if self.change.drawn is not None:
            for row in np.flatnonzero(self.change.drawn[actions]).tolist():
                legal = np.flatnonzero(turns.masks[row] & self.change.drawn)
                actions[row] = legal[derive(int(turns.rng_keys[row]), DISCARD_STREAM) % len(legal)]
        return actions


def player(spec: Player, game: Game, variant: Variant, same: str = "", baseline: str = "") -> Agent:
    """Return a player; "same" is the opponent `same`, and "+feature=weight" adds to the `baseline`.

    Raises: ValueError in one line for a player that there is not, or made for another variant.
    """
    if isinstance(spec, Changed):
        agent = player(spec.agent, game, variant, same, baseline)
        known = vocabulary_of(game).changes
        for key, value in spec.model_dump(exclude_none=True, exclude={"agent"}).items():
            if key not in known:
                raise ValueError(f"{key}: players of {game.id} cannot be changed like this")
            agent = ChangedAgent(agent, known[key], value)
        return agent
    return _made(named(spec, same, baseline), game, variant)


def named(spec: str, same: str, baseline: str = "") -> str:
    """Return a player's name with "same" and a leading "+" filled in."""
    if spec.startswith("+"):
        base = named(baseline, same)
        return f"{base},{spec[1:]}" if "+" in base or base.startswith("heuristic:") else base + spec
    return spec.replace(SAME, same, 1) if spec == SAME or spec.startswith(f"{SAME}+") else spec


def _made(spec: str, game: Game, variant: Variant) -> Agent:
    kind, colon, _ = spec.partition(":")
    if colon and kind not in KINDS:
        raise ValueError(f"{spec!r} runs code of a package, which a claim may not; give the player by name")
    agent = agent_of_data(spec, game, variant)
    check_agent(agent, game, variant)
    return agent
