"""Throughput of the engine next to that of others; see docs/benchmarks.md."""
