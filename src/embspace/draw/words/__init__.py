"""Draws figures and tables of words in context."""
