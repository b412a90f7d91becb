"""Reads published numbers and claims, and decides the claims by our results."""
