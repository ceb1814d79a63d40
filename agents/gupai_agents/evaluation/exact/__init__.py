"""Exact values: trees of all deals of a tiny deck, and of all hands of a split."""
