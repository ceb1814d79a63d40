"""Random play in the environments of other libraries and in ours, measured side by side in one run.

Each library has a program of its own, `*_steps.py`, that runs in a virtual environment of its own;
`python -m benchmarks.peers` makes the environments, asks the programs for one figure after another and prints
the table.
"""
