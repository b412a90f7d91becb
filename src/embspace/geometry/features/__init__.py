"""Features: directions of vectors, few active at once."""
