"""Corpora that need more than a file of texts to be read."""
