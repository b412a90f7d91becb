"""Measures of the tokens of texts, text by text."""
