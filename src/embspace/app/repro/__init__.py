"""Runs the stages of a tree: independent stages at once."""
