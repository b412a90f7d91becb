"""Features: directions of vectors, of which few are active at once."""
