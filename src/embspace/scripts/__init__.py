"""Unicode's rules for texts in any script: words, and sentences."""
