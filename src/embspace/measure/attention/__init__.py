"""Measures of attention: heads, their patterns, and what order is to the model."""
