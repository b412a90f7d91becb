"""Checks that `embspace check` and a report make before any stage runs."""
