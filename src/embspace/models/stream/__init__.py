"""The information stream of a model: all blocks rebuilt from the weights, equal to the model."""
