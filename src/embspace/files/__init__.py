"""Reads and writes files, with one module for each format."""
