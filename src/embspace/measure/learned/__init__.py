"""Measures of the learned input embeddings."""
