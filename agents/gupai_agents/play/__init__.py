"""How agents play: the loop that asks them, playouts in compiled code, and workers that share the deals."""
