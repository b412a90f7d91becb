"""Measures of clouds whose geometry is known."""
