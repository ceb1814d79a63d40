"""Jie Long in plain C, a yardstick for the compiled engine: `python benchmarks/c/run.py`."""
