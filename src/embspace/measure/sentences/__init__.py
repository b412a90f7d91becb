"""Measures of pairs and groups of sentences."""
