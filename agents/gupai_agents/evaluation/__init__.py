"""Comparing players so that the result can be trusted."""

from gupai_agents.evaluation.ablation import Ablation, Budget, discover
from gupai_agents.evaluation.best_response import BestResponse, Effort, find_best_response
from gupai_agents.evaluation.exact.tree import GameTree, build_tree
from gupai_agents.evaluation.matches.gating import Gate, gate, recipe_gain
from gupai_agents.evaluation.matches.match import DuplicateResult, duel, play_duplicates
from gupai_agents.evaluation.records.arrays import Decisions, data_seed, games_to_arrays, split_by_deal
from gupai_agents.evaluation.records.games import GameRecord, RecordError, RecordWriter, read_games
from gupai_agents.evaluation.statistics import Estimate, estimate
from gupai_agents.evaluation.tournaments.folder import play_into, verify
from gupai_agents.evaluation.tournaments.tournament import Standings, Tournament, play_tournament, round_robin, schedule

__all__ = [
    "Ablation", "BestResponse", "Budget", "Decisions", "DuplicateResult", "Effort", "Estimate", "GameRecord",
    "GameTree", "Gate", "RecordError", "RecordWriter", "Standings", "Tournament", "build_tree", "data_seed",
    "discover", "duel", "estimate", "find_best_response", "games_to_arrays", "gate", "play_duplicates", "play_into",
    "play_tournament", "read_games", "recipe_gain", "round_robin", "schedule", "split_by_deal", "verify",
]  # fmt: skip
