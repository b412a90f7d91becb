"""Our numbers beside published ones."""
