"""`make_agent`: a player from one line of text."""

import difflib
from typing import Any

from agents import rules
from agents.agent import Agent
from gupai_env.core.game import Game
from gupai_env.games import get_game


def agent_names(game: str | Game) -> list[str]:
    """Return the names of a game's players that need no argument."""
    return ["random", *rules.POLICIES[get_game(game).id]]


def make_agent(spec: str, game: str | Game = "jie-long", **variant: Any) -> Agent:
    """Return a player of a game's variant.

    Args: spec: a rule-based player ("random", "greedy", "variety"), "checkpoint:PATH" for a trained one, its
            best action always taken, "sample:PATH" for the same drawing from its policy, or "human".
    Raises: ValueError naming an unknown player and those there are; CheckpointError for a bad checkpoint.
    """
    game = get_game(game)
    checked = game.variant.make(**variant)
    name, _, argument = spec.partition(":")
    if name in ("checkpoint", "sample") and argument:
        from agents.network import NetworkAgent

        return NetworkAgent.load(argument, game, checked, sample=name == "sample")
    if spec == "human":
        from agents.human import HumanAgent

        return HumanAgent(game, checked)
    if spec == "random":
        return rules.RandomAgent()
    policies = rules.POLICIES[game.id]
    if spec not in policies:
        names = agent_names(game)
        near = difflib.get_close_matches(spec, [*names, "human"], 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise ValueError(
            f"{spec!r} is no player of {game.id}; {hint}players are {', '.join(names)}, human, checkpoint:PATH "
            "and sample:PATH"
        )
    return rules.RuleAgent(spec, policies[spec])
