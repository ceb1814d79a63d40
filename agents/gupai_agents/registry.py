"""`make_agent`: a player from one line of text."""

import difflib
from typing import Any

from gupai_agents.agent import Agent
from gupai_agents.rules import RandomAgent, RuleAgent, names_of
from gupai_env.core.game import Game
from gupai_env.core.numbers import told
from gupai_env.games import GAMES, get_game


def agent_names(game: str | Game) -> list[str]:
    """Return the names of a game's players that need no argument."""
    return list(names_of(get_game(game)))


def make_agent(spec: str, game: str | Game | None = None, **variant: Any) -> Agent:
    """Return a player of a game's variant (by default of the first game).

    Args: spec: a rule-based player ("random", "greedy", "variety"), "checkpoint:PATH" for a trained one, its
            best action always taken, "sample:PATH" for the same drawing from its policy.
    Raises: ValueError naming an unknown player and those there are; CheckpointError for a bad checkpoint.
    """
    game = get_game(next(iter(GAMES)) if game is None else game)
    checked = game.variant.make(**variant)
    if not isinstance(spec, str):
        raise ValueError(f"{told(spec)} is no player's name; players are {', '.join(agent_names(game))}")
    name, _, argument = spec.partition(":")
    if name in ("checkpoint", "sample") and argument:
        from gupai_agents.network import NetworkAgent

        return NetworkAgent.load(argument, game, checked, sample=name == "sample")
    names = agent_names(game)
    if spec not in names:
        near = difflib.get_close_matches(spec, names, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(
            f"{spec!r} is no player of {game.id}; {hint}players are {', '.join(names)}, checkpoint:PATH "
            "and sample:PATH"
        )
    return RandomAgent(game) if spec == "random" else RuleAgent(game, spec)
