"""Makes the explorer: maps of a model that a reader can search, select from and turn."""
