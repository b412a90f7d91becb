"""Figures and tables of words in context."""
