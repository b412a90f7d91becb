"""Measures for the questions that the thesis leaves open."""
