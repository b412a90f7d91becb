"""Bridges: a space with the names of its rows, as files for other tools."""
