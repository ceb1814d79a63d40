"""Playing a game: in the terminal, and on a page."""
