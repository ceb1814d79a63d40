"""Every agent against every other, on the same deals."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gupai_agents.agent import Agent, check_agent
from gupai_agents.evaluation.match import MOST_FIGURES, Progress, duel
from gupai_agents.evaluation.stats import Estimate, estimate
from gupai_env.core.game import Game
from gupai_env.core.numbers import whole_number
from gupai_env.games import get_game


@dataclass(frozen=True)
class Standings:
    """What each agent won as one hero against equal villains in all other seats.

    chips: float64 [agents, agents, deals, seats], where chips[h, v, d, s] is won in deal d by agent h at
        seat s from agents v; the diagonal is zero.
    """

    players: tuple[str, ...]
    chips: np.ndarray
    seed: int

    def against(self, hero: int, villain: int) -> Estimate:
        """Return a hero's chips a deal against one kind of villain, over all seats; raises ValueError."""
        hero, villain = self._agent("hero", hero), self._agent("villain", villain)
        return estimate(self.chips[hero, villain].mean(1))

    def total(self, hero: int) -> Estimate:
        """Return a hero's chips a deal, averaged over all villains and seats."""
        return estimate(self._others(hero).mean((0, 2)))

    def at_seat(self, hero: int, seat: int) -> Estimate:
        """Return a hero's chips a deal at one seat, averaged over all villains."""
        seat = whole_number("seat", seat, 0, self.chips.shape[3] - 1)
        return estimate(self._others(hero)[:, :, seat].mean(0))

    def _others(self, hero: int) -> np.ndarray:
        hero = self._agent("hero", hero)
        return np.delete(self.chips[hero], hero, axis=0)

    def _agent(self, what: str, number: int) -> int:
        return whole_number(what, number, 0, len(self.players) - 1)


def round_robin(
    game: str | Game,
    agents: Sequence[Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **variant: object,
) -> Standings:
    """Play a `duel` of `deals` deals for every ordered pair of agents; all duels meet the same deals.

    Raises: ValueError for fewer than two agents, before any deal for one that cannot play here, or as `duel` does.
    """
    if len(agents) < 2:
        raise ValueError(f"a tournament needs at least two agents, not {len(agents)}")
    game = get_game(game)
    made = game.variant.make(**variant)
    for agent in agents:
        check_agent(agent, game, made)
    seats = made.players
    deals = whole_number("deals", deals, 1, MOST_FIGURES // (len(agents) ** 2 * seats))
    chips = np.zeros((len(agents), len(agents), deals, seats))
    for h, hero in enumerate(agents):
        for v, villain in enumerate(agents):
            if h != v:
                result = duel(game, hero, villain, deals, seed=seed, progress=progress, **variant)
                chips[h, v] = result.chips[:, :, 0]  # rotation r puts player 0 at seat r
    return Standings(tuple(agent.name for agent in agents), chips, seed)
