"""Throughput of the engine beside that of others; see docs/benchmarks.md."""
