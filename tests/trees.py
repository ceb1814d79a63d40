"""All play of tiny decks, which the tests of a process list once."""

from functools import cache
from typing import Any

from gupai_agents.evaluation import GameTree, build_tree
from gupai_env import get_game


@cache
def tiny_tree(game: str, **options: Any) -> GameTree:
    """All play with the tiny deck, by as few players as it is for; nothing is written to it."""
    return build_tree(game, **get_game(game).variant.tiny_options(), **options)
