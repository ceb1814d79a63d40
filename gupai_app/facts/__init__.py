"""What is known of a game beyond its rules: its facts, and the number of its ways of play."""
