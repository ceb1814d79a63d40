"""What the games share in which everybody splits a hand at once: Da Ling and Pai Gow."""
