"""Draws figures and tables of the questions that the thesis leaves open."""
