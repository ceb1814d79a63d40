"""A factory of agents, as `package.module:factory` names them."""

from gupai_agents import make_agent

FACTORY = "little_factory:make"


def make(game, variant):
    """A player as anybody's own code may make one."""
    agent = make_agent("greedy", game, **variant.changed())
    agent.name = "mine"
    return agent
