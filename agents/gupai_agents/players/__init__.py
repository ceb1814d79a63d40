"""Players: heuristics, cards, search and programs that read lines; and what identifies each."""
