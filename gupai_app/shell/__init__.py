"""The `gupai` command: its entry, options, errors, streams and what it shows on the screen."""
