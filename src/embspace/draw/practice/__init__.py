"""Figures and tables of what people ask of embeddings in practice."""
