"""Measures for the open questions of the thesis."""
