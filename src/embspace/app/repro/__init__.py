"""Runs the stages of a tree: those that do not hang on each other at once."""
