"""Measures of the blocks of a model: the stream and what its parts add to it."""
