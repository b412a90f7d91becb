"""Figures and tables of the learned token embeddings."""
