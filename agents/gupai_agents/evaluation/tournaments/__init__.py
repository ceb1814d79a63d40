"""Tournaments: schedule, folder, ratings, and the ladder."""
