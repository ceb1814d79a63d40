"""Comparing players so that the result can be trusted."""

from gupai_agents.evaluation.exact import GameTree, build_tree
from gupai_agents.evaluation.match import DuplicateResult, duel, play_duplicates
from gupai_agents.evaluation.tournament import Standings, round_robin

__all__ = ["DuplicateResult", "GameTree", "Standings", "build_tree", "duel", "play_duplicates", "round_robin"]
