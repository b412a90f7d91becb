"""Exact pairs, distributions and graphs of neighbors."""
