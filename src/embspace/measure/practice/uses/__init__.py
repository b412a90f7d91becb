"""The uses of words in texts: occurrences, known uses, and words that tell uses apart."""
