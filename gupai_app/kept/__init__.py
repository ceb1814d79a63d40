"""Games that a person has finished: kept on this machine, searched, counted, exported and played again."""
