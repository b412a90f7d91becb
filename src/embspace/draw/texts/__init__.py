"""Draws figures and tables of texts."""
