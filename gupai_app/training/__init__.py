"""Making players: training, tuning, comparing runs, measuring speed, and the pages of runs."""
