"""Makes the explorer: maps of a model for a reader to search, select from and turn."""
