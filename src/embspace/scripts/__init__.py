"""What Unicode says about texts in any script: words, and sentences."""
