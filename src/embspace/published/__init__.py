"""Reads published numbers and claims, and decides them by our results."""
