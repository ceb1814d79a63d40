"""Comparing agents: tournaments, gates, ladders, the benchmark and best responses, and the pages of tournaments."""
