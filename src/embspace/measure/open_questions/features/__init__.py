"""Sparse features: the states to search, and the tokens that activate a feature."""
