"""Measures corpora too large for a memory or a single machine: sums while embedding."""
