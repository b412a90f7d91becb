"""The uses of words in texts: where words stand, known uses, and words that tell uses apart."""
