"""Players of the games, and how they are compared (`gupai_agents.evaluation`)."""

from gupai_agents.agent import Agent, Turns
from gupai_agents.observing import ObservationAgent
from gupai_agents.registry import agent_names, make_agent

__all__ = ["Agent", "ObservationAgent", "Turns", "agent_names", "make_agent"]
