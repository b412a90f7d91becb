"""Measures of the positional embeddings."""
