"""Reads and writes files, one module a format."""
