"""Implements `scan_pairs`: blocks of all pairs, and compiled loops over the blocks."""
