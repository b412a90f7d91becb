"""Measures of the tokens of texts, one text at a time."""
