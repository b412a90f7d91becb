"""Measures of the blocks of a model: the stream, and what the parts of a block add to it."""
