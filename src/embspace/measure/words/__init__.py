"""Measures of words in context."""
