"""Writes the methods sentences of an analysis, and the cited references."""
