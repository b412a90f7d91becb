"""Measures of a cloud of vectors."""
