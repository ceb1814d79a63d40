"""Matches in duplicate deals: seats, luck that is taken out, and the gate."""
