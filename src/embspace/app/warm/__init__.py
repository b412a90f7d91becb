"""A `python` that has already imported what stages import."""
