"""Looking at games: in the terminal, as a page in a file, and on a page that values every decision."""
