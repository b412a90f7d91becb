"""Measures of attention: heads, their patterns, and the role of word order."""
