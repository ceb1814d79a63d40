"""Players of the games, and how they are compared (`agents.evaluation`)."""

from agents.agent import Agent, Turns
from agents.observing import ObservationAgent
from agents.registry import agent_names, make_agent

__all__ = ["Agent", "ObservationAgent", "Turns", "agent_names", "make_agent"]
