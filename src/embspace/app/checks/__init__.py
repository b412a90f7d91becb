"""Checks before any stage runs, for `embspace check` and for a report."""
