"""The measured clouds of vectors."""
