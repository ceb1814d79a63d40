"""What the connecting games share."""
