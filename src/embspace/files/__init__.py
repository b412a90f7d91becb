"""Reads and writes files, with a module per format."""
