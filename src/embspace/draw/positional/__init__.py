"""Figures and tables of the position embeddings."""
