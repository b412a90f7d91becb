"""Figures and tables of the learned input embeddings."""
