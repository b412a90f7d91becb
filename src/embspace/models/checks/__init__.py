"""Checks of a model's files, before anything is loaded."""
