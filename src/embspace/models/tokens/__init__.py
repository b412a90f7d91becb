"""Tokenizers by their files, in place of transformers' class where both differ."""
