"""What Unicode says of texts in any script: words, and sentences."""
