"""What questions about a game are asked about: its players, in the deals of a seed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from gupai_agents.agent import Agent, labels_of, name_of
from gupai_agents.evaluation.matches.match import ENVS, MOST_FIGURES, Progress, chunks, duel, key_of, play_duplicates
from gupai_agents.play.decisions import Answers, chips_won, decisions, new_lanes
from gupai_agents.players.heuristics import RandomAgent
from gupai_agents.registry import agents_of
from gupai_env.core.game import Game
from gupai_env.core.rng import as_key
from gupai_env.core.tiles import KINDS
from gupai_env.core.variant import TINY, Variant
from gupai_env.games import get_game, variant_from
from gupai_env.games.claims import counts_of
from gupai_env.messages.checks import as_list, whole_number
from gupai_env.options import Options
from gupai_env.vector import VectorEnv

TURNS = (
    "the seat that leads",
    "the next one",
    "the third",
    "the fourth",
    "the fifth",
    "the sixth",
    "the seventh",
    "the eighth",
)


@dataclass(frozen=True)
class Study:
    """What a question is asked about, and how.

    Attributes:
        agents: Players of the variant, the weakest first; questions are about the last one.
        deals: How many each comparison plays.
        seed: Of the deals.
        progress: Called with the number of deals just played.
    """

    game: Game
    variant: Variant
    agents: Sequence[Agent]
    deals: int
    seed: int
    progress: Progress | None = None

    @property
    def best(self) -> Agent:
        """The player that has all seats, or all except one."""
        return self.agents[-1]

    @property
    def names(self) -> list[str]:
        """What the players are called, each differently."""
        return labels_of(self.agents)

    @property
    def weaker(self) -> Sequence[Agent]:
        """All other players; raises ValueError if there are none."""
        if len(self.agents) < 2:
            raise ValueError(f"{name_of(self.best)} is compared with nobody; name a weaker player before it")
        return self.agents[:-1]

    @property
    def skilled(self) -> Sequence[Agent]:
        """The players that do not play at random, or the last one alone."""
        return [agent for agent in self.agents if not isinstance(agent, RandomAgent)] or self.agents[-1:]

    @property
    def rival(self) -> Agent:
        """Who is compared with the last player: the weakest one that does not play at random, if there is any."""
        return [*self.skilled[:-1], *self.agents][0]

    @property
    def tiny_options(self) -> dict[str, Any]:
        """The options of the tiny deck, with those of the variant that it allows."""
        limits = self.variant.LIMITS[TINY]
        allowed = {name: value for name, value in self.variant.changed().items() if value in limits.get(name, (value,))}
        return {**self.game.variant.tiny_options(), **allowed, "deck": TINY}

    def lanes(self) -> Iterator[tuple[slice, VectorEnv]]:
        """Yield lanes in which the deals of the seed are dealt, and which of all deals they are."""
        for first, some in chunks(self.deals, ENVS):
            envs = new_lanes(self.game, self.variant, some)
            envs.reset(seeds=[key_of(self.seed, deal) for deal in range(first, first + some)])
            yield slice(first, first + some), envs
            if self.progress:
                self.progress(some)

    def duel(self, weaker: Agent) -> np.ndarray:
        """Return what the best player wins among equal weaker ones, float64 [deals, rotations]."""
        how: dict[str, Any] = {"seed": self.seed, "progress": self.progress, **self.variant.changed()}
        return duel(self.game, self.best, weaker, self.deals, **how).chips[:, :, 0]

    def among_best(self, other: Agent) -> list[np.ndarray]:
        """Return what another player wins among the best, and what they win by their turn after it, each [deals]."""
        line_up = [other, *[self.best] * (self.variant.players - 1)]
        how: dict[str, Any] = {"seed": self.seed, "progress": self.progress, **self.variant.changed()}
        return [*play_duplicates(self.game, line_up, self.deals, **how).chips.mean(1).T]


def study_of(
    game: str | Game,
    players: Sequence[str | Agent],
    deals: int,
    /,
    *,
    seed: int = 0,
    progress: Progress | None = None,
    **variant: Unpack[Options],
) -> Study:
    """Return what questions about a variant are answered by.

    Args:
        game: Its id, or the game itself.
        players: The weakest first; questions are about the last one.
        deals: How many each comparison plays.
        seed: Of the deals.
        progress: Called with the number of deals just played.

    Raises:
        ValueError: For a match of several deals, no player, an agent of another game, and too few or too many deals.
    """
    game, players = get_game(game), as_list("players", players, "agents")
    made = variant_from(game, variant, study_of)
    if made.deals > 1:
        raise ValueError(f"deals={made.deals} is not allowed; facts are those of one deal, take deals=1")
    deals = whole_number("deals", deals, 2, MOST_FIGURES // made.players**2)
    return Study(game, made, agents_of(game, made, players), deals, as_key(seed), progress)


def dealt_by_turn(
    envs: VectorEnv, agents: Sequence[Agent], note: Callable[[Answers], None] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Play deals that have just begun; return what each seat wins and holds, in order of turn.

    Args:
        envs: The deals.
        agents: The first of them plays.
        note: Called with every step before it is played.

    Returns:
        Chips, float64 [N, players], and the copies of each kind in the hands as dealt, int64 [N, players, KINDS].
    """
    turns = turns_of(envs.variant, envs.states)
    hands = counts_of(np.take_along_axis(envs.states.hands, turns, 1).reshape(-1)).reshape(*turns.shape, KINDS)
    for now in decisions(envs, agents, quick=note is None):
        if note:
            note(now)
    return np.take_along_axis(chips_won(envs), turns, 1), hands


def turns_of(variant: Variant, states: np.recarray) -> np.ndarray:
    """Return the seats of some deals in order of turn, from the leader on, int64 [N, players]."""
    turns = states.leader[:, None] + states.direction[:, None].astype(np.int64) * np.arange(variant.players)
    return turns % variant.players
