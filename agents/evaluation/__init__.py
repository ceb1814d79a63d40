"""Comparing players so that the result can be trusted."""

from agents.evaluation.match import DuplicateResult, duel, play_duplicates
from agents.evaluation.tournament import Standings, round_robin

__all__ = ["DuplicateResult", "Standings", "duel", "play_duplicates", "round_robin"]
