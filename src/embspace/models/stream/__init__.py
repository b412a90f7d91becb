"""The information stream of a model: every block rebuilt from the weights, equal to the model."""
