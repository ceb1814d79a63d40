"""Comparing players so that the result can be trusted."""

from agents.evaluation.exact import GameTree, build_tree
from agents.evaluation.match import DuplicateResult, duel, play_duplicates
from agents.evaluation.tournament import Standings, round_robin

__all__ = ["DuplicateResult", "GameTree", "Standings", "build_tree", "duel", "play_duplicates", "round_robin"]
