"""Bridges: a space with the names of its rows, as files that other tools open."""
