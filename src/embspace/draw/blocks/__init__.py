"""Figures and tables of the blocks of a model."""
