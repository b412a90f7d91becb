"""Draws figures and tables of the position embeddings."""
