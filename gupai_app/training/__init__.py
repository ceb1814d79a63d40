"""Making players: training, tuning, comparing runs, and the pages of runs."""
