"""Intervals, nulls and samples."""
