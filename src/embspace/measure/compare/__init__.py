"""Our numbers beside published numbers."""
