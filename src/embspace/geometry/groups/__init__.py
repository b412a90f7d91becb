"""Vectors in groups, pairs and two clouds."""
