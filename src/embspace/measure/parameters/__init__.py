"""Measures of the parameters of a model, read in the words of its vocabulary."""
