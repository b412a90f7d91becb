"""Measures of what people ask of embeddings in practice."""
