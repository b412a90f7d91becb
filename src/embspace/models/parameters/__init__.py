"""The parameters of a model as vectors of the model's width, read as words of the vocabulary."""
