"""Draws figures and tables of pairs and groups of sentences."""
