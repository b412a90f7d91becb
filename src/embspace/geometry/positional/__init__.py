"""The geometry of positions."""
