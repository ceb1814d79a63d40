"""Comparing players so that the result can be trusted."""

from agents.evaluation.match import DuplicateResult, duel, play_duplicates

__all__ = ["DuplicateResult", "duel", "play_duplicates"]
