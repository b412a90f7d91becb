"""Sparse features: the states in which they are sought, and the tokens that light them."""
