"""Columns, nulls and deviations that tables of several chapters use."""
