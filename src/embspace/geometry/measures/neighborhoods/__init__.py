"""Measures of neighborhoods of any size, and of neighborhoods in two views of the same points."""
