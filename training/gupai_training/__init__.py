"""Self-play training: PPO on lanes, one trajectory for each seat."""
