"""Finding players that need no network: weights for heuristics, and cards for people."""
