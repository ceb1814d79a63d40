"""The commands of `gupai`, a module for each group of them."""
