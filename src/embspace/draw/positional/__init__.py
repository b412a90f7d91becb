"""Figures and tables of the positional embeddings."""
