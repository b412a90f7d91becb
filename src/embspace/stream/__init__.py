"""Measures corpora too large for memory or a single machine: sums while embedding."""
