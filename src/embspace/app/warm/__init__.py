"""A `python` that has imported what stages import."""
