"""Draws figures and tables of attention."""
