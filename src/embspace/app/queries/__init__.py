"""Commands for questions on a user's texts, by a model's vectors of a corpus."""
