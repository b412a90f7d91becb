"""Draws figures and tables of clouds whose geometry is known."""
