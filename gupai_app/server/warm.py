"""Compiling beforehand what games need; the machine code is kept on disk, where every later process finds it."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import NamedTuple

from gupai_agents import agent_names, make_agent
from gupai_agents.agent import probabilities
from gupai_agents.decisions import play_out
from gupai_agents.registry import heuristic_agent
from gupai_agents.search import SearchAgent
from gupai_agents.shipped import BEST, best_heuristic
from gupai_app.play.moves import ADVISER
from gupai_app.play.session import Session
from gupai_env.core.compiling import on_disk
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.games import get_game
from gupai_env.vector import VectorEnv


class Part(NamedTuple):
    """A part of a game that is compiled. what: for people. work: does it once, so that it is compiled or found."""

    what: str
    work: Callable[[], object]


def parts(game: Game) -> Iterator[Part]:
    """Yield what a game needs, in the order in which a person comes to need it."""
    variant = game.variant()
    heuristic = heuristic_agent(f"{best_heuristic(game)}@1", game, variant)
    yield Part("players", lambda: _choose(game, variant, [heuristic, *_network(game, variant)]))
    yield Part("hints", lambda: _advise(game, variant))
    yield Part("matches and reviews", lambda: play_out(_table(game, variant), [heuristic]))


def prepare(game: str, number: int) -> None:
    """Do a part of a game by its number from 1: in a process of its own, for the machine code that is kept on disk."""
    next(itertools.islice(parts(get_game(game)), number - 1, None)).work()


def hints_on_disk(game: Game) -> bool:
    """Return whether hints of a game need no compiling, only loading."""
    return on_disk(SearchAgent.__module__, game)


def _network(game: Game, variant: Variant) -> list:
    """Return the network that comes with the package, if there is one."""
    return [make_agent(BEST, game, **asdict(variant))] if BEST in agent_names(game, variant) else []


def _choose(game: Game, variant: Variant, agents: list) -> None:
    batch = Session(game, variant, 0).decision_batch()
    for agent in agents:
        agent.act(batch)
    probabilities(agents[0], game, variant, batch)


def _advise(game: Game, variant: Variant) -> None:
    adviser = make_agent(ADVISER, game, **asdict(variant))
    assert isinstance(adviser, SearchAgent)
    adviser.values(Session(game, variant, 0).decision_batch())


def _table(game: Game, variant: Variant) -> VectorEnv:
    envs = VectorEnv(game, 2, renew=False, **asdict(variant))
    envs.step(envs.sample(0))
    return envs
