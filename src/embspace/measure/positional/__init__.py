"""Measures of the position embeddings."""
