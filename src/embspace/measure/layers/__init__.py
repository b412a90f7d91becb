"""Measures of the layers of a model."""
