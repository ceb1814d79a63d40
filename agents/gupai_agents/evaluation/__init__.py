"""Comparing players so that the result can be trusted."""

from gupai_agents.evaluation.exact import GameTree, build_tree
from gupai_agents.evaluation.match import DuplicateResult, duel, play_duplicates
from gupai_agents.evaluation.records import GameRecord, RecordError, RecordWriter, read_games
from gupai_agents.evaluation.tournament import Standings, round_robin

__all__ = [
    "DuplicateResult",
    "GameRecord",
    "GameTree",
    "RecordError",
    "RecordWriter",
    "Standings",
    "build_tree",
    "duel",
    "play_duplicates",
    "read_games",
    "round_robin",
]
