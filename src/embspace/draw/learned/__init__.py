"""Draws figures and tables of the learned token embeddings."""
