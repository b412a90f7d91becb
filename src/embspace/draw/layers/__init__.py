"""Draws figures and tables of the layers of a model."""
