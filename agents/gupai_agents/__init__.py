"""Players of the games, and how they are compared (`gupai_agents.evaluation`)."""

from gupai_agents.agent import Agent, DecisionBatch
from gupai_agents.networks.network import save_network
from gupai_agents.networks.network_agent import ObservationAgent
from gupai_agents.registry import agent_names, make_agent

__all__ = ["Agent", "DecisionBatch", "ObservationAgent", "agent_names", "make_agent", "save_network"]
