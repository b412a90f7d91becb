"""Draws the results on classifiers of sequences."""
