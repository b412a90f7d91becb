"""The uses of words in texts: where they stand, known uses, and what tells uses apart."""
