"""Measures for practical uses of embeddings."""
