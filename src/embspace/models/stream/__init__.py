"""The information stream of a model: every block rebuilt from its weights, equal to the model."""
