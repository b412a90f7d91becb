"""Commands that answer questions of practice, on texts or vectors of the user."""
