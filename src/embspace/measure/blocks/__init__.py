"""Measures of the blocks of a model: the stream and the contributions of the block's parts."""
