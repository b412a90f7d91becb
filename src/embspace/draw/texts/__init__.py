"""Figures and tables of texts."""
