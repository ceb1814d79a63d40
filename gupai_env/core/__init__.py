"""What every game is made of: tiles, chance, variants, layouts, the game contract and the compiled loops."""
