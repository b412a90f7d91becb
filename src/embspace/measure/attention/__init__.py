"""Measures of attention: heads, patterns of heads, and the role of word order."""
