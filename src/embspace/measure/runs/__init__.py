"""Measures of a model over its training."""
