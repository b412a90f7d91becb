"""Writes the methods sentences of an analysis, and the references that they cite."""
