"""A `python` with the stages' imports done in advance."""
