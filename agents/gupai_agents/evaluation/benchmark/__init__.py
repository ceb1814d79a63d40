"""Benchmarks: suites of tasks that never change, and the cards that say what an agent wins in them."""

from gupai_agents.evaluation.benchmark.cards import held_out, play_benchmark, read_cards, verify_card

__all__ = ["held_out", "play_benchmark", "read_cards", "verify_card"]
