"""Training: learning from search targets, and self-play by PPO with one trajectory for each seat."""
