"""Commands that answer about texts of a user, by what a model has made of a corpus."""
