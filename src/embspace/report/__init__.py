"""Pages about what was made."""
