"""Measures of a model over training."""
