"""Draws figures and tables of a model over its training."""
