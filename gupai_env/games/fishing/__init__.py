"""What the fishing games share."""
