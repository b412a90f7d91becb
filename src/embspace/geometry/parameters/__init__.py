"""Parameters of a model as vectors, compared with the vectors of its tokens."""
