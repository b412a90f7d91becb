"""The commands and the Python interface for users."""
