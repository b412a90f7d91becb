"""The parameters of a model as vectors of its width, to be read in the words of its vocabulary."""
