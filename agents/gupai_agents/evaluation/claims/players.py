"""The players of a claim: those of the command line without factories, which run code, and a few that are changed."""

import numpy as np

from gupai_agents.agent import Agent, Turns, check_agent
from gupai_agents.evaluation.claims.schema import Changed, Player
from gupai_agents.registry import KINDS, agent_of_data
from gupai_agents.shipped import BEST
from gupai_env.core.game import Game
from gupai_env.core.rng import derive
from gupai_env.core.streams import DISCARD_STREAM
from gupai_env.core.variant import Variant
from gupai_env.games.connecting.rules import DISCARD

SAME = "same"
UNSKILLED = "random"  # shown, but never counted
STRONG = (BEST, "search:playouts=20")  # opponents that take long: no doses are played against them


class RandomDiscards:
    """A player of a connecting game that, where another would discard, draws which tile."""

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, f"{agent.name}, discards drawn"

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        actions = np.array(self.agent.act(turns), np.int16)
        for row in np.flatnonzero((actions >= DISCARD) & (actions < DISCARD + 21)).tolist():
            legal = np.flatnonzero(turns.masks[row, DISCARD : DISCARD + 21])
            actions[row] = DISCARD + legal[derive(int(turns.keys[row]), DISCARD_STREAM) % len(legal)]
        return actions


class OtherStakes:
    """A player of Da Ling that takes other stakes for those of the table."""

    def __init__(self, agent: Agent, stakes: list[float]) -> None:
        self.agent, self.stakes = agent, stakes
        self.name = f"{agent.name}, as if stakes were {'/'.join(f'{stake:g}' for stake in stakes)}"

    def act(self, turns: Turns) -> np.ndarray:
        """Return one legal action a row, int16 [N]."""
        views = turns.views.copy()
        views.stakes[:] = self.stakes
        return self.agent.act(turns._replace(views=views))


def player(spec: Player, game: Game, variant: Variant, same: str = "", baseline: str = "") -> Agent:
    """Return a player; "same" is the opponent `same`, and "+feature=weight" adds to the `baseline`.

    Raises: ValueError in one line for a player that there is not, or made for another variant.
    """
    if isinstance(spec, Changed):
        agent = player(spec.agent, game, variant, same, baseline)
        if spec.discards:
            if game.id not in ("jie-long", "ce-deng", "ding-niu"):
                raise ValueError(f"discards: nothing is discarded face down in {game.id}")
            agent = RandomDiscards(agent)
        if spec.stakes:
            if game.id != "da-ling":
                raise ValueError(f"stakes: there are none in {game.id}")
            agent = OtherStakes(agent, spec.stakes)
        return agent
    return _made(named(spec, same, baseline), game, variant)


def named(spec: str, same: str, baseline: str = "") -> str:
    """Return a player's name with "same" and a leading "+" filled in."""
    if spec.startswith("+"):
        base = named(baseline, same)
        return f"{base},{spec[1:]}" if "+" in base or base.startswith("style:") else base + spec
    return spec.replace(SAME, same, 1) if spec == SAME or spec.startswith(f"{SAME}+") else spec


def _made(spec: str, game: Game, variant: Variant) -> Agent:
    kind, colon, _ = spec.partition(":")
    if colon and kind not in KINDS:
        raise ValueError(f"{spec!r} runs code of a package, which a claim may not; give the player by name")
    agent = agent_of_data(spec, game, variant)
    check_agent(agent, game, variant)
    return agent
