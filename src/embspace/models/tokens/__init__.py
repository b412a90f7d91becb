"""Tokenizers as their files say, whatever class transformers would make of them."""
