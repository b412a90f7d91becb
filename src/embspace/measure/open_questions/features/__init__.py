"""Sparse features: the states for the search, and the tokens that activate a feature."""
