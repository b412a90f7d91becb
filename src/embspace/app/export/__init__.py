"""Bridges: a space with the names of its rows, as files for further tools."""
