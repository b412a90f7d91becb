"""Distances between the distribution of coordinates and a normal distribution."""
